public import CatalogDomain
internal import CatalogStore

extension CachedCatalog {
  /// Asks the remote, and stores what it answers.
  ///
  /// Callers of the same catalog and remote share one request. If one of them is cancelled the others go on; the
  /// last to leave cancels the request.
  ///
  /// - Parameters:
  ///   - mode: How to ask.
  ///   - progress: Told how far it has come, in the caller's own context; not every step.
  /// - Throws: `CatalogError`: why it failed; then nothing was changed, but for a note of the failure.
  @discardableResult
  public nonisolated(nonsending) func refresh(
    _ mode: RefreshMode = .always, progress: (RefreshProgress) -> Void = { _ in }
  ) async throws(CatalogError) -> RefreshOutcome {
    if mode == .ifNeeded {
      let status = status()
      if case .loaded = status.presence, status.decision.freshness == .fresh, !areRowsDamaged() {
        return .notNeeded
      }
    }
    return try await fly(isForced: mode == .forced, progress: progress).outcome
  }

  /// Returns the books, as fresh as is needed.
  ///
  /// Where what is held is served and refreshed behind, a remote that failed is left alone for half a minute, and
  /// for an hour if it refused who asks. One that asked to be left alone (`Retry-After`) is, by every load of this
  /// handle, for up to a day. ``refresh(_:progress:)`` asks all the same.
  ///
  /// - Parameter need: As fresh as the policy asks, or fresh.
  /// - Returns: The books; `origin` says where they came from, and if a refresh failed, which failure.
  /// - Throws: `CatalogError`: why there is nothing to show.
  public nonisolated(nonsending) func load(
    _ need: LoadNeed = .freshEnough
  ) async throws(CatalogError) -> CatalogSnapshot {
    let status = status()
    switch status.presence {
    case .revoked, .unreadable(.replaced), .unreadable(.locked): return try snapshot()
    default: break
    }
    let decision = status.decision
    let mayServeStale: Bool
    switch (need, decision.load) {
    case (.freshEnough, .serve), (.fresh, .serve):
      if let saved = try savedIfServable() { return saved }
      mayServeStale = false
    case (.freshEnough, .serveAndRefresh):
      if let saved = try savedIfServable() {
        refreshBehind()
        return saved
      }
      mayServeStale = false
    case (.freshEnough, .refreshFirst(let allowed)):
      mayServeStale = allowed
    case (.fresh, .serveAndRefresh), (.fresh, .refreshFirst):
      mayServeStale = false
    }

    let result: FlightResult
    do throws(CatalogError) {
      if let standing = restraint.withLock({ $0 })?.standing(at: clock.read()) { throw standing }
      result = try await fly(isForced: false) { _ in }
    } catch {
      guard mayServeStale, error.code.isOutage else { throw error }
      // The rows may have become too old, or gone, while the remote was waited for: then its failure says more.
      do throws(CatalogError) {
        return try snapshot(origin: .savedAfter(error)) { $0.books == .serve }
      } catch let second {
        throw second.code == .revoked ? second : error
      }
    }
    switch result.outcome {
    case .updated, .notModified:
      // What was just validated may be shown once even if it may not be kept fresh for a moment (RFC 9111 §4).
      return try snapshot(origin: .refreshed) { _ in true }
    case .notStored(let code):
      return heldSnapshot(result.held ?? [], code)
    case .notNeeded, .superseded:
      return try snapshot()
    }
  }

  /// What is held, or nil if it has to be fetched after all: its rows are damaged, or it has been discarded or
  /// become too old since the policy was asked.
  private func savedIfServable() throws(CatalogError) -> CatalogSnapshot? {
    do throws(CatalogError) {
      return try snapshot()
    } catch {
      guard [.corrupt, .neverLoaded, .unavailable].contains(error.code) else { throw error }
      return nil
    }
  }

  /// Starts a refresh that goes on with nobody waiting for it.
  private func refreshBehind() {
    if restraint.withLock({ $0 })?.restrainsBackground(at: clock.read()) == true { return }
    while true {
      let (flight, isNew) = joinableFlight(isForced: false)
      if flight.keep() {
        if isNew { start(flight) }
        return
      }
      // The last who waited has just left, and it is being cancelled: have one of one's own.
      cache.flights.remove(flight, flightKey)
    }
  }

