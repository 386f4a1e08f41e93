import CatalogDomain

/// `policy explain --headers`: what an answer's header fields come to, term by term.
struct HeaderExplanation {
  static let headers = Option(
    file: "headers", value: "file",
    help: "Read what the server said from this file of header fields; - reads standard input.")
  static let took = SharedOptions.duration("took", help: "How long the answer took to come (standard: 0s).")

  static let options = [headers.spec, took.spec]

  /// The fields say what those options would, and no database is asked.
  static let exclusive =
    (SharedOptions.scope + StampOptions.terms.filter { $0.long != StampOptions.markedStale.spec.long }
    + [StampOptions.neverLoaded.spec]).map { [headers.spec, $0] }

  private static let limit = 64 << 10

  private let freshness: HTTPFreshness

  /// Reads the file that the command line names; nil if it names none.
  init?(_ context: CommandContext) throws(CommandFailure) {
    guard let path = context.call[Self.headers] else { return nil }
    let bytes = try InputFile.read(path, as: "headers", limit: Self.limit, console: context.console)
    let head = String(decoding: bytes, as: UTF8.self)
    if let status = HTTPField.status(ofHead: head), ![200, 203, 304].contains(status) {
      throw .failed(
        .badData,
        "It is the head of an answer \(status), which is no catalog, so nothing would be kept. "
          + Self.advice(status))
    }
    let fields = HTTPField.fields(ofHead: head)
    guard !fields.isEmpty else {
      throw .failed(
        .badData,
        "There is no header field in the file. Give one a line, such as 'Cache-Control: max-age=60'.")
    }
    let now = context.now.wall
    let date = HTTPFreshness(fields, requestedAt: now, receivedAt: now).date
    let requestedAt = StampOptions.moment(of: context.call, now: now) ?? date ?? now
    freshness = HTTPFreshness(
      fields, requestedAt: requestedAt, receivedAt: requestedAt + (context.call[Self.took] ?? .zero))
  }

  private static func advice(_ status: Int) -> String {
    switch status {
    case 401, 403: "Ask with credentials, as 'curl -u' does."
    case 300..<400: "Ask where it leads, as 'curl -L' does, and give the last head alone."
    default: "Check the address that was asked."
    }
  }

  /// Returns what is wrong with the options together.
  static func problem(_ call: CommandCall) -> String? {
    call.has(took.spec) && !call.has(headers.spec)
      ? "--took is about the answer that --headers describes. Give it too." : nil
  }

  /// The stamp that a catalog with these fields would have.
  func stamp(of call: CommandCall) -> CatalogStamp {
    CatalogStamp(
      validatedAt: ClockReading(wall: freshness.requestedAt, continuous: .zero, boot: nil),
      initialAge: freshness.initialAge, directives: freshness.directives,
      isMarkedStale: call.has(StampOptions.markedStale))
  }

  /// Returns the reckoning as rows, below what was decided.
  func output(_ decision: Output, now: Timestamp) -> Output {
    var output = decision
    output.layout = .rows
    output.head =
      zip(decision.columns, decision.rows.first ?? []).map { column, cell in
        Output.Field(column.key, column.title, cell)
      } + [
        .init("entityTag", "Entity tag", .text(freshness.validators?.entityTag)),
        .init("lastModified", "Last modified", .text(freshness.validators?.lastModified)),
        .init("variesBy", "Varies by", .list(freshness.variesBy)),
      ]
    output.columns = [
      .init("term", "Term"), .init("value", "Value"), .init("reason", "By"), .init("section", "Section"),
    ]
    output.rows = freshness.terms(at: now).map {
      [.text($0.name), Self.cell($0.value), .text($0.reason), .text($0.section)]
    }
    return output
  }

  private static func cell(_ value: HTTPFreshness.Term.Value) -> Cell {
    switch value {
    case .moment(let moment): .time(moment)
    case .span(let span): .exactAge(span)
    case .truth(let holds): .bool(holds)
    case .unsaid: .none
    }
  }
}
