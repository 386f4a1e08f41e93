import CatalogDomain
import Testing

/// The table of freshness, one millisecond before, at, and one after each of its bounds.
@Suite(.timeLimit(.minutes(5)))
struct FreshnessTableTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let bound: String
    let age: Int64
    let kind: DecisionKind
    /// The age at which the decision changes; nil if it never does.
    let next: Int64?

    var testDescription: String { "\(bound) at \(age) ms" }
  }

  private static let lifetime: Int64 = 600_000
  private static let revalidating = lifetime + 86_400_000
  private static let outer = lifetime + 7 * 86_400_000

  private static let standardRows: [Row] = [
    Row(bound: "saved", age: 0, kind: .fresh, next: lifetime),
    Row(bound: "saved", age: 1, kind: .fresh, next: lifetime),
    Row(bound: "lifetime", age: lifetime - 1, kind: .fresh, next: lifetime),
    Row(bound: "lifetime", age: lifetime, kind: .revalidating, next: revalidating),
    Row(bound: "lifetime", age: lifetime + 1, kind: .revalidating, next: revalidating),
    Row(bound: "stale-while-revalidate", age: revalidating - 1, kind: .revalidating, next: revalidating),
    Row(bound: "stale-while-revalidate", age: revalidating, kind: .onError, next: outer),
    Row(bound: "stale-while-revalidate", age: revalidating + 1, kind: .onError, next: outer),
    Row(bound: "stale-if-error", age: outer - 1, kind: .onError, next: outer),
    Row(bound: "stale-if-error", age: outer, kind: .expired, next: nil),
    Row(bound: "stale-if-error", age: outer + 1, kind: .expired, next: nil),
  ]

  private func expect(
    _ row: Row, from policy: FreshnessPolicy = .standard, stamp: CatalogStamp, now: ClockReading,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let decision = policy.decide(stamp: stamp, now: now)
    #expect(DecisionKind(decision) == row.kind, sourceLocation: sourceLocation)
    #expect(decision.age == .milliseconds(row.age), sourceLocation: sourceLocation)
    #expect(
      decision.nextChange == row.next.map { now.wall + .milliseconds($0 - row.age) },
      sourceLocation: sourceLocation)
  }

  @Test(arguments: standardRows)
  func `the standard policy within one boot`(row: Row) {
    expect(row, stamp: CatalogStamp(validatedAt: Start.reading), now: Start.after(milliseconds: row.age))
  }

  @Test(arguments: standardRows)
  func `the standard policy across a reboot`(row: Row) {
    expect(row, stamp: CatalogStamp(validatedAt: Start.reading), now: Start.rebooted(milliseconds: row.age))
  }

  @Test(arguments: standardRows)
  func `the standard policy where the boot can't be known`(row: Row) {
    var start = Start.reading
    start.boot = nil
    let now = Start.rebooted(milliseconds: row.age, boot: nil)
    expect(row, stamp: CatalogStamp(validatedAt: start), now: now)
  }

  @Test(arguments: standardRows)
  func `an answer that was old when it was asked for is that much older`(row: Row) {
    let initial = min(row.age, 250_000)
    let stamp = CatalogStamp(validatedAt: Start.reading, initialAge: .milliseconds(initial))
    expect(row, stamp: stamp, now: Start.after(milliseconds: row.age - initial))
  }

  @Test(arguments: [
    Row(bound: "lifetime", age: 999, kind: .fresh, next: 1000),
    Row(bound: "lifetime", age: 1000, kind: .revalidating, next: 11_000),
    Row(bound: "lifetime", age: 1001, kind: .revalidating, next: 11_000),
    Row(bound: "stale-if-error", age: 5999, kind: .revalidating, next: 11_000),
    Row(bound: "stale-if-error", age: 6000, kind: .revalidating, next: 11_000),
    Row(bound: "stale-while-revalidate", age: 10_999, kind: .revalidating, next: 11_000),
    Row(bound: "stale-while-revalidate", age: 11_000, kind: .expired, next: nil),
    Row(bound: "stale-while-revalidate", age: 11_001, kind: .expired, next: nil),
  ])
  func `a window to revalidate that is longer than the one for errors is the outer bound`(row: Row) {
    var policy = FreshnessPolicy()
    policy.lifetime = .seconds(1)
    policy.staleWhileRevalidate = .seconds(10)
    policy.staleIfError = .seconds(5)
    expect(
      row, from: policy, stamp: CatalogStamp(validatedAt: Start.reading),
      now: Start.after(milliseconds: row.age))
  }

  @Test(arguments: [
    Row(bound: "no window at all", age: 999, kind: .fresh, next: 1000),
    Row(bound: "no window at all", age: 1000, kind: .expired, next: nil),
    Row(bound: "no window at all", age: 1001, kind: .expired, next: nil),
  ])
  func `a policy without windows goes from fresh to expired`(row: Row) {
    var policy = FreshnessPolicy(freshFor: .seconds(1), usableOfflineFor: .seconds(1))
    expect(
      row, from: policy, stamp: CatalogStamp(validatedAt: Start.reading),
      now: Start.after(milliseconds: row.age))
    policy.lifetime = .seconds(-1)
    let decision = policy.decide(stamp: CatalogStamp(validatedAt: Start.reading), now: Start.reading)
    #expect(DecisionKind(decision) == .expired)
  }

  @Test(arguments: [
    Row(bound: "no window to revalidate", age: 999, kind: .fresh, next: 1000),
    Row(bound: "no window to revalidate", age: 1000, kind: .onError, next: 6000),
    Row(bound: "no window to revalidate", age: 5999, kind: .onError, next: 6000),
    Row(bound: "no window to revalidate", age: 6000, kind: .expired, next: nil),
  ])
  func `a policy without a window to revalidate refreshes first once stale`(row: Row) {
    var policy = FreshnessPolicy()
    policy.lifetime = .seconds(1)
    policy.staleWhileRevalidate = .zero
    policy.staleIfError = .seconds(5)
    expect(
      row, from: policy, stamp: CatalogStamp(validatedAt: Start.reading),
      now: Start.after(milliseconds: row.age))
  }

  @Test func `nothing loaded is unavailable, not empty, and time doesn't mend it`() {
    let decision = FreshnessPolicy.standard.decide(stamp: nil, now: Start.reading)
    #expect(DecisionKind(decision) == .neverLoaded)
    #expect(decision.age == nil)
    #expect(decision.nextChange == nil)
  }

  @Test(arguments: [
    Row(bound: "saved", age: 0, kind: .heldStale(.markedStale), next: outer),
    Row(bound: "lifetime", age: lifetime - 1, kind: .heldStale(.markedStale), next: outer),
    Row(bound: "lifetime", age: lifetime, kind: .heldStale(.markedStale), next: outer),
    Row(bound: "stale-while-revalidate", age: revalidating - 1, kind: .heldStale(.markedStale), next: outer),
    Row(bound: "stale-while-revalidate", age: revalidating, kind: .heldStale(.markedStale), next: outer),
    Row(bound: "stale-if-error", age: outer - 1, kind: .heldStale(.markedStale), next: outer),
    Row(bound: "stale-if-error", age: outer, kind: .expired, next: nil),
    Row(bound: "stale-if-error", age: outer + 1, kind: .expired, next: nil),
  ])
  func `what was marked stale is refreshed first, and served up to the outer bound`(row: Row) {
    let stamp = CatalogStamp(validatedAt: Start.reading, isMarkedStale: true)
    expect(row, stamp: stamp, now: Start.after(milliseconds: row.age))
  }

  @Test func `a fraction of a millisecond doesn't make a bound come early`() {
    var now = Start.after(milliseconds: Self.lifetime - 1)
    now.continuous += .nanoseconds(999_999)
    let decision = FreshnessPolicy.standard.decide(stamp: CatalogStamp(validatedAt: Start.reading), now: now)
    #expect(DecisionKind(decision) == .fresh)
    #expect(decision.age == .milliseconds(Self.lifetime - 1))
  }

  @Test func `every rule explains itself in a sentence of its own`() {
    let explanations = FreshnessDecision.Rule.allCases.map(\.explanation)
    #expect(Set(explanations).count == FreshnessDecision.Rule.allCases.count)
    for explanation in explanations { #expect(explanation.hasSuffix(".")) }
  }
}
