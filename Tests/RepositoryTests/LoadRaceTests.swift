import CatalogDomain
import CatalogRepository
import CatalogStore
import CatalogTesting
import Testing

/// What changes between two steps of one `load`.
@Suite(.timeLimit(.minutes(5)))
struct LoadRaceTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  /// A remote whose second call waits at a gate, and doesn't notice that it is cancelled.
  private final class StubbornRemote: CatalogFetching {
    let gate = Gate()
    private let count = Guarded(0)
    var calls: Int { count.withLock { $0 } }

    @concurrent func fetch(
      _ request: FetchRequest, into sink: any FetchSink
    ) async throws(CatalogError) -> FetchConclusion {
      let call = count.withLock { count in
        count += 1
        return count
      }
      if call == 2 { await gate.wait() }
      try await sink.begin(FetchHead())
      try await sink.accept(FetchPage(entries: [book(1, "call \(call)")]))
      return .complete
    }
  }

  @Test func `a refresh that is being given up isn't the one behind what is served`() async throws {
    let cache = try fixture.open()
    let remote = StubbornRemote()
    let catalog = try cache.catalog(for: "ada", remote: remote)
    try await catalog.refresh()
    fixture.clock.advance(by: .seconds(3600))
    let givenUp = Task { try await catalog.refresh() }
    await remote.gate.waitForWaiters(1)
    givenUp.cancel()
    await #expect(throws: CatalogError.self) { _ = try await givenUp.value }
    let shown = try await catalog.load()
    #expect(shown.status.decision.rule == .staleWhileRevalidate)
    await remote.gate.open()
    while catalog.status().isRefreshing { await Task.yield() }
    #expect(remote.calls == 3)
    #expect(catalog.status().decision.freshness == .fresh)
  }

  /// A clock that goes on by a millisecond at each look at it, once it is told to.
  private final class SteppingClock: WallClock {
    private let base: ManualWallClock
    private let isStepping = Guarded(false)

    init(_ base: ManualWallClock) {
      self.base = base
    }

    func step() { isStepping.withLock { $0 = true } }

    func read() -> ClockReading {
      let reading = base.read()
      if isStepping.withLock({ $0 }) { base.advance(by: .milliseconds(1)) }
      return reading
    }

    func sleep(for span: Duration) async throws(CancellationError) { try await base.sleep(for: span) }
  }

  @Test func `what stops being fresh between the decision and the reading is refreshed`() async throws {
    let clock = SteppingClock(fixture.clock)
    let cache = try fixture.open { $0.clock = clock }
    let head = FetchHead(freshness: ServerFreshness(lifetime: .seconds(600), mustRevalidate: true))
    let remote = ScriptedRemote { request in Issue.record("unscripted: \(request.catalog)") }
    remote.script(.entries([book(1, "one")], head: head), .entries([book(1, "two")], head: head))
    let catalog = try cache.catalog(for: "ada", remote: remote)
    try await catalog.refresh()
    fixture.clock.advance(by: .milliseconds(599_999))
    clock.step()
    #expect(try await catalog.load().books.map(\.title) == ["two"])
  }
}
