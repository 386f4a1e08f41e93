import CatalogDomain
import CatalogRepository

/// The remote of commands that only read: it is never there.
struct NoRemote: CatalogFetching {
  @concurrent func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    throw CatalogError(.offline, "This command reads what is held, and asks no remote.")
  }
}

/// The books of a catalog that may be served now, and how the catalog stands: all of one version of it.
struct ServedCatalog {
  let account: AccountLabel
  let name: CatalogName
  let status: CatalogStatus
  let books: [(id: Int, entry: CatalogEntry)]
  let now: Timestamp

  /// Reads the catalog that a command line names, without a trace.
  ///
  /// The policy is the one stored with the catalog, as the command line changes it.
  ///
  /// - Throws: ``CommandFailure`` with `unavailable`, the reason and what to do, if it may not be served.
  static func read(_ context: CommandContext) throws(CommandFailure) -> ServedCatalog {
    let (account, name) = (try context.account(), context.catalogName)
    let change = try PolicyOptions.change(of: context.call, console: context.console)
    let cache = try context.openForReading()
    return try CommandFailure.translating { () throws(CatalogError) in
      guard let known = try cache.inspect(.catalog(name, of: account)).catalogs.first else {
        throw CatalogError(.neverLoaded, unknown)
      }
      let catalog = try cache.catalog(
        name, for: account, remote: NoRemote(), policy: change?(known.policy) ?? known.policy)
      let now = context.now.wall
      // The status and the books come from two transactions; another process may write between them.
      for _ in 0..<5 {
        let before = catalog.status()
        guard case .loaded = before.presence, before.decision.books == .serve else {
          throw refusal(
            before, reason: try thrown { () throws(CatalogError) in _ = try catalog.entries() }, now)
        }
        let books = try catalog.entries()
        let status = catalog.status()
        guard status.revision == before.revision else { continue }
        return ServedCatalog(
          account: context.label(account, number: known.accountNumber), name: name, status: status,
          books: books, now: now)
      }
      throw CatalogError(.busy, "The catalog is changing all the time; try again.")
    }
  }

  private static let unknown =
    "The database knows no such account or no such catalog of it, so it isn't known what the catalog holds. "
    + "Load it with 'catalogctl refresh --from <source>'."

  /// What a function throws; if it has come to work meanwhile, the caller tries again.
  private static func thrown(_ body: () throws(CatalogError) -> Void) throws(CatalogError) -> CatalogError {
    do throws(CatalogError) {
      try body()
    } catch {
      return error
    }
    throw CatalogError(.busy, "The catalog was changed just now; try again.")
  }

  /// Says why a catalog isn't served, how old it is, and what to do.
  private static func refusal(
    _ status: CatalogStatus, reason: CatalogError, _ now: Timestamp
  ) -> CatalogError {
    switch reason.code {
    case .neverLoaded:
      return CatalogError(
        .neverLoaded,
        "Nothing is held of this catalog, so it isn't known what it holds. "
          + "Load it with 'catalogctl refresh --from <source>'.")
    case .unavailable:
      var sentences = ["The catalog may not be served now. \(status.decision.rule.explanation)"]
      if let savedAt = status.savedAt { sentences.append("It was saved \(ServedText.moment(savedAt, now)).") }
      sentences.append(remedy(status.decision.rule))
      return CatalogError(.unavailable, sentences.joined(separator: " "))
    default: return reason
    }
  }

  private static func remedy(_ rule: FreshnessDecision.Rule) -> String {
    let refresh = "Refresh it with 'catalogctl refresh --from <source>'"
    return switch rule {
    case .pastEveryBound: refresh + ", or give a policy that allows more, such as '--sie 30d'."
    case .forbiddenByMustRevalidate: refresh + ", or give '--relaxed-offline'."
    // A refresh shows what it brings and no more.
    case .forbiddenByNoCache: "To read what is saved all the same, give '--relaxed-offline'."
    default: refresh + "."
    }
  }

  /// The facts about the catalog for JSON.
  var facts: [Output.Fact] {
    [
      .init("account", .text(account.text)), .init("catalog", .text(name.rawValue)),
      .init("books", .number(status.bookCount)), .init("isComplete", .bool(status.isComplete)),
      .init("savedAt", .time(status.savedAt)), .init("ageSeconds", .age(status.decision.age)),
      .init("freshness", .text(status.decision.freshness.rawValue)),
      .init("rule", .text(status.decision.rule.rawValue)),
      .init("explanation", .text(status.decision.rule.explanation)),
      .init("nextChange", .time(status.decision.nextChange)),
      .init("lastFailure", .text(status.lastFailure?.code.name)),
    ]
  }

  /// The same for people: how old the rows are, and why they are served.
  var notes: [String] { ServedText.notes(status, account: account, now: now) }

  /// The status to end with, by what the command line asks to be told.
  func exitCode(_ call: CommandCall, found: Int? = nil) -> ExitCode {
    if call.has(SharedOptions.failIfStale), status.decision.freshness != .fresh { return .stale }
    if call.has(SharedOptions.failIfEmpty), status.bookCount == 0 { return .empty }
    if call.has(SharedOptions.failIfNone), found == 0 { return .noneFound }
    return .done
  }
}

/// The sentences that say how old what is served is, and why it is served.
enum ServedText {
  /// Returns the sentences about a catalog that is held.
  static func notes(_ status: CatalogStatus, account: AccountLabel, now: Timestamp) -> [String] {
    var first = "\(Wording.count(status.bookCount ?? 0, "book")) of \(account.text)"
    if let savedAt = status.savedAt { first += ", saved \(moment(savedAt, now))" }
    var notes = ["\(first): \(status.decision.freshness.rawValue). \(status.decision.rule.explanation)"]
    if !status.isComplete {
      notes.append("These may not be all the books there are: the last answer was partial.")
    }
    if let failure = status.lastFailure {
      notes.append("The last refresh failed \(moment(failure.at, now)): \(failure.code.name).")
    }
    return notes
  }

  /// Returns a moment with how long ago it was: `3 min ago (2026-11-01T12:00:00Z)`.
  static func moment(_ moment: Timestamp, _ now: Timestamp) -> String {
    let distance =
      moment > now
      ? "\(AgeText.roundedText(moment - now)) in the future" : "\(AgeText.text(now - moment)) ago"
    return "\(distance) (\(TimeText.text(moment)))"
  }
}
