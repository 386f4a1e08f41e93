public import CatalogDomain

/// A search service whose completions the test fires: in any order, after cancellation, twice, or inside
/// `cancel()`.
///
/// Like the session that it serves, it belongs to one serial executor.
public final class ControlledSearch: BookSearching {
  /// One search that was asked for.
  public final class Request: SearchCancellation {
    /// What was searched for.
    public let query: String
    /// How often the session cancelled this search.
    public private(set) var cancellations = 0
    /// Runs inside `cancel()`, after it was counted.
    public var onCancel: (() -> Void)?
    private let completion: (Result<[SearchBook], SearchFailure>) -> Void

    fileprivate init(
      query: String, completion: @escaping (Result<[SearchBook], SearchFailure>) -> Void
    ) {
      self.query = query
      self.completion = completion
    }

    /// Counts the cancellation, and runs ``onCancel``.
    public func cancel() {
      cancellations += 1
      onCancel?()
    }

    /// Fires the completion, whatever happened to the search before.
    public func complete(_ result: Result<[SearchBook], SearchFailure>) {
      completion(result)
    }
  }

  /// Every search that was asked for, oldest first.
  public private(set) var requests: [Request] = []
  /// Runs inside `search`, before it returns its token; it may fire the completion at once.
  public var onSearch: ((Request) -> Void)?

  /// Creates a service that completes nothing by itself.
  public init() {}

  /// Notes the search and returns it as its own token.
  public func search(
    _ query: String,
    completion: @escaping (Result<[SearchBook], SearchFailure>) -> Void
  ) -> any SearchCancellation {
    let request = Request(query: query, completion: completion)
    requests.append(request)
    onSearch?(request)
    return request
  }
}

/// A search service that completes before `search` returns.
public struct ImmediateSearch: BookSearching {
  private final class Done: SearchCancellation {
    func cancel() {}
  }

  private let answer: (String) -> Result<[SearchBook], SearchFailure>

  /// Creates a service that answers each query by a closure, called on the caller's executor.
  public init(_ answer: @escaping (String) -> Result<[SearchBook], SearchFailure>) {
    self.answer = answer
  }

  /// Completes at once; its token has nothing left to cancel.
  public func search(
    _ query: String,
    completion: @escaping (Result<[SearchBook], SearchFailure>) -> Void
  ) -> any SearchCancellation {
    completion(answer(query))
    return Done()
  }
}
