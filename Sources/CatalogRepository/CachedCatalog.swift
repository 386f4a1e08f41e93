public import CatalogDomain
internal import CatalogStore

/// One account's catalog as the cache holds it: what the rest of an app reads through.
///
/// Reads are synchronous and bounded, never touch the network, and never wait for a writer.
public final class CachedCatalog: CatalogReading, Sendable {
  /// Whose catalog.
  public let account: AccountID
  /// Which of the account's catalogs.
  public let name: CatalogName
  /// How old it may be for what.
  public let policy: FreshnessPolicy

  let cache: CatalogCache
  let key: CatalogKey
  let remote: any CatalogFetching
  /// What the last failure asks of loads; nil if the last flight of this handle didn't fail.
  let restraint = Guarded<RefreshRestraint?>(nil)

  init(
    cache: CatalogCache, key: CatalogKey, account: AccountID, name: CatalogName,
    remote: any CatalogFetching, policy: FreshnessPolicy
  ) {
    self.cache = cache
    self.key = key
    self.account = account
    self.name = name
    self.remote = remote
    self.policy = policy
  }

  var store: CatalogStore { cache.store }
  var clock: any WallClock { cache.configuration.clock }

  /// Returns the books that may be served now, by ascending `id`; an empty array means "known to be empty".
  ///
  /// - Throws: `CatalogFailure.unavailable`; ``status()`` says why.
  public func books() throws(CatalogFailure) -> [BookSummary] {
    do throws(CatalogError) {
      return try snapshot().books
    } catch {
      throw .unavailable
    }
  }

  /// Returns the books that may be served now with what is known about them, all of one read transaction.
  ///
  /// - Throws: `CatalogError`: `neverLoaded`; `unavailable` if the policy doesn't let them be served; `revoked`,
  ///   `replaced`, `corrupt`, `busy` and whatever else keeps the cache from being read.
  public func snapshot() throws(CatalogError) -> CatalogSnapshot {
    try snapshot(origin: .saved) { $0.books == .serve }
  }

  /// Returns what may be served by a rule, as coming from somewhere.
  func snapshot(
    origin: CatalogSnapshot.Origin, mayServe: (FreshnessDecision) -> Bool
  ) throws(CatalogError) -> CatalogSnapshot {
    let now = clock.read()
    let view = try store.view(of: key, now: now.wall) { record in
      mayServe(policy.decide(stamp: record.stamp, now: now))
    }
    let status = CatalogStatus(view.record, policy: policy, now: now, isRefreshing: isRefreshing)
    guard let books = view.books else { throw refusal(status) }
    let refusedFrom =
      status.decision.books == .serve ? refusal(of: view.record.stamp, after: status.decision, now: now) : nil
    return CatalogSnapshot(
      books: books, status: status, origin: origin,
      validUntil: [view.nextLoanEnd, refusedFrom].compactMap(\.self).min())
  }

  /// Finds the moment from which the rows may not be served any more, by asking the policy again at each moment
  /// at which it says that its answer changes.
  private func refusal(
    of stamp: CatalogStamp?, after decision: FreshnessDecision, now: ClockReading
  ) -> Timestamp? {
    var reading = now
    var decision = decision
    // The states follow one another: fresh, stale in one window, stale in the other, expired.
    for _ in 0..<4 {
      guard let change = decision.nextChange else { return nil }
      let span = change - reading.wall
      guard span > .zero else { return change }
      reading.wall = change
      reading.continuous += span
      decision = policy.decide(stamp: stamp, now: reading)
      if decision.books == .unavailable { return change }
    }
    return nil
  }

  /// Says how the catalog stands: presence, freshness, and the reason.
  ///
  /// Never throws.
  public func status() -> CatalogStatus {
    let now = clock.read()
    do throws(CatalogError) {
      let view = try store.view(of: key, now: now.wall) { _ in false }
      if view.isBroken {
        return CatalogStatus(
          unreadable: .unreadable(.corrupt), policy: policy, now: now, isRefreshing: isRefreshing)
      }
      return CatalogStatus(view.record, policy: policy, now: now, isRefreshing: isRefreshing)
    } catch {
      return CatalogStatus(
        unreadable: error.code == .revoked ? .revoked : .unreadable(error.code), policy: policy, now: now,
        isRefreshing: isRefreshing)
    }
  }

  /// Whether at least so many callers wait for a refresh of this catalog.
  package func isJoined(by count: Int) -> Bool { cache.flights.waiters(key) >= count }

  var isRefreshing: Bool { cache.flights.isRefreshing(key) }

