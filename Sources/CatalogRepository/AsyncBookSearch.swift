public import CatalogDomain

/// A search service over an asynchronous function: one completion for each search, on the main actor, and none
/// after `cancel()`.
@MainActor public final class AsyncBookSearch: @MainActor BookSearching {
  /// The rule by which it matches.
  public let mode: SearchMode
  private let pause: Duration
  private let clock: any WallClock
  private let find: @Sendable (String) async throws -> ([SearchBook], SearchOrigin?)
  private let answered: @MainActor (SearchOrigin) -> Void

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - mode: The rule by which `search` matches.
  ///   - pause: How long a search waits before it asks, so that typing on cancels it before that.
  ///   - clock: What the pause is measured by.
  ///   - search: Finds the books; any error is shown as `.offline`.
  public convenience init(
    mode: SearchMode, after pause: Duration = .zero, clock: any WallClock = SystemWallClock(),
    _ search: @escaping @Sendable (String) async throws -> [SearchBook]
  ) {
    self.init(mode: mode, pause: pause, clock: clock, answered: { _ in }) { (try await search($0), nil) }
  }

  init(
    mode: SearchMode, pause: Duration, clock: any WallClock,
    answered: @escaping @MainActor (SearchOrigin) -> Void,
    _ find: @escaping @Sendable (String) async throws -> ([SearchBook], SearchOrigin?)
  ) {
    self.mode = mode
    self.pause = pause
    self.clock = clock
    self.find = find
    self.answered = answered
  }

  private final class Search: SearchCancellation {
    private var completion: ((Result<[SearchBook], SearchFailure>) -> Void)?
    var task: Task<Void, Never>?

    /// Whether an answer is still wanted.
    var isOpen: Bool { completion != nil }

    init(_ completion: @escaping (Result<[SearchBook], SearchFailure>) -> Void) {
      self.completion = completion
    }

    func cancel() {
      completion = nil
      task?.cancel()
      task = nil
    }

    func complete(_ result: Result<[SearchBook], SearchFailure>) {
      // Taken before it is called, so that a second answer, or one after `cancel()`, finds nothing to call.
      let completion = self.completion
      cancel()
      completion?(result)
    }
  }

  /// Starts a search; the completion comes later, on the main actor.
  public func search(
    _ query: String, completion: @escaping (Result<[SearchBook], SearchFailure>) -> Void
  ) -> any SearchCancellation {
    let search = Search(completion)
    search.task = Task { [find, pause, clock, answered] in
      do {
        if pause > .zero { try await clock.sleep(for: pause) }
        let (books, origin) = try await find(query)
        if search.isOpen, let origin { answered(origin) }
        search.complete(.success(books))
      } catch {
        search.complete(.failure(.offline))
      }
    }
    return search
  }
}
