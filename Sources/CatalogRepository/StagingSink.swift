internal import CatalogDomain
internal import CatalogStore

/// Takes a remote's answer for one flight: into the store's staging, or, if the remote forbids keeping it, into
/// memory within a bound.
final class StagingSink: FetchSink {
  private enum Phase: Sendable {
    /// The head hasn't come.
    case waiting
    /// Books go into the store's staging.
    case staging(StagedAnswer)
    /// Books stay in memory, and are never written.
    case holding(FetchHead, [CatalogEntry], bytes: Int)
    /// The fetch has ended; what comes late has no effect.
    case closed
  }

  private struct State: Sendable {
    var phase = Phase.waiting
    var progress = RefreshProgress(books: 0, pages: 0, rejected: 0, expectedBooks: nil)
  }

  /// What a fetch has brought.
  enum Answer: Sendable {
    case staged(StagedAnswer)
    case held([CatalogEntry])
    case nothing
  }

  private let store: CatalogStore
  private let memoryLimitInBytes: Int
  private let report: @Sendable (RefreshProgress) -> Void
  private let state = Guarded(State())

  init(
    store: CatalogStore, memoryLimitInBytes: Int, report: @escaping @Sendable (RefreshProgress) -> Void
  ) {
    self.store = store
    self.memoryLimitInBytes = memoryLimitInBytes
    self.report = report
  }

  func begin(_ head: FetchHead) async throws(CatalogError) {
    guard case .waiting = state.withLock({ $0.phase }) else {
      throw CatalogError(.badResponse, "The remote's adapter sent a second head, or one after its end.")
    }
    let next: Phase
    if head.freshness.noStore {
      next = .holding(head, [], bytes: 0)
    } else {
      let staged = try await store.inBackground { [store] () throws(CatalogError) in try store.stage() }
      staged.begin(head)
      next = .staging(staged)
    }
    state.withLock { state in
      state.progress.expectedBooks = head.expectedBooks
      if case .waiting = state.phase { state.phase = next }
    }
  }

  func accept(_ page: FetchPage) async throws(CatalogError) {
    if case .waiting = state.withLock({ $0.phase }) { try await begin(FetchHead()) }
    switch state.withLock({ $0.phase }) {
    case .waiting, .closed:
      throw CatalogError(.cancelled, "The refresh has ended; the page comes too late.")
    case .staging(let staged):
      try await store.inBackground { () throws(CatalogError) in try staged.accept(page) }
    case .holding(let head, let entries, let bytes):
      let added = page.entries.reduce(bytes) { $0 + $1.sizeInBytes }
      guard added <= memoryLimitInBytes else {
        throw CatalogError(
          .tooLarge,
          "The remote forbids storing its answer, and it is over \(memoryLimitInBytes) bytes, "
            + "the bound for answers kept in memory.")
      }
      state.withLock { state in
        if case .holding = state.phase {
          state.phase = .holding(head, entries + page.entries, bytes: added)
        }
      }
    }
    let progress = state.withLock { state in
      state.progress.books += page.entries.count
      state.progress.pages += 1
      state.progress.rejected += page.rejected.count
      return state.progress
    }
    report(progress)
  }

  /// Ends the taking, and returns what was taken.
  func close() -> Answer {
    state.withLock { state in
      defer { state.phase = .closed }
      return switch state.phase {
      case .waiting, .closed: .nothing
      case .staging(let staged): .staged(staged)
      case .holding(_, let entries, _): .held(entries)
      }
    }
  }
}
