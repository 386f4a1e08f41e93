import CatalogDomain
import CatalogRepository
import CatalogTesting
import Testing

/// The cache and the model of it, side by side: each operation is done to both and what they say is compared.
final class ModelWorld {
  struct Key: Hashable {
    var account: AccountID
    /// Which of its sign-ins.
    var signIn: Int
    var name: CatalogName
  }

  struct Flight {
    var task: Task<CatalogModel.Outcome, Never>
    var remote: ScriptedRemote
    var ticket: CatalogModel.Ticket
    var answer: PlannedAnswer
    var second: PlannedAnswer
  }

  final class Handle {
    let catalog: CachedCatalog
    let key: Key
    let remote: SwitchRemote
    var flight: Flight?
    /// Whether its cache was closed.
    var isClosed = false

    init(_ catalog: CachedCatalog, _ key: Key, _ remote: SwitchRemote) {
      (self.catalog, self.key, self.remote) = (catalog, key, remote)
    }
  }

  static let accounts: [AccountID] = ["ada", "ben", "cyd"]
  static let names: [CatalogName] = [.main, "shelf"]

  let workspace: Workspace
  var cache: CatalogCache
  var models: [Key: CatalogModel] = [:]
  var signIns: [AccountID: Int] = [:]
  var handles: [Handle] = []
  var lastAnswers: [Key: PlannedAnswer] = [:]
  var revisions: [Key: (store: UInt64, model: Int)] = [:]
  /// How many flights came to what, so that a run is known to have met everything.
  var outcomes: [String: Int] = [:]
  private var number = 0
  /// What is being done, for messages.
  var label = ""

  init() throws {
    workspace = try Workspace()
    cache = try workspace.open()
  }

  var now: ClockReading { workspace.clock.read() }

  func next() -> Int {
    number += 1
    return number
  }

  /// Lets every model know what time it is.
  func see(isNoted: Bool) {
    for key in models.keys { models[key]?.see(now.wall, isNoted: isNoted) }
  }

