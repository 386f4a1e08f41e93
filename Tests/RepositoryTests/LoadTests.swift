import CatalogDomain
import CatalogRepository
import CatalogTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoadTests {
  let fixture: Fixture
  let cache: CatalogCache
  let remote = ScriptedRemote { request in Issue.record("unscripted: \(request.catalog)") }
  let catalog: CachedCatalog

  init() throws {
    fixture = try Fixture()
    cache = try fixture.open()
    catalog = try cache.catalog(for: "ada", remote: remote)
  }

  private func origin(_ snapshot: CatalogSnapshot) -> String {
    switch snapshot.origin {
    case .saved: "saved"
    case .savedAfter(let error): "savedAfter \(error.code)"
    case .refreshed: "refreshed"
    case .notStored(let code): "notStored \(code)"
    @unknown default: "unknown"
    }
  }

  func waitUntilQuiet() async {
    while catalog.status().isRefreshing { await Task.yield() }
  }

  @Test func `a first load refreshes`() async throws {
    remote.script(.entries([book(1, "one")]))
    let shown = try await catalog.load()
    #expect(origin(shown) == "refreshed")
    #expect(shown.books.map(\.title) == ["one"])
  }

  @Test func `a first load from a remote that is down has nothing to show, and says which failure`()
    async throws
  {
    remote.isOffline = true
    let error = await #expect(throws: CatalogError.self) { try await catalog.load() }
    #expect(error?.code == .offline)
  }

  @Test func `what is fresh is served and nobody is asked`() async throws {
    remote.script(.entries([book(1, "one")]))
    _ = try await catalog.load()
    fixture.clock.advance(by: .milliseconds(599_999))
    #expect(origin(try await catalog.load()) == "saved")
    #expect(origin(try await catalog.load(.fresh)) == "saved")
    #expect(remote.calls == 1)
  }

  @Test func `what is stale is served, and one refresh goes on behind it with nobody waiting`() async throws {
    remote.script(.entries([book(1, "one")]), .entries([book(1, "two")]))
    _ = try await catalog.load()
    fixture.clock.advance(by: .seconds(600))
    remote.hold()
    let first = try await catalog.load()
    let second = try await catalog.load()
    #expect((origin(first), origin(second)) == ("saved", "saved"))
    #expect(first.status.decision.rule == .staleWhileRevalidate)
    try await remote.waitUntilHeld()
    remote.release()
    await waitUntilQuiet()
    #expect(remote.calls == 2)
    #expect(try catalog.books().map(\.title) == ["two"])
  }

  @Test func `what must be fresh is refreshed first, and fails if that fails`() async throws {
    remote.script(.entries([book(1, "one")]), .failure(.offline))
    _ = try await catalog.load()
    fixture.clock.advance(by: .seconds(600))
    let error = await #expect(throws: CatalogError.self) { try await catalog.load(.fresh) }
    #expect(error?.code == .offline)
  }

  @Test(arguments: [CatalogError.Code.offline, .timedOut, .serverError])
  func `past the first window an outage serves what is held and says so`(_ code: CatalogError.Code)
    async throws
  {
    remote.script(.entries([book(1, "one")]), .failure(code))
    _ = try await catalog.load()
    fixture.clock.advance(by: .seconds(600 + 86_400))
    let shown = try await catalog.load()
    #expect(origin(shown) == "savedAfter \(code)")
    #expect(shown.books.map(\.title) == ["one"])
    #expect(shown.status.isOffline)
  }

  @Test(arguments: [
    CatalogError.Code.unauthorized, .forbidden, .notFound, .gone, .throttled, .badResponse, .tooLarge,
  ])
  func `a failure that is no outage is thrown, never covered by old rows`(_ code: CatalogError.Code)
    async throws
  {
    remote.script(.entries([book(1, "one")]), .failure(code))
    _ = try await catalog.load()
    fixture.clock.advance(by: .seconds(600 + 86_400))
    let error = await #expect(throws: CatalogError.self) { try await catalog.load() }
    #expect(error?.code == code)
  }

  @Test func `past every window an outage is thrown`() async throws {
    remote.script(.entries([book(1, "one")]), .failure(.offline))
    _ = try await catalog.load()
    fixture.clock.advance(by: .seconds(600 + 7 * 86_400))
    let error = await #expect(throws: CatalogError.self) { try await catalog.load() }
    #expect(error?.code == .offline)
    #expect(throws: CatalogFailure.unavailable) { try catalog.books() }
    #expect(catalog.status().decision.rule == .pastEveryBound)
  }

  @Test func `what a server forbids to keep fresh is shown once, when it comes`() async throws {
    let strict = FetchHead(freshness: ServerFreshness(lifetime: .zero, mustRevalidate: true))
    remote.script(.entries([book(1, "one")], head: strict), .failure(.offline))
    let shown = try await catalog.load()
    #expect(origin(shown) == "refreshed")
    #expect(shown.books.map(\.title) == ["one"])
    #expect(throws: CatalogFailure.unavailable) { try catalog.books() }
    let error = await #expect(throws: CatalogError.self) { try await catalog.load() }
    #expect(error?.code == .offline)
  }

  @Test func `a relaxed policy serves underground what the server forbids`() async throws {
    var policy = FreshnessPolicy.standard
    policy.serverProhibitions = .relaxedOffline
    let relaxed = try cache.catalog(for: "ada", remote: remote, policy: policy)
    let strict = FetchHead(freshness: ServerFreshness(lifetime: .zero, mustRevalidate: true))
    remote.script(.entries([book(1, "one")], head: strict), .failure(.offline))
    _ = try await relaxed.load()
    let shown = try await relaxed.load()
    #expect(origin(shown) == "savedAfter offline")
    #expect(shown.status.decision.rule == .relaxedMustRevalidate)
  }

  @Test func `marked stale is refreshed first, and served on an outage`() async throws {
    remote.script(.entries([book(1, "one")]), .failure(.offline), .entries([book(1, "two")]))
    _ = try await catalog.load()
    try await cache.markStale(.catalog(.main, of: "ada"))
    #expect(origin(try await catalog.load()) == "savedAfter offline")
    #expect(origin(try await catalog.load()) == "refreshed")
    #expect(catalog.status().decision.freshness == .fresh)
  }

  @Test func `a clock set back across a reboot is noticed, and stays noticed`() async throws {
    remote.always(.entries([book(1, "one")]))
    _ = try await catalog.load()
    fixture.clock.advance(by: .seconds(400))
    // Any write notes the time.
    try await cache.markStale(.account("ben"))
    _ = try cache.catalog("other", for: "ada", remote: remote)
    try cache.close()
    fixture.clock.reboot(offlineFor: .seconds(10), wallDrift: .seconds(-300))
    let reopened = try fixture.open()
    let again = try reopened.catalog(for: "ada", remote: remote)
    #expect(again.status().decision.rule == .ageUnknown)
    #expect(try again.books().count == 1)
    _ = try await again.load()
    #expect(again.status().decision.freshness == .fresh)
  }

  @Test func `a loan ends when it ends, with no refresh`() async throws {
    let end = fixture.clock.read().wall + .seconds(60)
    remote.script(
      .entries([book(1, "lent", isBorrowed: true, until: end), book(2, "kept", isBorrowed: true)]))
    _ = try await catalog.load()
    #expect(try catalog.snapshot().validUntil == end)
    fixture.clock.advance(by: .milliseconds(59_999))
    #expect(try catalog.books().map(\.isBorrowed) == [true, true])
    fixture.clock.advance(by: .milliseconds(1))
    #expect(try catalog.books().map(\.isBorrowed) == [false, true])
    #expect(try catalog.entry(id: 1)?.isBorrowed == false)
    // A clock that goes back brings it back: the end is judged at read time.
    fixture.clock.stepWall(by: .seconds(-30))
    #expect(try catalog.books().map(\.isBorrowed) == [true, true])
  }

  @Test func `a snapshot says until when it is right`() async throws {
    remote.script(.entries([book(1, "one")]))
    let start = fixture.clock.read().wall
    _ = try await catalog.load()
    #expect(try catalog.snapshot().validUntil == start + .seconds(600 + 7 * 86_400))
  }

  @Test func `rows that were damaged are fetched anew by load`() async throws {
    let head = FetchHead(validators: FetchValidators(entityTag: "\"1\""))
    remote.always(.entries([book(1, "an undamaged title"), book(2, "two")], head: head))
    _ = try await catalog.load()
    try cache.close()
    try fixture.damage("an undamaged title", "an unmanaged title")
    let reopened = try fixture.open()
    let again = try reopened.catalog(for: "ada", remote: remote)
    #expect(throws: CatalogFailure.unavailable) { try again.books() }
    #expect(again.status().presence == .unreadable(.corrupt))
    let shown = try await again.load()
    #expect(shown.books.map(\.title) == ["an undamaged title", "two"])
    #expect(remote.requests.last?.validators == nil)
    #expect(try reopened.verify(.full).problems.isEmpty)
  }

  @Test func `not modified keeps the terms that it leaves unsaid, and takes those it names`() async throws {
    let tag = FetchValidators(entityTag: "\"1\"")
    let long = FetchHead(validators: tag, freshness: ServerFreshness(lifetime: .seconds(3600)))
    remote.script(
      .entries([book(1, "one")], head: long), .notModified(FetchHead()),
      .notModified(FetchHead(freshness: ServerFreshness(lifetime: .seconds(60)))))
    try await catalog.refresh()
    try await catalog.refresh()
    fixture.clock.advance(by: .seconds(3599))
    #expect(catalog.status().decision.freshness == .fresh)
    try await catalog.refresh()
    fixture.clock.advance(by: .seconds(60))
    #expect(catalog.status().decision.freshness == .stale)
  }
}