  /// Returns one book by its `id`; nil if the catalog is known not to hold it.
  ///
  /// - Throws: `CatalogError`, as ``snapshot()``.
  public func entry(id: Int) throws(CatalogError) -> CatalogEntry? {
    let now = clock.read()
    let row = try store.entry(of: key, id: id) { record throws(CatalogError) in
      try requireServable(record, now: now)
    }
    return row.map { Self.judged($0.entry, now.wall) }
  }

  /// Returns one book by what the remote calls it, with its `id`; nil if the catalog is known not to hold it.
  ///
  /// - Throws: `CatalogError`, as ``snapshot()``.
  public func entry(
    identifier: CatalogEntry.Identifier
  ) throws(CatalogError) -> (id: Int, entry: CatalogEntry)? {
    let now = clock.read()
    let row = try store.entry(of: key, identifier: identifier) { record throws(CatalogError) in
      try requireServable(record, now: now)
    }
    return row.map { (Int($0.id), Self.judged($0.entry, now.wall)) }
  }

  /// Returns the ids by which the catalog calls, or will call, what its remote calls so, in the same order.
  ///
  /// For hits of a search on the server, which may be of books that aren't held: a text that was never met gets
  /// an id now, and a refresh that brings the book keeps it. It works whether or not anything may be served.
  ///
  /// - Returns: Nil for one of the cache's own integers, and for a new text in a cache that only reads.
  /// - Throws: `CatalogError` with code `revoked`, `busy`, `diskFull`, or what else keeps the file from being used.
  public func ids(of identifiers: [CatalogEntry.Identifier]) throws(CatalogError) -> [Int?] {
    try store.ids(of: key, identifiers, now: clock.read())
  }

  /// Returns every book with all that is known of it, by ascending `id`.
  ///
  /// - Throws: `CatalogError`, as ``snapshot()``.
  public func entries() throws(CatalogError) -> [(id: Int, entry: CatalogEntry)] {
    let now = clock.read()
    let rows = try store.entries(of: key) { record throws(CatalogError) in
      try requireServable(record, now: now)
    }
    return rows.map { (Int($0.id), Self.judged($0.entry, now.wall)) }
  }

  /// Returns the books whose title matches a text, by the rule of `CatalogQuery`, in an order.
  ///
  /// - Parameters:
  ///   - query: What to look for; the empty text matches every book.
  ///   - ordering: The order; that of `CatalogQuery` unless another is named.
  ///   - limit: How many at most; nil for all.
  /// - Throws: `CatalogFailure.unavailable`; ``status()`` says why.
  public func titles(
    matching query: String, ordering: CatalogOrdering = .borrowedFirst, limit: Int? = nil
  ) throws(CatalogFailure) -> [SearchBook] {
    let matches = TitleMatching.titleSubstring.matcher(for: query)
    let found = try books().filter { matches($0.title) }.sorted(by: ordering.areInIncreasingOrder)
    return found.prefix(max(0, limit ?? found.count)).map { SearchBook(id: $0.id, title: $0.title) }
  }

  /// Applies at once a change of a loan that the server has accepted, durably.
  ///
  /// An answer that was asked for before it doesn't undo it, and the next refresh asks for the whole catalog.
  ///
  /// - Throws: `CatalogError`: `revoked`, `replaced`, `busy`, `diskFull` and the like.
  public func confirm(_ change: ConfirmedChange) async throws(CatalogError) {
    try await store.inBackground { [store, key, clock] () throws(CatalogError) in
      switch change {
      case .borrowed(let id, let end):
        try store.confirm(key, id: id, isBorrowed: true, until: end, now: clock.read())
      case .returned(let id):
        try store.confirm(key, id: id, isBorrowed: false, until: nil, now: clock.read())
      }
    }
  }

  private static func judged(_ entry: CatalogEntry, _ now: Timestamp) -> CatalogEntry {
    var entry = entry
    entry.isBorrowed = entry.isBorrowed(at: now)
    return entry
  }

  private func requireServable(_ record: CatalogRecord, now: ClockReading) throws(CatalogError) {
    let status = CatalogStatus(record, policy: policy, now: now, isRefreshing: false)
    guard record.isLoaded, status.decision.books == .serve else { throw refusal(status) }
  }

  /// Why rows aren't served.
  func refusal(_ status: CatalogStatus) -> CatalogError {
    guard case .loaded = status.presence else {
      return CatalogError(
        .neverLoaded, "Nothing was ever loaded for this account and catalog; refresh it first.")
    }
    return CatalogError(
      .unavailable, "What is held may not be served now. \(status.decision.rule.explanation)")
  }
}