  /// What the store has kept of the wall times seen, by catalog.
  func kept() throws -> [Key: Timestamp] {
    var kept: [Key: Timestamp] = [:]
    for catalog in try cache.inspect().catalogs {
      guard let signIn = signIns[catalog.account] else {
        Issue.record("\(label): an account that was forgotten is in the cache.")
        continue
      }
      let key = Key(account: catalog.account, signIn: signIn, name: catalog.name)
      kept[key] = catalog.stamp?.latestWallSeen
      let model = models[key]
      #expect(catalog.policy == model?.policy ?? .standard, "\(label)")
      guard let seen = catalog.stamp?.latestWallSeen, let latest = model?.latestSeen,
        let noted = model?.latestNoted
      else {
        #expect(model?.stamp == nil, "\(label): no wall time was kept.")
        continue
      }
      // Small steps aren't written down.
      #expect(
        seen <= latest && seen >= noted + .seconds(-30), "\(label): \(seen) isn't in \(noted) to \(latest).")
    }
    return kept
  }

  // MARK: Handles

  func register(_ account: AccountID, _ name: CatalogName, _ policy: FreshnessPolicy) throws {
    let remote = SwitchRemote()
    let catalog = try cache.catalog(name, for: account, remote: remote, policy: policy)
    if signIns[account] == nil { signIns[account] = next() }
    guard let signIn = signIns[account] else { return }
    let key = Key(account: account, signIn: signIn, name: name)
    if models[key] == nil { models[key] = CatalogModel(number: next()) }
    handles.append(Handle(catalog, key, remote))
  }

  // MARK: Flights

  func begin(_ handle: Handle, isForced: Bool, _ answer: PlannedAnswer, _ second: PlannedAnswer) async throws
  {
    let remote = ScriptedRemote(answer.scripted, second.scripted) { _ in
      Issue.record("The remote was asked once too often.")
    }
    remote.hold(.beforeAnswer)
    await handle.remote.use(remote)
    let catalog = handle.catalog
    let kept = try kept()
    let task = Task { () -> CatalogModel.Outcome in
      do throws(CatalogError) {
        return .init(try await catalog.refresh(isForced ? .forced : .always))
      } catch {
        return .failed(error.code)
      }
    }
    guard models[handle.key] != nil, !handle.isClosed else {
      let outcome = await task.value
      #expect(outcome == .failed(handle.isClosed ? .unavailable : .revoked), "\(label)")
      return
    }
    try await remote.waitUntilHeld()
    see(isNoted: true)
    let ticket = models[handle.key]?.begin(
      next(), unconditional: isForced, policy: catalog.policy, now: now, keeping: kept[handle.key])
    guard let ticket else { return }
    #expect(remote.requests.last?.validators == ticket.validators, "\(label)")
    handle.flight = Flight(task: task, remote: remote, ticket: ticket, answer: answer, second: second)
  }

  func finish(_ handle: Handle) async throws {
    guard let flight = handle.flight else { return }
    let kept = try kept()
    flight.remote.release()
    let outcome = await flight.task.value
    handle.flight = nil
    let expected = expectation(handle, flight, kept)
    #expect(outcome == expected, "\(label)")
    let name =
      switch outcome {
      case .updated: "updated"
      case .notModified: "notModified"
      case .superseded: "superseded"
      case .failed(.revoked): "revoked"
      case .failed(.unavailable): "closed"
      case .failed, .again: "failed"
      }
    outcomes[name, default: 0] += 1
    if flight.remote.calls > 1 { outcomes["asked twice", default: 0] += 1 }
  }

  func cancel(_ handle: Handle) async {
    guard let flight = handle.flight else { return }
    flight.task.cancel()
    let outcome = await flight.task.value
    flight.remote.release()
    handle.flight = nil
    #expect(outcome == .failed(.cancelled), "\(label)")
  }

  private func expectation(_ handle: Handle, _ flight: Flight, _ kept: [Key: Timestamp])
    -> CatalogModel.Outcome
  {
    let answer = flight.answer.resolved(for: flight.ticket.validators)
    guard models[handle.key] != nil || handle.isClosed else { return .failed(.revoked) }
    if handle.isClosed {
      if case .failure(let code) = answer { return .failed(code) }
      return .failed(.unavailable)
    }
    let outcome = apply(answer, flight.ticket, handle)
    guard outcome == .again, var model = models[handle.key] else { return outcome }
    let ticket = model.begin(
      next(), unconditional: true, policy: handle.catalog.policy, now: now, keeping: kept[handle.key])
    models[handle.key] = model
    return apply(flight.second.resolved(for: nil), ticket, handle)
  }

  private func apply(
    _ answer: PlannedAnswer, _ ticket: CatalogModel.Ticket, _ handle: Handle
  ) -> CatalogModel.Outcome {
    guard var model = models[handle.key] else { return .failed(.revoked) }
    let outcome: CatalogModel.Outcome
    switch answer {
    case .failure(let code): outcome = model.fail(ticket, code, at: now.wall)
    case .notModified(let head): outcome = model.notModified(ticket, head, number: next())
    case .books(let pages, let head, let isComplete):
      outcome = model.answer(
        ticket, pages, head, claimsComplete: isComplete, number: next(), now: now.wall)
      if outcome != .superseded { lastAnswers[handle.key] = answer }
    }
    models[handle.key] = model
    switch outcome {
    case .updated, .notModified: see(isNoted: true)
    case .superseded, .failed, .again: see(isNoted: false)
    }
    return outcome
  }

  // MARK: Decisions

  func selected(_ selection: ModelSelection, _ kept: [Key: Timestamp]) -> [Key] {
    models.keys.filter { key in
      guard let model = models[key] else { return false }
      return switch selection {
      case .everything: true
      case .account(let account): key.account == account
      case .catalog(let name, let account): key.account == account && key.name == name
      case .validated(let moment): model.stamp.map { $0.validatedAt.wall < moment } ?? false
      case .expired:
        model.stamp != nil
          && (model.policy ?? .standard).decide(stamp: model.stamp(keeping: kept[key]), now: now).freshness
            == .expired
      }
    }
  }

  func invalidate(_ selection: ModelSelection, discards: Bool) async throws {
    let keys = selected(selection, try kept())
    let report =
      discards
      ? try await cache.discard(selection.stored) : try await cache.markStale(selection.stored)
    #expect(report.catalogs == keys.count, "\(label)")
    #expect(report.accounts == Set(keys.map(\.account)).count, "\(label)")
    #expect(report.books == keys.reduce(0) { $0 + (models[$1]?.books.count ?? 0) }, "\(label)")
    for key in keys {
      if discards { models[key]?.discard(number: next()) } else { models[key]?.markStale(number: next()) }
    }
  }

  func forget(_ account: AccountID) async throws {
    let keys = models.keys.filter { $0.account == account }
    let report = try await cache.forget(account)
    #expect(report.accounts == (signIns[account] == nil ? 0 : 1), "\(label)")
    #expect(report.catalogs == keys.count, "\(label)")
    #expect(report.books == keys.reduce(0) { $0 + (models[$1]?.books.count ?? 0) }, "\(label)")
    for key in keys { models[key] = nil }
    signIns[account] = nil
  }

  func confirm(_ handle: Handle, _ id: Int, until: Timestamp?, isReturned: Bool) async throws {
    do throws(CatalogError) {
      try await handle.catalog.confirm(isReturned ? .returned(id: id) : .borrowed(id: id, until: until))
      #expect(models[handle.key] != nil, "\(label): a dead handle confirmed.")
    } catch {
      #expect(models[handle.key] == nil && error.code == .revoked, "\(label): \(error)")
    }
    models[handle.key]?.confirm(
      id: id, isBorrowed: !isReturned, until: isReturned ? nil : until, number: next())
  }

  /// Closes the cache and opens it again: handles are made anew, and what is in flight can't land.
  func reopen() throws {
    try cache.close()
    see(isNoted: true)
    cache = try workspace.open()
    let old = handles
    handles = old.filter { $0.flight != nil }
    for handle in handles { handle.isClosed = true }
    for handle in old where models[handle.key] != nil {
      try register(handle.key.account, handle.key.name, handle.catalog.policy)
    }
  }
}

/// What an invalidation is about, as the model understands it.
enum ModelSelection {
  case everything, expired
  case account(AccountID)
  case catalog(CatalogName, AccountID)
  case validated(before: Timestamp)

  var stored: CacheSelection {
    switch self {
    case .everything: .everything
    case .expired: .expired
    case .account(let account): .account(account)
    case .catalog(let name, let account): .catalog(name, of: account)
    case .validated(let moment): .validated(before: moment)
    }
  }
}

extension CatalogModel.Outcome {
  init(_ outcome: RefreshOutcome) {
    switch outcome {
    case .updated(let summary):
      self = .updated(
        added: summary.added, changed: summary.changed, removed: summary.removed, total: summary.total,
        repeated: summary.repeated, isComplete: summary.isComplete)
    case .notModified: self = .notModified
    case .superseded: self = .superseded
    case .notNeeded, .notStored: self = .failed(.notStored)
    }
  }
}
