/// One hit of a search service.
public struct SearchBook: Equatable, Hashable, Sendable {
  /// The book's number within the catalog that was searched.
  public let id: Int
  /// The title exactly as its source gave it.
  public let title: String

  /// Creates a hit.
  public init(id: Int, title: String) {
    self.id = id
    self.title = title
  }
}

/// The one way in which a search fails.
public enum SearchFailure: Error, Equatable, Hashable, Sendable {
  /// The service couldn't find out what matches. This is never the same as "no hits".
  case offline
}

/// A search under way, as its caller sees it.
public protocol SearchCancellation: AnyObject {
  /// Tells the service that nobody waits for the answer any more. Calling it again does nothing.
  func cancel()
}

/// A service that searches for books.
public protocol BookSearching {
  /// Starts a search.
  ///
  /// - Parameters:
  ///   - query: What the reader typed.
  ///   - completion: Called once for each request, on the caller's executor, possibly before this method
  ///     returns. None is owed after ``SearchCancellation/cancel()``, and one that comes all the same must do
  ///     no harm.
  /// - Returns: A token to cancel the search with.
  func search(
    _ query: String,
    completion: @escaping (Result<[SearchBook], SearchFailure>) -> Void
  ) -> any SearchCancellation
}
