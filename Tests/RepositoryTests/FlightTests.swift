import CatalogDomain
import CatalogRepository
import CatalogTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FlightTests {
  let fixture: Fixture
  let cache: CatalogCache
  let remote = ScriptedRemote { request in Issue.record("unscripted: \(request.catalog)") }
  let catalog: CachedCatalog

  init() throws {
    fixture = try Fixture()
    cache = try fixture.open()
    catalog = try cache.catalog(for: "ada", remote: remote)
  }

  private func titles() throws -> [String] { try catalog.books().map(\.title) }

  /// Starts a refresh and waits until it is held at the remote.
  private func fly(_ catalog: CachedCatalog, _ mode: RefreshMode = .always, held: Int = 1) async throws
    -> Task<
      RefreshOutcome, any Error
    >
  {
    let task = Task { try await catalog.refresh(mode) }
    try await remote.waitUntilHeld(held)
    return task
  }

  @Test func `callers of one catalog and remote share one request`() async throws {
    remote.script(.entries([book(1, "one")]))
    remote.hold()
    let first = try await fly(catalog)
    let twin = try cache.catalog(for: "ada", remote: remote)
    let second = Task { try await twin.refresh() }
    let third = Task { try await catalog.refresh() }
    while !catalog.isJoined(by: 3) { await Task.yield() }
    remote.release()
    for task in [first, second, third] {
      guard case .updated(let summary) = try await task.value else {
        Issue.record("expected an update")
        return
      }
      #expect(summary.added == 1)
    }
    #expect(remote.calls == 1)
  }

  @Test func `a cancelled caller doesn't cancel the others`() async throws {
    remote.script(.entries([book(1, "one")]))
    remote.hold()
    let first = try await fly(catalog)
    let second = Task { try await catalog.refresh() }
    while !catalog.isJoined(by: 2) { await Task.yield() }
    first.cancel()
    let error = await #expect(throws: CatalogError.self) { _ = try await first.value }
    #expect(error?.code == .cancelled)
    remote.release()
    _ = try await second.value
    #expect(try titles() == ["one"])
  }

  @Test func `the last caller to leave cancels the request`() async throws {
    remote.script(.entries([book(1, "one")]))
    remote.hold()
    let only = try await fly(catalog)
    only.cancel()
    await #expect(throws: CatalogError.self) { _ = try await only.value }
    while catalog.status().isRefreshing { await Task.yield() }
    remote.release()
    #expect(catalog.status().presence == .neverLoaded)
  }

  @Test func `a forced refresh never joins one that asks less`() async throws {
    remote.script(.entries([book(1, "one")]), .entries([book(1, "forced")]))
    remote.hold()
    let unforced = try await fly(catalog)
    let forced = try await fly(catalog, .forced, held: 2)
    remote.release()
    _ = try await (unforced.value, forced.value)
    #expect(remote.calls == 2)
  }

  @Test(arguments: ["markStale", "discard"])
  func `nobody joins a request that an invalidation has superseded`(_ what: String) async throws {
    remote.script(.entries([book(1, "old")]), .entries([book(1, "new")]))
    remote.hold()
    let before = try await fly(catalog)
    if what == "discard" {
      try await cache.discard(.account("ada"))
    } else {
      try await cache.markStale(.account("ada"))
    }
    let after = try await fly(catalog, held: 2)
    remote.release(call: 1)
    _ = try await after.value
    remote.release(call: 0)
    guard case .superseded = try await before.value else {
      Issue.record("an older answer replaced a newer one")
      return
    }
    #expect(try titles() == ["new"])
  }

  @Test func `two flights that finish in the wrong order leave the newer answer`() async throws {
    let otherRemote = ScriptedRemote.always([book(1, "newer")])
    let other = try cache.catalog(for: "ada", remote: otherRemote)
    remote.script(.entries([book(1, "older")]))
    remote.hold()
    let older = try await fly(catalog)
    _ = try await other.refresh()
    remote.release()
    guard case .superseded = try await older.value else {
      Issue.record("the older answer was written")
      return
    }
    #expect(try titles() == ["newer"])
  }

  @Test func `a refresh begun before sign-out writes nothing, and its handle is dead for good`() async throws
  {
    remote.script(.entries([book(1, "one")]), .entries([book(2, "two")]))
    try await catalog.refresh()
    remote.hold()
    let flying = try await fly(catalog)
    try await cache.forget("ada")
    let again = try cache.catalog(for: "ada", remote: remote)
    remote.release()
    let error = await #expect(throws: CatalogError.self) { _ = try await flying.value }
    #expect(error?.code == .revoked)
    #expect(catalog.status().presence == .revoked)
    #expect(again.status().presence == .neverLoaded)
    #expect(throws: CatalogFailure.unavailable) { try catalog.books() }
    #expect(throws: CatalogFailure.unavailable) { try again.books() }
  }

  @Test func `a refresh begun before a discard writes nothing`() async throws {
    remote.script(.entries([book(1, "one")]))
    remote.hold()
    let flying = try await fly(catalog)
    try await cache.discard(.everything)
    remote.release()
    guard case .superseded = try await flying.value else {
      Issue.record("an answer outlived a discard")
      return
    }
    #expect(catalog.status().presence == .neverLoaded)
  }

  @Test func `a refresh begun before mark stale brings its rows, but isn't fresh`() async throws {
    remote.script(.entries([book(1, "one")]), .entries([book(1, "two")]), .entries([book(1, "two")]))
    try await catalog.refresh()
    remote.hold()
    let flying = try await fly(catalog)
    try await cache.markStale(.account("ada"))
    remote.release()
    _ = try await flying.value
    #expect(try titles() == ["two"])
    #expect(catalog.status().decision.rule == .markedStale)
    try await catalog.refresh()
    #expect(catalog.status().decision.rule == .withinLifetime)
  }

  @Test func `a confirmation outlives an answer that was begun before it`() async throws {
    remote.always(.entries([book(1, "one"), book(2, "two")]))
    try await catalog.refresh()
    remote.hold()
    let flying = try await fly(catalog, .forced)
    try await catalog.confirm(.borrowed(id: 2, until: nil))
    #expect(try catalog.books().map(\.isBorrowed) == [false, true])
    remote.release()
    _ = try await flying.value
    #expect(try catalog.books().map(\.isBorrowed) == [false, true])
    // The next answer was begun after it, and is believed.
    try await catalog.refresh()
    #expect(remote.requests.last?.validators == nil)
    #expect(try catalog.books().map(\.isBorrowed) == [false, false])
  }

  @Test func `a loan that was just confirmed isn't deleted by an answer begun before it`() async throws {
    remote.script(.entries([book(1, "one"), book(2, "two")]), .entries([book(1, "one")]))
    try await catalog.refresh()
    remote.hold()
    let flying = try await fly(catalog)
    try await catalog.confirm(.borrowed(id: 2, until: nil))
    remote.release()
    _ = try await flying.value
    #expect(try titles() == ["one", "two"])
    #expect(try cache.verify(.full).problems.isEmpty)
  }

  @Test func `a refresh into a file that was replaced writes nothing`() async throws {
    remote.script(.entries([book(1, "one")]))
    remote.hold()
    let flying = try await fly(catalog)
    try fixture.removeDatabase()
    let fresh = try cache.catalog(for: "ada", remote: remote)
    remote.release()
    let error = await #expect(throws: CatalogError.self) { _ = try await flying.value }
    #expect(error?.code == .replaced)
    #expect(catalog.status().presence == .unreadable(.replaced))
    #expect(fresh.status().presence == .neverLoaded)
  }
}
