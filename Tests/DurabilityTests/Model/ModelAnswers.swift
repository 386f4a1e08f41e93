import CatalogDomain
import CatalogTesting

/// What a remote will answer, before it is known what it is asked with.
enum PlannedAnswer {
  case books([FetchPage], FetchHead, isComplete: Bool)
  case notModified(FetchHead)
  case failure(CatalogError.Code)

  var scripted: ScriptedAnswer {
    switch self {
    case .books(let pages, let head, let isComplete):
      .pages(pages, head: head, conclusion: isComplete ? .complete : .partial(reason: "so it was drawn"))
    case .notModified(let head): .notModified(head)
    case .failure(let code): .failure(code)
    }
  }

  /// A server that is asked with its own validators says "not modified".
  func resolved(for validators: FetchValidators?) -> PlannedAnswer {
    guard case .books(_, let head, _) = self, let validators, head.validators == validators else {
      return self
    }
    return .notModified(head)
  }
}

/// Draws answers: integers and text, repeats, items that can't be read, loans that end, validators that come back.
struct AnswerDrawer {
  private static let titles = [
    "", "By the Sea", "война", "Blåbær", "Blåbær".decomposed, "a\u{0}b", "'; DROP TABLE book; --", "🐟🐠",
    String(repeating: "long ", count: 300),
  ]

  mutating func answer(_ generator: inout SeededGenerator, now: Timestamp) -> PlannedAnswer {
    switch generator.number(0...11) {
    case 0: return .failure(generator.pick([.offline, .serverError, .unauthorized, .badResponse, .timedOut]))
    case 1: return .notModified(head(&generator))
    default: return complete(&generator, now: now)
    }
  }

  mutating func complete(_ generator: inout SeededGenerator, now: Timestamp) -> PlannedAnswer {
    var pages: [FetchPage] = []
    for _ in 0..<generator.number(0...3) {
      var page = FetchPage(entries: (0..<generator.number(0...12)).map { _ in entry(&generator, now) })
      if generator.once(in: 5) {
        page.rejected.append(
          RejectedItem(position: "here", identifier: identifier(&generator), reason: "it was drawn so"))
      }
      if generator.once(in: 15) {
        page.rejected.append(RejectedItem(position: "there", reason: "unreadable"))
      }
      pages.append(page)
    }
    return .books(pages, head(&generator), isComplete: !generator.once(in: 4))
  }

  private func identifier(_ generator: inout SeededGenerator) -> CatalogEntry.Identifier {
    switch generator.number(0...20) {
    case 0: .number(-generator.number(0...3))
    case 1: .number((1 << 62) - generator.number(1...2))
    case 2...10: .text("urn:\(generator.number(0...14))")
    case 11: .text(["é", "é".decomposed, ""][generator.number(0...2)])
    default: .number(generator.number(1...25))
    }
  }

  private func entry(_ generator: inout SeededGenerator, _ now: Timestamp) -> CatalogEntry {
    var entry = CatalogEntry(identifier: identifier(&generator), title: generator.pick(Self.titles))
    if generator.once(in: 40) { entry.identifier = .number(1 << 62) }
    if generator.once(in: 2) { entry.title += " \(generator.number(0...3))" }
    if generator.once(in: 3) { entry.authors = (0..<generator.number(1...2)).map { "Author \"\($0)\"\n" } }
    if generator.once(in: 4) { entry.language = generator.pick(["fr", "", "x-None"]) }
    if generator.once(in: 5) {
      entry.updated = Timestamp(millisecondsSinceEpoch: Int64(generator.number(0...9)))
    }
    entry.isBorrowed = generator.once(in: 3)
    if generator.once(in: 3) { entry.borrowedUntil = now + .seconds(generator.number(-100...4000)) }
    return entry
  }

  private func head(_ generator: inout SeededGenerator) -> FetchHead {
    var head = FetchHead()
    if generator.once(in: 2) {
      head.validators = FetchValidators(entityTag: "\"\(generator.number(0...2))\"")
    }
    if generator.once(in: 4) { head.freshness.lifetime = .seconds(generator.number(0...3000)) }
    if generator.once(in: 6) { head.freshness.staleIfError = .seconds(generator.number(0...9000)) }
    head.freshness.mustRevalidate = generator.once(in: 8)
    head.freshness.noCache = generator.once(in: 12)
    if generator.once(in: 4) { head.initialAge = .milliseconds(generator.number(0...900_000)) }
    head.keepsDirectives = generator.pick([nil, nil, false, true])
    return head
  }
}

extension String {
  /// The same text with its letters and marks apart, by hand: é and å are all that these tests need.
  var decomposed: String {
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "\u{e9}": scalars.append(contentsOf: "e\u{301}".unicodeScalars)
      case "\u{e5}": scalars.append(contentsOf: "a\u{30a}".unicodeScalars)
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
