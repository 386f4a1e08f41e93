public import CatalogDomain

/// A catalog whose books are known, for tests and previews.
public struct FixtureCatalog: CatalogReading, Sendable {
  private let values: [BookSummary]

  /// Creates a catalog that holds just these books, in this order.
  public init(values: [BookSummary]) {
    self.values = values
  }

  /// Returns the books given at creation.
  public func books() throws(CatalogFailure) -> [BookSummary] {
    values
  }
}

/// A catalog that never establishes what it holds.
public struct UnavailableCatalog: CatalogReading, Sendable {
  /// Creates the catalog.
  public init() {}

  /// Fails, always.
  ///
  /// - Throws: ``CatalogFailure/unavailable``.
  public func books() throws(CatalogFailure) -> [BookSummary] {
    throw .unavailable
  }
}