  private func heldSnapshot(_ entries: [CatalogEntry], _ code: CatalogError.Code) -> CatalogSnapshot {
    let now = clock.read()
    var nextTextID = CatalogEntry.reservedIDs.lowerBound
    var seen: Set<CatalogEntry.Identifier> = []
    var books: [BookSummary] = []
    for entry in entries where seen.insert(entry.identifier).inserted {
      let id: Int
      switch entry.identifier {
      case .number(let number): id = number
      case .text:
        id = nextTextID
        nextTextID += 1
      }
      books.append(BookSummary(id: id, title: entry.title, isBorrowed: entry.isBorrowed(at: now.wall)))
    }
    return CatalogSnapshot(
      books: books.sorted { $0.id < $1.id }, status: status(), origin: .notStored(code), validUntil: now.wall)
  }

  /// Whether reading the rows shows that they aren't what was written.
  private func areRowsDamaged() -> Bool {
    do throws(CatalogError) {
      _ = try snapshot()
      return false
    } catch {
      return error.code == .corrupt
    }
  }

  // MARK: Flights

  private var flightKey: FlightTable.Key {
    // A remote that is an object is told from others by itself, any other by the handle it was given to.
    let isObject = type(of: remote as Any) is AnyClass
    return FlightTable.Key(
      catalog: key, remote: isObject ? ObjectIdentifier(remote as AnyObject) : ObjectIdentifier(self))
  }

  private func joinableFlight(isForced: Bool) -> (flight: Flight, isNew: Bool) {
    cache.flights.flight(
      flightKey, isForced: isForced,
      isOutdated: { ticket in
        do throws(CatalogError) {
          return try store.isSuperseded(ticket)
        } catch {
          // Whatever is wrong, a flight of one's own finds out and says so.
          return true
        }
      }, make: { Flight(isForced: isForced) })
  }

  private nonisolated(nonsending) func fly(
    isForced: Bool, progress: (RefreshProgress) -> Void
  ) async throws(CatalogError) -> FlightResult {
    while true {
      guard !Task.isCancelled else { throw Self.cancelled }
      let (flight, isNew) = joinableFlight(isForced: isForced)
      guard let events = flight.join() else {
        // The last who waited has just left, and it is being cancelled: have one of one's own.
        cache.flights.remove(flight, flightKey)
        continue
      }
      if isNew { start(flight) }
      for await event in events {
        switch event {
        case .progress(let step): progress(step)
        case .finished(let result):
          // Cancelled by others who waited and left, not by this caller.
          if case .failure(let error) = result, error.code == .cancelled, !isNew, !Task.isCancelled { break }
          return try result.get()
        }
      }
      guard !Task.isCancelled, !isNew else { throw Self.cancelled }
    }
  }

  private static let cancelled = CatalogError(.cancelled, "The refresh was cancelled; nothing was changed.")

  private func start(_ flight: Flight) {
    let key = flightKey
    store.changes.signal()
    flight.start(
      Task {
        let result: Result<FlightResult, CatalogError>
        do throws(CatalogError) {
          result = .success(try await perform(flight))
          restraint.withLock { $0 = nil }
        } catch {
          result = .failure(error)
          if error.code != .cancelled {
            let reading = clock.read()
            restraint.withLock { $0 = RefreshRestraint(after: error, at: reading) }
          }
        }
        cache.flights.remove(flight, key)
        let wasHeard = flight.finish(result)
        if case .failure(let error) = result, !wasHeard, error.code != .cancelled {
          cache.configuration.observe?(.backgroundRefreshFailed(error))
        }
        store.changes.signal()
      })
  }

  /// One flight: a small write, the fetch, the commit; and once more, unconditionally, if "not modified" was said
  /// of rows that are gone.
  private func perform(_ flight: Flight) async throws(CatalogError) -> FlightResult {
    if let result = try await attempt(flight, unconditional: flight.isForced) { return result }
    if let result = try await attempt(flight, unconditional: true) { return result }
    throw CatalogError(
      .badResponse, "The remote answers \"not modified\" to a request that asked for the whole catalog.")
  }

