/// The one way in which reading a catalog fails.
public enum CatalogFailure: Error, Equatable, Hashable, Sendable {
  /// The source has not established what the catalog holds. This is never the same as "no books".
  case unavailable
}

/// A source of a catalog's books.
///
/// Nothing else is required of a conformer, so a fixture, a server's list and a cache on disk can stand in
/// for one another under ``CatalogQuery``.
public protocol CatalogReading {
  /// Returns every book of the catalog, in no promised order; an empty array means "known to be empty".
  ///
  /// - Returns: The books, each `id` at most once.
  /// - Throws: ``CatalogFailure/unavailable`` if the source hasn't established what the catalog holds.
  func books() throws -> [BookSummary]
}
