/// How a listing orders books: a rule with a name.
public struct CatalogOrdering: Sendable {
  /// The rule's name, in lower-case words: `borrowed-first`.
  public let name: String
  /// Whether the first book comes before the second: a strict weak ordering.
  public let areInIncreasingOrder: @Sendable (BookSummary, BookSummary) -> Bool

  /// Creates an ordering.
  public init(
    name: String, areInIncreasingOrder: @escaping @Sendable (BookSummary, BookSummary) -> Bool
  ) {
    self.name = name
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  /// Borrowed books first, then by `id`: the order of ``CatalogQuery``.
  public static let borrowedFirst = CatalogOrdering(name: "borrowed-first") { first, second in
    first.isBorrowed == second.isBorrowed ? first.id < second.id : first.isBorrowed
  }

  /// By `id` alone.
  public static let byID = CatalogOrdering(name: "by-id") { $0.id < $1.id }
}

/// How a listing matches titles with what a reader typed: a rule with a name.
public struct TitleMatching: Sendable {
  /// The rule's name, in lower-case words: `title-substring`.
  public let name: String
  private let predicate: @Sendable (_ query: String) -> @Sendable (_ title: String) -> Bool

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - name: The rule's name.
  ///   - predicate: Prepares a query once, and returns what tells whether a title matches it.
  public init(
    name: String,
    predicate: @escaping @Sendable (_ query: String) -> @Sendable (_ title: String) -> Bool
  ) {
    self.name = name
    self.predicate = predicate
  }

  /// Returns what tells whether a title matches a query.
  public func matcher(for query: String) -> @Sendable (_ title: String) -> Bool {
    predicate(query)
  }

  /// The lower-cased title contains the lower-cased query, by canonical equivalence: the rule of
  /// ``CatalogQuery``.
  public static let titleSubstring = TitleMatching(name: "title-substring") { query in
    guard !query.isEmpty else { return { _ in true } }
    let wanted = query.lowercased()
    return { $0.lowercased().contains(wanted) }
  }
}

/// Asks a catalog for books in an order and by a rule that the caller names.
///
/// The summary screen keeps ``CatalogQuery``; a full catalog that sorts alphabetically is a second client of
/// the same source, and changes nothing for the first.
public struct CatalogListing {
  private let source: any CatalogReading
  /// How books are ordered.
  public let ordering: CatalogOrdering
  /// How titles are matched.
  public let matching: TitleMatching

  /// Creates a listing over a source, which it reads anew at each call.
  public init(
    source: any CatalogReading, ordering: CatalogOrdering, matching: TitleMatching = .titleSubstring
  ) {
    self.source = source
    self.ordering = ordering
    self.matching = matching
  }

  /// Returns the books whose title matches a query, in the listing's order.
  ///
  /// - Throws: The source's own error, unchanged.
  public func books(matching query: String) throws -> [BookSummary] {
    let matches = matching.matcher(for: query)
    return try source.books().filter { matches($0.title) }.sorted(by: ordering.areInIncreasingOrder)
  }
}

/// The rule by which a search service matches; two services that match differently say so.
public struct SearchMode: Hashable, Sendable {
  /// The rule's name: `title-substring`, or the server's own.
  public let name: String
  /// Whether a server decides what matches.
  public let isDecidedByServer: Bool

  private init(name: String, isDecidedByServer: Bool) {
    self.name = name
    self.isDecidedByServer = isDecidedByServer
  }

  /// The rule of ``CatalogQuery``, over titles that are held.
  public static let titleSubstring = SearchMode(
    name: TitleMatching.titleSubstring.name, isDecidedByServer: false)

  /// A rule that the server decides, called by the server's or the protocol's name.
  public static func serverDefined(_ name: String) -> SearchMode {
    SearchMode(name: name, isDecidedByServer: true)
  }

  /// A named rule over titles that are held.
  public static func local(_ matching: TitleMatching) -> SearchMode {
    SearchMode(name: matching.name, isDecidedByServer: false)
  }
}