  private func attempt(
    _ flight: Flight, unconditional: Bool
  ) async throws(CatalogError) -> FlightResult? {
    let (store, key, policy, clock) = (store, key, policy, clock)
    let ticket = try await store.inBackground { () throws(CatalogError) in
      try store.begin(key, unconditional: unconditional, policy: policy, now: clock.read())
    }
    flight.began(ticket)
    let sink = StagingSink(
      store: store, memoryLimitInBytes: cache.configuration.memoryLimitInBytes
    ) { flight.report($0) }
    do throws(CatalogError) {
      let conclusion = try await remote.fetch(
        FetchRequest(
          account: account, catalog: name, validators: ticket.validators, languages: cache.languages),
        into: sink)
      let answer = sink.close()
      guard !Task.isCancelled else { throw Self.cancelled }
      return try await store.inBackground { () throws(CatalogError) in
        try Self.commit(answer, conclusion, ticket, store: store, clock: clock)
      }
    } catch {
      _ = sink.close()
      if Task.isCancelled { throw Self.cancelled }
      try await noteFailure(error, ticket)
      throw error
    }
  }

  private func noteFailure(_ error: CatalogError, _ ticket: Ticket) async throws(CatalogError) {
    let aboutOurselves: [CatalogError.Code] = [
      .cancelled, .revoked, .replaced, .superseded, .tooNew, .locked,
    ]
    guard !aboutOurselves.contains(error.code) else { return }
    let (store, clock) = (store, clock)
    do throws(CatalogError) {
      try await store.inBackground { () throws(CatalogError) in
        try store.noteFailure(error.code, of: ticket, now: clock.read())
      }
    } catch {
      // A disk that is full or a file that is damaged can't take the note; the failure itself is what matters.
      guard error.code == .revoked || error.code == .replaced else { return }
      throw error
    }
  }

  private static func commit(
    _ answer: StagingSink.Answer, _ conclusion: FetchConclusion, _ ticket: Ticket, store: CatalogStore,
    clock: any WallClock
  ) throws(CatalogError) -> FlightResult? {
    switch (conclusion, answer) {
    case (.notModified(let head), _) where head.freshness.noStore:
      let outcome = try store.commitNotStored(ticket, now: clock.read())
      return FlightResult(outcome: outcome.isSuperseded ? .superseded : .notStored(.notStored))
    case (.notModified(let head), _):
      switch try store.commitNotModified(ticket, head: head, now: clock.read()) {
      case .notModified, .updated: return FlightResult(outcome: .notModified)
      case .superseded: return FlightResult(outcome: .superseded)
      case .needsUnconditional: return nil
      }
    case (_, .held(let entries)):
      let outcome = try store.commitNotStored(ticket, now: clock.read())
      return outcome.isSuperseded
        ? FlightResult(outcome: .superseded)
        : FlightResult(outcome: .notStored(.notStored), held: entries)
    case (.complete, .staged(let staged)):
      return try commit(staged, partialReason: nil, ticket, store: store, clock: clock)
    case (.partial(let reason), .staged(let staged)):
      return try commit(staged, partialReason: reason, ticket, store: store, clock: clock)
    case (.complete, .nothing), (.partial, .nothing):
      throw CatalogError(.badResponse, "The remote's adapter ended without the head of an answer.")
    }
  }

  private static func commit(
    _ staged: StagedAnswer, partialReason: String?, _ ticket: Ticket, store: CatalogStore,
    clock: any WallClock
  ) throws(CatalogError) -> FlightResult {
    let outcome = try store.commit(
      staged, ticket, isComplete: partialReason == nil, now: clock.read())
    switch outcome {
    case .notModified: return FlightResult(outcome: .notModified)
    case .superseded, .needsUnconditional: return FlightResult(outcome: .superseded)
    case .updated(let counts):
      let taken = staged.counts
      let lostItems = staged.hasUnreadableIdentifier
      return FlightResult(
        outcome: .updated(
          RefreshSummary(
            added: counts.added, changed: counts.changed, removed: counts.removed, total: counts.total,
            repeated: taken.repeated, isComplete: partialReason == nil && !lostItems,
            partialReason: partialReason
              ?? (lostItems ? "An item's identifier couldn't be read, so no row is known to be gone." : nil),
            rejectedCount: taken.rejected, rejected: staged.rejected)))
    }
  }
}

extension CommitOutcome {
  fileprivate var isSuperseded: Bool {
    if case .superseded = self { return true }
    return false
  }
}
