public import CatalogDomain

/// A search service over what a cache holds: it answers at once, offline too, and in the order of
/// `CatalogQuery`.
///
/// What isn't available fails as `.offline`; it never looks like "no hits".
public struct CachedBookSearch: BookSearching {
  private final class Done: SearchCancellation {
    func cancel() {}
  }

  private let catalog: CachedCatalog
  private let limit: Int?
  /// The rule by which it matches.
  public let mode = SearchMode.titleSubstring

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - catalog: What is searched.
  ///   - limit: How many hits at most; nil for all.
  public init(_ catalog: CachedCatalog, limit: Int? = nil) {
    self.catalog = catalog
    self.limit = limit
  }

  /// Searches and completes before it returns; the token has nothing left to cancel.
  public func search(
    _ query: String, completion: @escaping (Result<[SearchBook], SearchFailure>) -> Void
  ) -> any SearchCancellation {
    do throws(CatalogFailure) {
      completion(.success(try catalog.titles(matching: query, limit: limit)))
    } catch {
      completion(.failure(.offline))
    }
    return Done()
  }
}
