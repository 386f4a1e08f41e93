import CatalogDomain
import CatalogRepository

/// What a refresh did, as output.
struct RefreshReport {
  let outcome: RefreshOutcome
  let status: CatalogStatus
  let account: AccountLabel
  let name: CatalogName
  let now: Timestamp

  /// The failure to end with, if nothing was kept.
  var failure: CommandFailure? {
    switch outcome {
    case .updated, .notModified, .notNeeded: nil
    case .superseded:
      .failed(
        .tryAgain, "A newer answer or an invalidation came first, so nothing was written. Refresh again.")
    case .notStored:
      .failed(
        .unavailable,
        "The source forbids keeping its answer (no-store), so nothing was written; the cache "
          + "holds nothing of it.")
    }
  }

  func output(command: String) -> Output {
    let summary = summary
    let fields: [(String, Cell)] = [
      ("account", .text(account.text)), ("catalog", .text(name.rawValue)), ("outcome", .text(word)),
      ("added", .number(summary?.added ?? 0)), ("changed", .number(summary?.changed ?? 0)),
      ("removed", .number(summary?.removed ?? 0)), ("books", .number(status.bookCount)),
      ("repeated", .number(summary?.repeated ?? 0)), ("leftOut", .number(summary?.rejectedCount ?? 0)),
      ("isComplete", .bool(status.isComplete)), ("partialReason", .text(summary?.partialReason)),
      ("savedAt", .time(status.savedAt)), ("freshness", .text(status.decision.freshness.rawValue)),
      ("leftOutItems", .objects((summary?.rejected ?? []).map(Self.facts))),
    ]
    // For people the sentences say it all.
    return Output(
      command: command, record: fields.map { (Output.Column($0, nil), $1) }, notes: sentences)
  }

  private var summary: RefreshSummary? {
    if case .updated(let summary) = outcome { summary } else { nil }
  }

  private var word: String {
    switch outcome {
    case .updated: "updated"
    case .notModified: "notModified"
    case .notNeeded: "notNeeded"
    case .superseded: "superseded"
    case .notStored: "notStored"
    }
  }

  private var sentences: [String] {
    let held = "\(account.text) holds \(Wording.count(status.bookCount ?? 0, "book"))"
    switch outcome {
    case .updated(let summary): return sentences(summary, held: held)
    case .notModified: return ["Not modified: \(held), as before; no book was touched."]
    case .notNeeded:
      let next = status.decision.nextChange.map { " for another \(AgeText.roundedText($0 - now))" } ?? ""
      return ["Not needed: the catalog is fresh\(next), so the source wasn't asked; \(held)."]
    case .superseded, .notStored: return []
    }
  }

  private func sentences(_ summary: RefreshSummary, held: String) -> [String] {
    var lines = [
      "Updated: \(held); \(Wording.grouped(summary.added)) added, \(Wording.grouped(summary.changed)) changed, "
        + "\(Wording.grouped(summary.removed)) removed."
    ]
    if summary.repeated > 0 {
      lines.append(
        "\(Wording.count(summary.repeated, "item")) repeated a book met before; the first one won.")
    }
    if let reason = summary.partialReason {
      lines.append("The answer is partial, so no book was removed. \(reason)")
    }
    guard summary.rejectedCount > 0 else { return lines }
    lines.append(
      "Left out \(Wording.count(summary.rejectedCount, "item")); rows they had stay as they were:")
    lines += summary.rejected.map { item in
      let identifier = Self.publicText(item.identifier).map { ", id \(Wording.excerpt($0))" } ?? ""
      return "- \(Wording.excerpt(item.position))\(identifier): \(item.reason)"
    }
    let unnamed = summary.rejectedCount - summary.rejected.count
    if unnamed > 0 { lines.append("- and \(Wording.count(unnamed, "more item")) not named here.") }
    return lines
  }

  private static func facts(_ item: RejectedItem) -> [Output.Fact] {
    [
      .init("position", .text(item.position)), .init("identifier", .text(publicText(item.identifier))),
      .init("reason", .text(item.reason)),
    ]
  }

  /// An identifier as output may show it: an address may carry a token in its query.
  private static func publicText(_ identifier: CatalogEntry.Identifier?) -> String? {
    switch identifier {
    case .number(let number): String(number)
    case .text(let text): text.contains("?") ? text.prefix { $0 != "?" } + "?…" : text
    case nil: nil
    }
  }
}
