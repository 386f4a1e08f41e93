import CatalogDomain
import Testing

/// What a server says about its answer, and what a policy makes of it.
@Suite(.timeLimit(.minutes(5)))
struct FreshnessServerTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    var directives = ServerFreshness()
    var policy = FreshnessPolicy()
    /// Each age in milliseconds with what is decided at it.
    let kinds: [(age: Int64, kind: DecisionKind)]

    var testDescription: String { name }
  }

  private static let day: Int64 = 86_400_000
  private static let week = 7 * day

  private static func policy(within bounds: ClosedRange<Duration>) -> FreshnessPolicy {
    var policy = FreshnessPolicy()
    policy.serverLifetimes = .honoured(within: bounds)
    return policy
  }

  private static var ignoring: FreshnessPolicy {
    var policy = FreshnessPolicy()
    policy.serverLifetimes = .ignored
    return policy
  }

  private static var relaxed: FreshnessPolicy {
    var policy = FreshnessPolicy()
    policy.serverProhibitions = .relaxedOffline
    return policy
  }

  private static let lifetimes: [Case] = [
    Case(
      name: "the server's lifetime takes the place of the policy's",
      directives: ServerFreshness(lifetime: .seconds(60)),
      kinds: [(59_999, .fresh), (60_000, .revalidating), (60_001, .revalidating)]),
    Case(
      name: "the windows are counted from the end of the server's lifetime",
      directives: ServerFreshness(lifetime: .seconds(60)),
      kinds: [
        (60_000 + day - 1, .revalidating), (60_000 + day, .onError), (60_000 + week - 1, .onError),
        (60_000 + week, .expired),
      ]),
    Case(
      name: "a lifetime below the lower bound is raised to it",
      directives: ServerFreshness(lifetime: .seconds(1)),
      policy: policy(within: .seconds(30) ... .seconds(90)),
      kinds: [(29_999, .fresh), (30_000, .revalidating), (30_001, .revalidating)]),
    Case(
      name: "a lifetime above the upper bound is lowered to it",
      directives: ServerFreshness(lifetime: .seconds(3600)),
      policy: policy(within: .seconds(30) ... .seconds(90)),
      kinds: [(89_999, .fresh), (90_000, .revalidating), (90_001, .revalidating)]),
    Case(
      name: "a lifetime at a bound stays",
      directives: ServerFreshness(lifetime: .seconds(90)),
      policy: policy(within: .seconds(30) ... .seconds(90)),
      kinds: [(89_999, .fresh), (90_000, .revalidating)]),
    Case(
      name: "a year is a week by the standard policy",
      directives: ServerFreshness(lifetime: .seconds(365 * 86_400)),
      kinds: [(week - 1, .fresh), (week, .revalidating)]),
    Case(
      name: "a negative lifetime is none",
      directives: ServerFreshness(lifetime: .seconds(-5)), kinds: [(0, .revalidating)]),
    Case(
      name: "a lifetime of zero is stale at once, and served",
      directives: ServerFreshness(lifetime: .zero), kinds: [(0, .revalidating), (1, .revalidating)]),
    Case(
      name: "the bounds don't touch the policy's own lifetime",
      policy: policy(within: .seconds(1) ... .seconds(2)),
      kinds: [(599_999, .fresh), (600_000, .revalidating)]),
    Case(
      name: "ignored lifetimes and windows change nothing",
      directives: ServerFreshness(
        lifetime: .seconds(1), staleWhileRevalidate: .zero, staleIfError: .zero),
      policy: ignoring,
      kinds: [
        (599_999, .fresh), (600_000, .revalidating), (600_000 + day, .onError), (600_000 + week, .expired),
      ]),
    Case(
      name: "the server's windows shorten the policy's",
      directives: ServerFreshness(staleWhileRevalidate: .seconds(10), staleIfError: .seconds(20)),
      kinds: [
        (609_999, .revalidating), (610_000, .onError), (610_001, .onError), (619_999, .onError),
        (620_000, .expired), (620_001, .expired),
      ]),
    Case(
      name: "the server's windows never extend the policy's",
      directives: ServerFreshness(staleWhileRevalidate: .seconds(1 << 40), staleIfError: .seconds(1 << 40)),
      kinds: [
        (600_000 + day - 1, .revalidating), (600_000 + day, .onError), (600_000 + week, .expired),
      ]),
  ]

  private static let prohibitions: [Case] = [
    Case(
      name: "must-revalidate doesn't forbid what is fresh",
      directives: ServerFreshness(lifetime: .seconds(60), mustRevalidate: true),
      kinds: [
        (59_999, .fresh), (60_000, .forbidden(.forbiddenByMustRevalidate)),
        (60_001, .forbidden(.forbiddenByMustRevalidate)),
        (60_000 + week - 1, .forbidden(.forbiddenByMustRevalidate)), (60_000 + week, .expired),
      ]),
    Case(
      name: "must-revalidate relaxed is served, refreshed first",
      directives: ServerFreshness(lifetime: .zero, mustRevalidate: true), policy: relaxed,
      kinds: [
        (0, .heldStale(.relaxedMustRevalidate)), (week - 1, .heldStale(.relaxedMustRevalidate)),
        (week, .expired), (week + 1, .expired),
      ]),
    Case(
      name: "no-cache is never fresh, whatever the lifetime",
      directives: ServerFreshness(lifetime: .seconds(60), noCache: true),
      kinds: [
        (0, .forbidden(.forbiddenByNoCache)), (59_999, .forbidden(.forbiddenByNoCache)),
        (week - 1, .forbidden(.forbiddenByNoCache)), (week, .expired),
      ]),
    Case(
      name: "no-cache is obeyed where lifetimes are ignored",
      directives: ServerFreshness(noCache: true), policy: ignoring,
      kinds: [(0, .forbidden(.forbiddenByNoCache))]),
    Case(
      name: "no-cache relaxed is served, refreshed first",
      directives: ServerFreshness(lifetime: .seconds(60), noCache: true), policy: relaxed,
      kinds: [
        (0, .heldStale(.relaxedNoCache)), (week - 1, .heldStale(.relaxedNoCache)), (week, .expired),
      ]),
    Case(
      name: "no-cache is named before must-revalidate",
      directives: ServerFreshness(mustRevalidate: true, noCache: true),
      kinds: [(0, .forbidden(.forbiddenByNoCache))]),
    Case(
      name: "no-store is obeyed",
      directives: ServerFreshness(lifetime: .seconds(60), noStore: true),
      kinds: [(0, .forbidden(.forbiddenByNoStore)), (week * 2, .forbidden(.forbiddenByNoStore))]),
    Case(
      name: "no-store is obeyed by a relaxed policy too",
      directives: ServerFreshness(mustRevalidate: true, noCache: true, noStore: true), policy: relaxed,
      kinds: [(0, .forbidden(.forbiddenByNoStore))]),
  ]

  @Test(arguments: lifetimes + prohibitions)
  func `what a server says is taken within what the policy allows`(expected: Case) {
    let stamp = CatalogStamp(validatedAt: Start.reading, directives: expected.directives)
    for (age, kind) in expected.kinds {
      for now in [Start.after(milliseconds: age), Start.rebooted(milliseconds: age)] {
        let decision = expected.policy.decide(stamp: stamp, now: now)
        #expect(DecisionKind(decision) == kind, "at \(age) ms")
        #expect(decision.age == .milliseconds(age))
      }
    }
  }

  @Test(arguments: prohibitions)
  func `a prohibition comes before a mark`(expected: Case) {
    var stamp = CatalogStamp(validatedAt: Start.reading, directives: expected.directives)
    stamp.isMarkedStale = true
    for (age, kind) in expected.kinds where kind != .fresh {
      let decision = expected.policy.decide(stamp: stamp, now: Start.after(milliseconds: age))
      #expect(DecisionKind(decision) == kind, "at \(age) ms")
    }
  }

  @Test func `of two answers the stricter terms hold, and what one leaves unsaid the other says`() {
    let one = ServerFreshness(
      lifetime: .seconds(60), staleWhileRevalidate: .seconds(9), mustRevalidate: true)
    let other = ServerFreshness(
      lifetime: .seconds(50), staleWhileRevalidate: .seconds(10), staleIfError: .seconds(7), noCache: true)
    let both = ServerFreshness(
      lifetime: .seconds(50), staleWhileRevalidate: .seconds(9), staleIfError: .seconds(7),
      mustRevalidate: true, noCache: true)
    #expect(one.strictest(with: other) == both)
    #expect(other.strictest(with: one) == both)
    #expect(ServerFreshness().strictest(with: one) == one)
    var head = FetchHead(freshness: one, initialAge: .seconds(2))
    head.tighten(by: ServerFreshness(noStore: true), initialAge: .seconds(1))
    #expect(head.freshness.noStore)
    #expect(head.initialAge == .seconds(2))
  }

  @Test func `a confirmation without terms keeps those that are held, or shortens them`() {
    let held = ServerFreshness(lifetime: .seconds(60), mustRevalidate: true)
    #expect(held.confirmed(by: FetchHead()) == held)
    let named = ServerFreshness(lifetime: .seconds(90))
    #expect(held.confirmed(by: FetchHead(freshness: named)) == named)
    #expect(held.confirmed(by: FetchHead(freshness: named, keepsDirectives: true)) == held)
    #expect(held.confirmed(by: FetchHead(keepsDirectives: false)) == ServerFreshness())
    let ended = FetchHead(freshness: ServerFreshness(lifetime: .zero), keepsDirectives: true)
    #expect(held.confirmed(by: ended) == ServerFreshness(lifetime: .zero, mustRevalidate: true))
  }

  @Test func `what was marked stale and must be revalidated isn't served even within its lifetime`() {
    let stamp = CatalogStamp(
      validatedAt: Start.reading, directives: ServerFreshness(mustRevalidate: true), isMarkedStale: true)
    let decision = FreshnessPolicy.standard.decide(stamp: stamp, now: Start.after(milliseconds: 1))
    #expect(DecisionKind(decision) == .forbidden(.forbiddenByMustRevalidate))
  }

  @Test func `the rule that forbids says what would allow it`() {
    #expect(
      FreshnessDecision.Rule.forbiddenByMustRevalidate.explanation.contains("prohibitions relaxed offline"))
    #expect(FreshnessDecision.Rule.forbiddenByNoCache.explanation.contains("prohibitions relaxed offline"))
    #expect(FreshnessDecision.Rule.forbiddenByNoStore.explanation.contains("nothing allows it"))
  }
}
