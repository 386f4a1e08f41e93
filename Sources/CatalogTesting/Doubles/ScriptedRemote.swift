public import CatalogDomain

/// A remote that answers as a test says: in order, counted, and held at a gate if need be.
///
/// It keeps the real rules: one head before the pages, a matching validator is answered "not modified", and a
/// cancelled caller gets ``CatalogError/Code/cancelled``. A call for which nothing was scripted
/// is reported to `onUnscripted`, where a test records its failure.
public final class ScriptedRemote: CatalogFetching {
  /// A place in an answer at which calls can be held.
  public enum Gate: Hashable, Sendable {
    /// The request has arrived; nothing was answered.
    case beforeAnswer
    /// The head and the pages before this one, counted from zero, were given to the sink.
    case beforePage(Int)
    /// Every page was given to the sink.
    case beforeConclusion
  }

  private struct State {
    var script: [ScriptedAnswer] = []
    var standing: ScriptedAnswer?
    var requests: [FetchRequest] = []
    var isOffline = false
    var honoursValidators: Bool
    var gate: Gate?
    /// The calls, by number, that wait at the gate.
    var held: Set<Int> = []

    mutating func nextAnswer() -> ScriptedAnswer? {
      script.isEmpty ? standing : script.removeFirst()
    }
  }

  private let state: Serialized<State>
  private let onUnscripted: @Sendable (FetchRequest) -> Void

  /// Creates a remote without answers.
  ///
  /// - Parameters:
  ///   - answers: The first answers.
  ///   - honoursValidators: Whether a request that brings an answer's own validators gets "not modified".
  ///   - onUnscripted: Told of a call for which nothing was scripted; in a test it records an issue.
  public init(
    _ answers: ScriptedAnswer..., honoursValidators: Bool = true,
    onUnscripted: @escaping @Sendable (FetchRequest) -> Void
  ) {
    state = Serialized(State(script: answers, honoursValidators: honoursValidators))
    self.onUnscripted = onUnscripted
  }

  /// Returns a remote that gives the same books to every call, until told otherwise.
  public static func always(_ entries: [CatalogEntry], head: FetchHead = FetchHead()) -> ScriptedRemote {
    let remote = ScriptedRemote { _ in }
    remote.always(.entries(entries, head: head))
    return remote
  }

  // MARK: The script

  /// Adds answers, each for one call, after those that are left.
  public func script(_ answers: ScriptedAnswer...) {
    state.update { $0.script += answers }
  }

  /// Gives an answer to every call that no answer of the script is left for.
  public func always(_ answer: ScriptedAnswer) {
    state.update { $0.standing = answer }
  }

  /// Whether every call fails as one without a connection does; it takes no answer from the script.
  public var isOffline: Bool {
    get { state.read { $0.isOffline } }
    set { state.update { $0.isOffline = newValue } }
  }

  /// Whether a request that brings an answer's own validators gets "not modified".
  public var honoursValidators: Bool {
    get { state.read { $0.honoursValidators } }
    set { state.update { $0.honoursValidators = newValue } }
  }

  // MARK: What was asked

  /// Every request that arrived, oldest first; failed, held and unscripted ones too.
  public var requests: [FetchRequest] {
    state.read { $0.requests }
  }

  /// How many requests arrived.
  public var calls: Int {
    state.read { $0.requests.count }
  }

  /// Waits until at least so many requests have arrived.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile.
  public func waitForCalls(_ count: Int = 1) async throws(CancellationError) {
    try await state.wait { $0.requests.count >= count }
  }

  // MARK: The gate

  /// Holds the calls that come to a gate from now on; there is one gate at a time.
  public func hold(_ gate: Gate = .beforeAnswer) {
    state.update { $0.gate = gate }
  }

  /// Waits until at least so many calls wait at the gate.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile.
  public func waitUntilHeld(_ count: Int = 1) async throws(CancellationError) {
    try await state.wait { $0.held.count >= count }
  }

  /// Opens the gate, and lets every call go on that waits at it.
  public func release() {
    state.update { state in
      state.gate = nil
      state.held = []
    }
  }

  /// Lets one call go on, by its place in ``requests``; the gate stays shut for the others.
  ///
  /// A call that doesn't wait at the gate isn't changed by it.
  public func release(call: Int) {
    state.update { _ = $0.held.remove(call) }
  }

  // MARK: The port

  /// Answers as scripted.
  @concurrent public func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    let (call, answer) = state.update { state in
      state.requests.append(request)
      return (state.requests.count - 1, state.isOffline ? nil : state.nextAnswer())
    }
    try await pass(.beforeAnswer, call)
    // The network may have gone, or come back, while the call was held.
    let (isOffline, late) = state.update { state in
      (state.isOffline, state.isOffline || answer != nil ? nil : state.nextAnswer())
    }
    if isOffline { throw CatalogError(.offline, "The scripted remote is offline; set isOffline to false.") }
    guard let answer = answer ?? late else {
      onUnscripted(request)
      throw CatalogError(
        .unavailable, "Call \(call + 1) of the scripted remote has no answer; script one for it.")
    }
    switch answer.resolved(for: request) {
    case .failure(let error): throw error
    case .notModified(let head): return .notModified(head)
    case .books(let pages, let head, let conclusion):
      if honoursValidators, let held = request.validators, held == head.validators {
        return .notModified(head)
      }
      try await sink.begin(head)
      for (number, page) in pages.enumerated() {
        try await pass(.beforePage(number), call)
        try await sink.accept(page)
      }
      try await pass(.beforeConclusion, call)
      return conclusion
    }
  }

  private func pass(_ gate: Gate, _ call: Int) async throws(CatalogError) {
    let isHeld = state.update { state in
      guard state.gate == gate else { return false }
      state.held.insert(call)
      return true
    }
    do {
      if isHeld { try await state.wait { !$0.held.contains(call) } }
      guard !Task.isCancelled else { throw CancellationError() }
    } catch {
      state.update { _ = $0.held.remove(call) }
      throw CatalogError(.cancelled, "The caller gave up; nothing more was fetched.", cause: error)
    }
  }
}
