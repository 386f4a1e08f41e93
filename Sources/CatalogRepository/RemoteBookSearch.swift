public import CatalogDomain

/// Which source answered a search, by which rule, and why the one that was asked first didn't.
public struct SearchOrigin: Hashable, Sendable {
  /// A source of hits.
  public enum Source: String, Hashable, Sendable {
    /// The server, by its own rule.
    case remote
    /// The books that are held.
    case cache
  }

  /// Who answered.
  public var source: Source
  /// The rule by which the hits match.
  public var mode: SearchMode
  /// Why the server didn't answer; nil if it did.
  public var remoteFailure: CatalogError.Code?

  /// Creates an origin.
  public init(source: Source, mode: SearchMode, remoteFailure: CatalogError.Code? = nil) {
    self.source = source
    self.mode = mode
    self.remoteFailure = remoteFailure
  }
}

/// A search on a server, which falls back to the cache during an outage if that is wanted.
///
/// The two match by different rules, so that an answer always says whose it is:
///
/// ```swift
/// let search = RemoteBookSearch(mode: OPDSSearch.mode, orCached: catalog) { query in
///   try await opds.books(matching: query, ids: catalog.ids)
/// }
/// let service = AsyncBookSearch(search) { origin in caption = origin.source == .cache ? "offline" : "" }
/// ```
public struct RemoteBookSearch: Sendable {
  /// What a search found, and where.
  public struct Answer: Sendable {
    /// The hits, in the order of whoever found them.
    public var books: [SearchBook]
    /// Who found them.
    public var origin: SearchOrigin
  }

  /// The rule by which the server matches.
  public let mode: SearchMode
  private let cached: Cached?
  private let find: @Sendable (String) async throws -> [SearchBook]

  private struct Cached: Sendable {
    var catalog: CachedCatalog
    var limit: Int?
  }

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - mode: The rule by which the server matches.
  ///   - catalog: What is searched during an outage; nil lets the outage be the answer.
  ///   - limit: How many books are wanted of the cache at most; all by default.
  ///   - search: Asks the server.
  public init(
    mode: SearchMode, orCached catalog: CachedCatalog? = nil, limit: Int? = nil,
    _ search: @escaping @Sendable (String) async throws -> [SearchBook]
  ) {
    self.mode = mode
    cached = catalog.map { Cached(catalog: $0, limit: limit) }
    find = search
  }

  /// Returns what the server finds, or during an outage what the cache does.
  ///
  /// - Throws: What the server's search throws, if it is no outage, or nothing may be served of the cache.
  @concurrent public func answer(to query: String) async throws -> Answer {
    do {
      return Answer(books: try await find(query), origin: SearchOrigin(source: .remote, mode: mode))
    } catch let outage as CatalogError where outage.code.isOutage {
      guard let cached else { throw outage }
      let books: [SearchBook]
      do throws(CatalogFailure) {
        books = try cached.catalog.titles(matching: query, limit: cached.limit)
      } catch {
        // The outage is the reason; that nothing may be served besides only adds to it.
        throw outage
      }
      return Answer(
        books: books,
        origin: SearchOrigin(source: .cache, mode: .titleSubstring, remoteFailure: outage.code))
    }
  }
}

extension AsyncBookSearch {
  /// Creates a service over a search that may fall back to the cache; ``mode`` is the server's rule.
  ///
  /// - Parameters:
  ///   - search: The search.
  ///   - pause: How long a search waits before it asks.
  ///   - clock: What the pause is measured by.
  ///   - answered: Is told who answered, just before the completion; never for a search that was cancelled.
  public convenience init(
    _ search: RemoteBookSearch, after pause: Duration = .zero, clock: any WallClock = SystemWallClock(),
    answered: @escaping @MainActor (SearchOrigin) -> Void = { _ in }
  ) {
    self.init(mode: search.mode, pause: pause, clock: clock, answered: answered) { query in
      let answer = try await search.answer(to: query)
      return (answer.books, answer.origin)
    }
  }
}
