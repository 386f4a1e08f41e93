internal import CatalogDomain
internal import CatalogStore

/// What a flight comes to.
struct FlightResult: Sendable {
  var outcome: RefreshOutcome
  /// The books of an answer that may not be stored.
  var held: [CatalogEntry]?
}

/// One refresh on its way, shared by everybody who waits for it.
final class Flight: Sendable {
  enum Event: Sendable {
    case progress(RefreshProgress)
    case finished(Result<FlightResult, CatalogError>)
  }

  private struct State: Sendable {
    var waiters: [Int: AsyncStream<Event>.Continuation] = [:]
    var lastWaiter = 0
    var ticket: Ticket?
    var task: Task<Void, Never>?
    var result: Result<FlightResult, CatalogError>?
    /// Whether it was begun behind a `load`, so that it goes on with nobody waiting.
    var isKept = false
    var isAbandoned = false
  }

  let isForced: Bool
  private let state = Guarded(State())

  init(isForced: Bool) {
    self.isForced = isForced
  }

  /// When it began, once that is written.
  var ticket: Ticket? { state.withLock { $0.ticket } }

  var waiterCount: Int { state.withLock { $0.waiters.count } }

  func began(_ ticket: Ticket) {
    state.withLock { $0.ticket = ticket }
  }

  func start(_ task: Task<Void, Never>) {
    let isAbandoned = state.withLock { state in
      state.task = task
      return state.isAbandoned
    }
    if isAbandoned { task.cancel() }
  }

  /// Lets it go on with nobody waiting.
  ///
  /// - Returns: Whether it does; not if it is being given up already.
  func keep() -> Bool {
    state.withLock { state in
      if !state.isAbandoned { state.isKept = true }
      return state.isKept
    }
  }

  /// Joins those who wait; nil if the last of them has left, or it has been cancelled.
  func join() -> AsyncStream<Event>? {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(1))
    let number: Int? = state.withLock { state in
      guard !state.isAbandoned else { return nil }
      state.lastWaiter += 1
      if let result = state.result {
        continuation.yield(.finished(result))
        continuation.finish()
      } else {
        state.waiters[state.lastWaiter] = continuation
      }
      return state.lastWaiter
    }
    guard let number else { return nil }
    continuation.onTermination = { [weak self] _ in self?.leave(number) }
    return stream
  }

  private func leave(_ number: Int) {
    let task: Task<Void, Never>? = state.withLock { state in
      guard state.waiters.removeValue(forKey: number) != nil, state.waiters.isEmpty, !state.isKept,
        state.result == nil
      else { return nil }
      state.isAbandoned = true
      return state.task
    }
    task?.cancel()
  }

  /// Gives it up, whoever waits.
  func cancel() {
    let task = state.withLock { state in
      state.isAbandoned = true
      return state.task
    }
    task?.cancel()
  }

  func report(_ progress: RefreshProgress) {
    let waiters = state.withLock { Array($0.waiters.values) }
    for waiter in waiters { waiter.yield(.progress(progress)) }
  }

  /// Ends it, and tells everybody who waits.
  ///
  /// - Returns: Whether anybody was told.
  func finish(_ result: Result<FlightResult, CatalogError>) -> Bool {
    let waiters = state.withLock { state in
      state.result = result
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters {
      waiter.yield(.finished(result))
      waiter.finish()
    }
    return !waiters.isEmpty
  }
}

/// The flights of one database in this process: callers of the same catalog and remote share one.
final class FlightTable: Sendable {
  struct Key: Hashable, Sendable {
    let catalog: CatalogKey
    let remote: ObjectIdentifier
  }

  private let flights = Guarded<[Key: [Flight]]>([:])

  static func shared(for store: CatalogStore) -> FlightTable {
    store.companion { FlightTable() }
  }

  /// Returns a flight that may be joined, or makes one with `make`.
  ///
  /// - Parameters:
  ///   - isForced: A forced refresh never joins an unforced one.
  ///   - isOutdated: Tells whether an invalidation or an answer has superseded a flight.
  func flight(
    _ key: Key, isForced: Bool, isOutdated: (Ticket) -> Bool, make: () -> Flight
  ) -> (flight: Flight, isNew: Bool) {
    // Looked at outside the lock, since it reads the database; what is found may be outdated a moment later,
    // which is no worse than an invalidation that comes a moment after a flight has begun.
    let candidates = flights.withLock { $0[key] ?? [] }
    let joinable = candidates.last { flight in
      (!isForced || flight.isForced) && !(flight.ticket.map(isOutdated) ?? false)
    }
    if let joinable { return (joinable, false) }
    return flights.withLock { flights in
      // Somebody else may have made one meanwhile.
      if let raced = flights[key]?.last(where: { flight in
        (!isForced || flight.isForced) && !candidates.contains { $0 === flight }
      }) {
        return (raced, false)
      }
      let made = make()
      flights[key, default: []].append(made)
      return (made, true)
    }
  }

  func remove(_ flight: Flight, _ key: Key) {
    flights.withLock { flights in
      flights[key]?.removeAll { $0 === flight }
      if flights[key]?.isEmpty == true { flights[key] = nil }
    }
  }

  /// Whether a catalog is being refreshed.
  func isRefreshing(_ catalog: CatalogKey) -> Bool {
    flights.withLock { flights in flights.keys.contains { $0.catalog == catalog } }
  }

  /// How many callers wait for a refresh of a catalog.
  func waiters(_ catalog: CatalogKey) -> Int {
    let affected = flights.withLock { flights in
      flights.filter { $0.key.catalog == catalog }.flatMap(\.value)
    }
    return affected.reduce(0) { $0 + $1.waiterCount }
  }

  /// Gives up every flight of a catalog.
  func cancel(_ catalog: CatalogKey) {
    let affected = flights.withLock { flights in
      flights.filter { $0.key.catalog == catalog }.flatMap(\.value)
    }
    for flight in affected { flight.cancel() }
  }
}
