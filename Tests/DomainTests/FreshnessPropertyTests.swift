import CatalogDomain
import Testing

/// What holds for every stamp, policy and clock, at the bounds of what the types can hold.
@Suite(.timeLimit(.minutes(5)))
struct FreshnessPropertyTests {
  private static let seeds: [UInt64] = [1, 2, 3, .random(in: 0 ... .max)]

  /// Draws cases of which most are near a bound.
  private struct Cases {
    var random: SeededGenerator
    /// Whether only values are drawn whose differences fit.
    let arePlausible: Bool

    private static let bounds: [Int64] = [
      0, 1, 999, 59_999, 60_000, 60_001, 599_999, 600_000, 600_001, 86_400_000, 87_000_000, 604_800_000,
      605_400_000,
    ]

    mutating func milliseconds() -> Int64 {
      switch Int.random(in: 0..<(arePlausible ? 4 : 6), using: &random) {
      case 0: return Self.bounds.randomElement(using: &random) ?? 0
      case 1: return -(Self.bounds.randomElement(using: &random) ?? 0)
      case 2: return .random(in: -700_000_000...700_000_000, using: &random)
      case 3: return .random(in: -(1 << 60)...(1 << 60), using: &random)
      case 4: return .random(in: .min ... .max, using: &random)
      default: return [.min, .min + 1, .max - 1, .max].randomElement(using: &random) ?? 0
      }
    }

    mutating func duration() -> Duration {
      guard !arePlausible, Int.random(in: 0..<8, using: &random) == 0 else {
        let fraction = Int64.random(in: 0..<3, using: &random) * 499_999
        return .milliseconds(milliseconds()) + .nanoseconds(fraction)
      }
      return Duration(attoseconds: [.min, .min + 1, .max - 1, .max].randomElement(using: &random) ?? 0)
    }

    private mutating func optional<Value>(_ make: (inout Cases) -> Value) -> Value? {
      Bool.random(using: &random) ? make(&self) : nil
    }

    mutating func policy() -> FreshnessPolicy {
      var policy = FreshnessPolicy()
      if Bool.random(using: &random) { policy.lifetime = duration() }
      if Bool.random(using: &random) { policy.staleWhileRevalidate = duration() }
      if Bool.random(using: &random) { policy.staleIfError = duration() }
      if Bool.random(using: &random) { policy.futureTolerance = duration() }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: policy.serverLifetimes = .ignored
      case 1:
        let (first, second) = (duration(), duration())
        policy.serverLifetimes = .honoured(within: min(first, second)...max(first, second))
      default: break
      }
      if Bool.random(using: &random) { policy.serverProhibitions = .relaxedOffline }
      return policy
    }

    mutating func stamp() -> CatalogStamp {
      let clock = ClockReading(
        wall: Timestamp(millisecondsSinceEpoch: milliseconds()), continuous: duration(),
        boot: ["a", "b", nil].randomElement(using: &random) ?? nil)
      var stamp = CatalogStamp(validatedAt: clock)
      stamp.initialAge = optional { $0.duration() } ?? .zero
      stamp.directives.lifetime = optional { $0.duration() }
      stamp.directives.staleWhileRevalidate = optional { $0.duration() }
      stamp.directives.staleIfError = optional { $0.duration() }
      stamp.directives.mustRevalidate = Int.random(in: 0..<4, using: &random) == 0
      stamp.directives.noCache = Int.random(in: 0..<6, using: &random) == 0
      stamp.directives.noStore = Int.random(in: 0..<12, using: &random) == 0
      stamp.isMarkedStale = Int.random(in: 0..<4, using: &random) == 0
      stamp.latestWallSeen = optional { Timestamp(millisecondsSinceEpoch: $0.milliseconds()) }
      return stamp
    }

