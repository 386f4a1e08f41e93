import CatalogDomain
import CatalogRepository
import CatalogTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SessionTests {
  let cache: CatalogCache
  let clock = ManualWallClock()

  init() throws {
    cache = try CatalogCache.inMemory(configuration: .init(clock: clock))
  }

  private func remote(_ titles: String...) -> ScriptedRemote {
    ScriptedRemote.always(titles.enumerated().map { book($0.offset + 1, $0.element) })
  }

  // MARK: Search services

  @Test func `a session over the cache answers at once, and unavailable is failed, never empty`() async throws
  {
    let catalog = try cache.catalog(for: "ada", remote: remote("By the Sea", "War"))
    let session = SearchSession(service: CachedBookSearch(catalog))
    session.search("sea")
    #expect(session.phase == .failed("Search is unavailable."))
    try await catalog.refresh()
    session.search("sea")
    #expect(session.phase == .loaded([SearchBook(id: 1, title: "By the Sea")]))
    session.search("nothing like it")
    #expect(session.phase == .loaded([]))
  }

  @Test func `a search over the cache orders as the query does, and obeys its limit`() async throws {
    let catalog = try cache.catalog(
      for: "ada",
      remote: ScriptedRemote.always([book(1, "a"), book(2, "b", isBorrowed: true), book(3, "c")]))
    try await catalog.refresh()
    let found = try catalog.titles(matching: "", limit: 2)
    #expect(found.map(\.title) == ["b", "a"])
    #expect(try CatalogQuery(source: catalog).titles(matching: "") == ["b", "a", "c"])
    #expect(CachedBookSearch(catalog).mode == .titleSubstring)
  }

  @Test func `an asynchronous search completes once, on the main actor`() async throws {
    let service = AsyncBookSearch(mode: .serverDefined("test")) { query in
      [SearchBook(id: 1, title: query)]
    }
    let session = SearchSession(service: service)
    await withCheckedContinuation { done in
      session.changed = { phase in
        MainActor.assertIsolated()
        if case .loaded = phase { done.resume() }
      }
      session.search("sea")
      #expect(session.phase == .loading("sea"))
    }
    #expect(session.phase == .loaded([SearchBook(id: 1, title: "sea")]))
    #expect(service.mode.isDecidedByServer)
  }

  @Test func `any error of an asynchronous search is offline`() async throws {
    struct Broken: Error {}
    let service = AsyncBookSearch(mode: .serverDefined("test")) { _ in throw Broken() }
    let result = await withCheckedContinuation { done in
      _ = service.search("x") { done.resume(returning: $0) }
    }
    #expect(result == .failure(.offline))
  }

  @Test func `a cancelled asynchronous search completes never`() async throws {
    let gate = Gate()
    let service = AsyncBookSearch(mode: .serverDefined("test")) { query in
      await gate.wait()
      return [SearchBook(id: 1, title: query)]
    }
    var completions: [String] = []
    let first = service.search("first") { _ in completions.append("first") }
    await gate.waitForWaiters(1)
    first.cancel()
    first.cancel()
    await withCheckedContinuation { done in
      _ = service.search("second") { _ in
        completions.append("second")
        done.resume()
      }
      Task {
        await gate.waitForWaiters(2)
        await gate.open()
      }
    }
    #expect(completions == ["second"])
  }

  @Test func `typing on cancels a search before it asks`() async throws {
    let asked = Gate()
    let service = AsyncBookSearch(mode: .serverDefined("test"), after: .milliseconds(300), clock: clock) {
      query in
      await asked.note(query)
      return []
    }
    let session = SearchSession(service: service)
    session.search("s")
    try await clock.waitForSleepers(1)
    await withCheckedContinuation { done in
      session.changed = { if case .loaded = $0 { done.resume() } }
      session.search("se")
      Task {
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(300))
      }
    }
    #expect(await asked.notes == ["se"])
  }

  // MARK: Account changes

  @Test func `a switch of account shows nothing of the old one, not even late`() async throws {
    let service = ControlledSearch()
    let remotes: [AccountID: ScriptedRemote] = ["ada": remote("ada's"), "ben": remote("ben's")]
    let session = AccountSession(
      cache: cache, remote: { remotes[$0] ?? remote() }, service: { _ in service })
    try session.switchAccount(to: "ada")
    let adaSearch = try #require(session.search)
    var shown: [SearchPhase] = []
    adaSearch.changed = { shown.append($0) }
    adaSearch.search("a")
    try session.switchAccount(to: "ben")
    #expect(service.requests[0].cancellations == 1)
    service.requests[0].complete(.success([SearchBook(id: 1, title: "ada's")]))
    #expect(shown == [.loading("a")])
    #expect(session.search?.phase == .idle)
    #expect(session.account == "ben" && session.catalog?.account == "ben")
  }

  @Test func `a switch leaves the old account's rows for its return`() async throws {
    let session = AccountSession(cache: cache, remote: { _ in remote("one") })
    try session.switchAccount(to: "ada")
    _ = try await session.catalog?.load()
    try session.switchAccount(to: "ben")
    #expect(session.catalog?.status().presence == .neverLoaded)
    try session.switchAccount(to: "ada")
    #expect(try session.catalog?.books().count == 1)
  }

  @Test func `signing out stops the search, forgets, and only then says so`() async throws {
    let held = remote("one")
    let session = AccountSession(cache: cache, remote: { _ in held })
    try session.switchAccount(to: "ada")
    let catalog = try #require(session.catalog)
    _ = try await catalog.load()
    held.hold()
    let flying = Task { try await catalog.refresh() }
    try await held.waitUntilHeld()
    var stateWhenTold: [CatalogStatus.Presence] = []
    session.changed = { account in
      if account == nil { stateWhenTold.append(catalog.status().presence) }
    }
    try await session.signOut()
    #expect(stateWhenTold == [.revoked])
    #expect(session.account == nil && session.catalog == nil && session.search == nil)
    held.release()
    await #expect(throws: CatalogError.self) { _ = try await flying.value }
    try session.switchAccount(to: "ada")
    #expect(session.catalog?.status().presence == .neverLoaded)
  }

  // MARK: Changes

  @Test func `changes begin with the current state and follow refreshes, invalidations and time`()
    async throws
  {
    let catalog = try cache.catalog(for: "ada", remote: remote("one"))
    var states = catalog.changes().makeAsyncIterator()
    #expect(await states.next()?.presence == .neverLoaded)
    try await catalog.refresh()
    var status = await states.next()
    while status?.isRefreshing == true || status?.presence == .neverLoaded { status = await states.next() }
    #expect(status?.presence == .loaded && status?.decision.freshness == .fresh)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(600))
    while status?.decision.freshness == .fresh { status = await states.next() }
    #expect(status?.decision.rule == .staleWhileRevalidate)
    try await cache.forget("ada")
    while status?.presence == .loaded { status = await states.next() }
    #expect(status?.presence == .revoked)
  }
}

/// Holds asynchronous work until a test lets it go.
actor Gate {
  private var isOpen = false
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var watchers: [(Int, CheckedContinuation<Void, Never>)] = []
  private(set) var notes: [String] = []

  func note(_ text: String) { notes.append(text) }

  func wait() async {
    guard !isOpen else { return }
    await withCheckedContinuation { waiter in
      waiters.append(waiter)
      watchers.removeAll { count, watcher in
        guard waiters.count >= count else { return false }
        watcher.resume()
        return true
      }
    }
  }

  func waitForWaiters(_ count: Int) async {
    guard waiters.count < count else { return }
    await withCheckedContinuation { watchers.append((count, $0)) }
  }

  func open() {
    isOpen = true
    for waiter in waiters { waiter.resume() }
    waiters = []
  }
}
