import CatalogDomain
import Foundation
import OfflineCatalog

extension CommandSpec {
  /// Lists the books of a catalog.
  package static let list = CommandSpec(
    "list",
    abstract: "List the books of an account's catalog, as far as they may be served now.",
    discussion: [
      "A catalog that was loaded and has no books is an empty list and exits with 0. One that was never loaded, "
        + "or may not be served, exits with 69 and says why. " + PolicyOptions.discussion
    ],
    examples: [
      "list --account ada", "list --db t.sqlite --account ada --sort title --limit 20 --format csv",
    ],
    options: SharedOptions.scope + [
      ListOptions.sort.spec, ListOptions.language.spec, ListOptions.limit.spec,
      SharedOptions.failIfEmpty.spec,
    ] + SharedOptions.readingEnd + PolicyOptions.all,
    exclusive: PolicyOptions.exclusive,
    run: { context throws(CommandFailure) in
      let served = try ServedCatalog.read(context)
      return try context.show(
        BookList(served: served, matching: nil, context: context).output(command: context.call.name),
        endingWith: served.exitCode(context.call))
    })

  private static let query = ArgumentSpec(
    "query", help: "What titles have to contain; '' matches every book.")

  /// Searches the titles of a catalog.
  package static let search = CommandSpec(
    "search",
    abstract: "Search the titles of an account's catalog, as far as it may be served now.",
    discussion: [
      "A title matches if it contains the query, whatever the case; accents count, however they are encoded, "
        + "and '%' and '_' are plain text. Borrowed books come first. No hit is an empty list and exits with 0 "
        + "if the catalog is known; else 69 says why it isn't. " + PolicyOptions.discussion,
      "With --remote an OPDS server is asked instead, and its own rule decides; books that the database holds "
        + "show their id. If the server can't be reached the exit code is 69, unless --or-cached was given: then "
        + "the saved catalog is searched, by the rule above, and the output says so.",
    ],
    examples: [
      "search --account ada sea", "search --account ada --fail-if-none война",
      "search --account ada --remote --from https://books.example/opds --or-cached sea",
    ],
    arguments: [query],
    options: SharedOptions.scope + [
      ListOptions.limit.spec, SharedOptions.failIfNone.spec, SharedOptions.failIfEmpty.spec,
    ] + RemoteSearchCommand.options + SharedOptions.readingEnd + PolicyOptions.all,
    exclusive: PolicyOptions.exclusive + RemoteOptions.exclusive, check: RemoteSearchCommand.problem,
    run: { context throws(CommandFailure) in
      if context.call.has(RemoteSearchCommand.remote) {
        return try await RemoteSearchCommand(context: context, query: context.call.argument(query)).run()
      }
      let served = try ServedCatalog.read(context)
      let list = BookList(served: served, matching: context.call.argument(query), context: context)
      return try context.show(
        list.output(command: context.call.name),
        endingWith: served.exitCode(context.call, found: list.matchCount))
    })
}

/// The options of `list` and `search`.
enum ListOptions {
  /// The orders that can be asked for.
  enum Order: String, CaseIterable, Sendable {
    case borrowed, title, id
  }

  static let sort = Option<Order>(
    choice: "sort", value: "order", defaultText: "borrowed",
    help: "The order: borrowed books first, by title as a dictionary has it, or by id.")

  static let language = Option<Locale>(
    "language", value: "tag",
    help: "The language whose alphabet --sort title follows; otherwise LC_ALL, LC_COLLATE or LANG names it.",
    read: { text in
      guard text.wholeMatch(of: /[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*/) != nil else {
        return .failure(ValueProblem("Please provide a language tag such as sv or pt-BR."))
      }
      return .success(Locale(identifier: text))
    })

  /// The reader's language: that of the command line, else that of the environment, else none in particular.
  static func locale(_ context: CommandContext) -> Locale {
    if let given = context.call[language] { return given }
    let names = ["LC_ALL", "LC_COLLATE", "LANG"].lazy.compactMap { context.console.environment[$0] }
    guard let name = names.first(where: { !$0.isEmpty }) else { return Locale(identifier: "") }
    let tag = String(name.prefix { $0 != "." && $0 != "@" })
    return Locale(identifier: ["C", "POSIX"].contains(tag) ? "" : tag)
  }

  static let limit = Option<Int>(
    "limit", short: "n", value: "n", help: "Show at most so many books.",
    read: { text in
      guard let limit = Int(text), limit >= 0 else {
        return .failure(ValueProblem("Please provide a whole number from 0 on."))
      }
      return .success(limit)
    })
}

/// Some books of a catalog, in an order.
struct BookList {
  private let served: ServedCatalog
  private let query: String?
  private let matching = TitleMatching.titleSubstring
  private let ordering: CatalogOrdering
  private let matches: [(id: Int, entry: CatalogEntry)]
  private let limit: Int?

  /// How many books match, those beyond the limit included.
  var matchCount: Int { matches.count }

  init(served: ServedCatalog, matching query: String?, context: CommandContext) {
    self.served = served
    self.query = query
    limit = context.call[ListOptions.limit]
    ordering = (context.call[ListOptions.sort] ?? .borrowed).ordering(ListOptions.locale(context))
    let isMatch = matching.matcher(for: query ?? "")
    matches = served.books
      .filter { isMatch($0.entry.title) }
      .map { (book: $0, summary: BookSummary($0.id, $0.entry)) }
      .sorted { [ordering] in ordering.areInIncreasingOrder($0.summary, $1.summary) }
      .map(\.book)
  }

  func output(command: String) -> Output {
    let shown = matches.prefix(limit ?? matches.count)
    var facts = served.facts + [.init("ordering", .text(ordering.name))]
    if query != nil {
      facts += [.init("matching", .text(matching.name)), .init("found", .number(matches.count))]
    }
    facts.append(.init("shown", .number(shown.count)))
    var notes: [String] = []
    if query != nil { notes.append(matches.isEmpty ? "Nothing matches." : "\(hits) found.") }
    if shown.count < matches.count {
      notes.append(shown.isEmpty ? "Showing none." : "Showing the first \(Wording.grouped(shown.count)).")
    }
    return Output(
      command: command, columns: BookLine.columns, rows: shown.map { BookLine.cells(id: $0.id, $0.entry) },
      summary: facts, notes: notes + served.notes)
  }

  private var hits: String { Wording.count(matches.count, "book") }
}

extension ListOptions.Order {
  fileprivate func ordering(_ locale: Locale) -> CatalogOrdering {
    switch self {
    case .borrowed: .borrowedFirst
    case .title: .alphabetical(locale)
    case .id: .byID
    }
  }
}

extension BookSummary {
  /// What the boundary knows of a book whose loan was judged already.
  fileprivate init(_ id: Int, _ entry: CatalogEntry) {
    self.init(id: id, title: entry.title, isBorrowed: entry.isBorrowed)
  }
}