    /// A reading some time after a stamp's, or any reading at all.
    mutating func now(after stamp: CatalogStamp) -> ClockReading {
      let boot = [stamp.validatedAt.boot, "a", nil].randomElement(using: &random) ?? nil
      guard Bool.random(using: &random) else {
        return ClockReading(
          wall: Timestamp(millisecondsSinceEpoch: milliseconds()), continuous: duration(), boot: boot)
      }
      let passed = milliseconds()
      let skew = optional { $0.milliseconds() } ?? 0
      return ClockReading(
        wall: stamp.validatedAt.wall + .milliseconds(passed),
        continuous: stamp.validatedAt.continuous.goneOn(by: .milliseconds(passed) + .milliseconds(skew)),
        boot: boot)
    }
  }

  @Test(arguments: seeds)
  func `no clock, stamp or policy traps, and nothing as old as its lifetime is fresh`(seed: UInt64) {
    var cases = Cases(random: SeededGenerator(seed: seed), arePlausible: false)
    for _ in 0..<5000 {
      let (policy, stamp) = (cases.policy(), cases.stamp())
      let now = cases.now(after: stamp)
      let decision = policy.decide(stamp: stamp, now: now)
      if let age = decision.age {
        #expect(age >= .zero)
        if age >= Self.longestLifetime(policy, stamp.directives) { #expect(decision.freshness != .fresh) }
      } else {
        #expect(decision.freshness != .fresh)
      }
      if stamp.isMarkedStale || stamp.directives.noCache || stamp.directives.noStore {
        #expect(decision.freshness != .fresh)
      }
      if decision.freshness == .expired { #expect(decision.books == .unavailable) }
      if decision.books == .unavailable { #expect(decision.load == .refreshFirst(mayServeStale: false)) }
      if let next = decision.nextChange {
        #expect(next > now.wall)
        if let then = now.goneOn(to: next) {
          #expect(DecisionKind(policy.decide(stamp: stamp, now: then)) != DecisionKind(decision))
        }
      }
    }
  }

  /// The longest lifetime that a policy can give an answer, by whatever rule.
  private static func longestLifetime(_ policy: FreshnessPolicy, _ directives: ServerFreshness) -> Duration {
    switch (policy.serverLifetimes, directives.lifetime) {
    case (.honoured(let bounds), .some(let given)): min(max(given, bounds.lowerBound), bounds.upperBound)
    case (.ignored, _), (_, nil): policy.lifetime
    }
  }

  @Test(arguments: seeds)
  func `the decision stays until the moment it names, and changes at it`(seed: UInt64) {
    var cases = Cases(random: SeededGenerator(seed: seed), arePlausible: true)
    var changes = 0
    for _ in 0..<5000 {
      let (policy, stamp) = (cases.policy(), cases.stamp())
      let now = cases.now(after: stamp)
      let decision = policy.decide(stamp: stamp, now: now)
      func kind(after span: Int64) -> DecisionKind {
        DecisionKind(policy.decide(stamp: stamp, now: now.goneOn(by: span)))
      }
      guard let next = decision.nextChange else {
        for _ in 0..<4 {
          let span = Int64.random(in: 0...(1 << 61), using: &cases.random)
          #expect(kind(after: span >> Int.random(in: 0..<50, using: &cases.random)) == DecisionKind(decision))
        }
        continue
      }
      changes += 1
      let span = (next - now.wall).wholeMilliseconds
      guard span > 0 else {
        Issue.record("The next change, \(next), isn't after now, \(now).")
        continue
      }
      #expect(kind(after: span - 1) == DecisionKind(decision))
      #expect(kind(after: Int64.random(in: 0..<span, using: &cases.random)) == DecisionKind(decision))
      #expect(kind(after: span) != DecisionKind(decision))
    }
    #expect(changes > 1200, "Too few cases change at all for this to mean anything.")
  }
}

extension Duration {
  fileprivate func goneOn(by span: Duration) -> Duration {
    let (sum, overflow) = attoseconds.addingReportingOverflow(span.attoseconds)
    guard overflow else { return Duration(attoseconds: sum) }
    return Duration(attoseconds: attoseconds < 0 ? .min : .max)
  }
}

extension ClockReading {
  /// The reading at a later wall time, or nil if the continuous clock can't go on as far.
  fileprivate func goneOn(to wall: Timestamp) -> ClockReading? {
    let milliseconds = Int128(wall.millisecondsSinceEpoch) - Int128(self.wall.millisecondsSinceEpoch)
    let (sum, overflow) = continuous.attoseconds.addingReportingOverflow(milliseconds * 1_000_000_000_000_000)
    guard !overflow else { return nil }
    return ClockReading(wall: wall, continuous: Duration(attoseconds: sum), boot: boot)
  }
}
