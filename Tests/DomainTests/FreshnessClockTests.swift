import CatalogDomain
import Testing

/// Clocks that lie: each case one millisecond before, at, and after the tolerance.
@Suite(.timeLimit(.minutes(5)))
struct FreshnessClockTests {
  private let policy = FreshnessPolicy.standard
  private let stamp = CatalogStamp(validatedAt: Start.reading)
  private static let tolerance: Int64 = 60_000
  private static let lifetime: Int64 = 600_000
  private static let outer = lifetime + 7 * 86_400_000

  /// A reading of the same boot whose clocks have gone on differently.
  private static func sameBoot(wall: Int64, continuous: Int64) -> ClockReading {
    ClockReading(
      wall: Start.wall(milliseconds: wall),
      continuous: Start.reading.continuous + .milliseconds(continuous), boot: Start.reading.boot)
  }

  // MARK: From the future

  @Test(arguments: [(-tolerance - 1, true), (-tolerance, false), (-tolerance + 1, false), (-1, false)])
  func `a stamp from the future within one boot`(wall: Int64, isUnknown: Bool) {
    let decision = policy.decide(stamp: stamp, now: Self.sameBoot(wall: wall, continuous: 5))
    #expect(DecisionKind(decision) == (isUnknown ? .heldStale(.ageUnknown) : .fresh))
    #expect(decision.age == (isUnknown ? nil : .milliseconds(5)))
  }

  @Test(arguments: [(-tolerance - 1, true), (-tolerance, false), (-tolerance + 1, false), (-1, false)])
  func `a stamp from the future across a reboot`(wall: Int64, isUnknown: Bool) {
    let decision = policy.decide(stamp: stamp, now: Start.rebooted(milliseconds: wall))
    #expect(DecisionKind(decision) == (isUnknown ? .heldStale(.ageUnknown) : .fresh))
    #expect(decision.age == (isUnknown ? nil : .zero))
  }

  @Test func `a stamp from the future is believed once the wall clock has caught up with it`() {
    for now in [Self.sameBoot(wall: -100_000, continuous: 5), Start.rebooted(milliseconds: -100_000)] {
      let decision = policy.decide(stamp: stamp, now: now)
      #expect(DecisionKind(decision) == .heldStale(.ageUnknown))
      #expect(decision.nextChange == Start.wall(milliseconds: -Self.tolerance))
      let before = policy.decide(stamp: stamp, now: now.goneOn(by: 39_999))
      #expect(DecisionKind(before) == .heldStale(.ageUnknown))
      let then = policy.decide(stamp: stamp, now: now.goneOn(by: 40_000))
      #expect(DecisionKind(then) == .fresh)
    }
  }

  @Test func `an age of zero lasts until the wall clock has caught up, and only then grows`() {
    let now = Start.rebooted(milliseconds: -30_000)
    let decision = policy.decide(stamp: stamp, now: now)
    #expect(DecisionKind(decision) == .fresh)
    #expect(decision.nextChange == Start.wall(milliseconds: Self.lifetime))
    #expect(
      DecisionKind(policy.decide(stamp: stamp, now: now.goneOn(by: 30_000 + Self.lifetime - 1))) == .fresh)
    #expect(
      DecisionKind(policy.decide(stamp: stamp, now: now.goneOn(by: 30_000 + Self.lifetime))) == .revalidating)
  }

  @Test func `a clock set back within a boot makes the age unknown, never fresh for ever`() {
    let now = Self.sameBoot(wall: -3_600_000, continuous: 1000)
    let decision = policy.decide(stamp: stamp, now: now)
    #expect(DecisionKind(decision) == .heldStale(.ageUnknown))
    // The continuous clock is the best guess, and bounds what may be served.
    let old = policy.decide(stamp: stamp, now: Self.sameBoot(wall: -3_600_000, continuous: Self.outer))
    #expect(DecisionKind(old) == .expired)
    let younger = policy.decide(
      stamp: stamp, now: Self.sameBoot(wall: -3_600_000, continuous: Self.outer - 1))
    #expect(DecisionKind(younger) == .heldStale(.ageUnknown))
    #expect(younger.nextChange == Self.sameBoot(wall: -3_600_000, continuous: 0).wall + .milliseconds(1))
  }

  // MARK: Reboots

  @Test func `across a reboot the age is the wall clock's, whatever the continuous clock says`() {
    let decision = policy.decide(stamp: stamp, now: Start.rebooted(milliseconds: 120_000))
    #expect(DecisionKind(decision) == .fresh)
    #expect(decision.age == .seconds(120))
  }

  @Test(arguments: [tolerance - 1, tolerance, tolerance + 1])
  func `a clock set back across a reboot is noticed by the latest wall time seen`(behind: Int64) {
    var stamp = stamp
    let seen: Int64 = 400_000
    stamp.latestWallSeen = Start.wall(milliseconds: seen)
    let decision = policy.decide(stamp: stamp, now: Start.rebooted(milliseconds: seen - behind))
    if behind > Self.tolerance {
      #expect(DecisionKind(decision) == .heldStale(.ageUnknown))
      #expect(decision.age == nil)
      #expect(decision.nextChange == Start.wall(milliseconds: seen - Self.tolerance))
    } else {
      #expect(DecisionKind(decision) == .fresh)
      #expect(decision.age == .milliseconds(seen - behind))
    }
  }

  @Test func `within a boot the latest wall time seen decides nothing`() {
    var stamp = stamp
    stamp.latestWallSeen = Start.wall(milliseconds: 10_000_000)
    let decision = policy.decide(stamp: stamp, now: Start.after(milliseconds: 1))
    #expect(DecisionKind(decision) == .fresh)
  }

  @Test func `the latest wall time seen is a guess of the age that bounds what may be served`() {
    var stamp = stamp
    for (seen, kind) in [
      (Self.outer - 1, DecisionKind.heldStale(.ageUnknown)), (Self.outer, .expired),
      (Self.outer + 1, .expired),
    ] {
      stamp.latestWallSeen = Start.wall(milliseconds: seen)
      let decision = policy.decide(stamp: stamp, now: Start.rebooted(milliseconds: 1000))
      #expect(DecisionKind(decision) == kind, "seen at \(seen) ms")
      #expect(decision.age == nil)
    }
  }

  @Test func `expired by a guess is no longer so once the clock is known to be right`() {
    var stamp = stamp
    stamp.latestWallSeen = Start.wall(milliseconds: Self.outer)
    let now = Start.rebooted(milliseconds: Self.outer - 70_000)
    let decision = policy.decide(stamp: stamp, now: now)
    #expect(DecisionKind(decision) == .expired)
    #expect(decision.nextChange == Start.wall(milliseconds: Self.outer - Self.tolerance))
    #expect(DecisionKind(policy.decide(stamp: stamp, now: now.goneOn(by: 9999))) == .expired)
    #expect(DecisionKind(policy.decide(stamp: stamp, now: now.goneOn(by: 10_000))) == .onError)
  }

  @Test(arguments: [("boot-1", nil), (nil, "boot-1"), (nil, nil)] as [(String?, String?)])
  func `a boot that can't be known is never the same boot`(before: String?, after: String?) {
    var stamp = stamp
    stamp.validatedAt.boot = before
    // By the continuous clock it would be a year old.
    let now = ClockReading(
      wall: Start.wall(milliseconds: 1000), continuous: Start.reading.continuous + .seconds(365 * 86_400),
      boot: after)
    let decision = policy.decide(stamp: stamp, now: now)
    #expect(DecisionKind(decision) == .fresh)
    #expect(decision.age == .seconds(1))
  }

  // MARK: Restored machines

  @Test(arguments: [tolerance - 1, tolerance, tolerance + 1])
  func `a wall clock that ran ahead of the continuous one is a restored machine`(ahead: Int64) {
    let decision = policy.decide(stamp: stamp, now: Self.sameBoot(wall: 7 + ahead, continuous: 7))
    if ahead > Self.tolerance {
      #expect(DecisionKind(decision) == .heldStale(.ageUnknown))
      #expect(decision.age == nil)
    } else {
      #expect(DecisionKind(decision) == .fresh)
      #expect(decision.age == .milliseconds(7))
    }
  }

  @Test func `a restored machine is served by its wall clock's guess, and stays unknown until then`() {
    let now = Self.sameBoot(wall: Self.outer - 1, continuous: 7)
    let decision = policy.decide(stamp: stamp, now: now)
    #expect(DecisionKind(decision) == .heldStale(.ageUnknown))
    #expect(decision.nextChange == Start.wall(milliseconds: Self.outer))
    #expect(DecisionKind(policy.decide(stamp: stamp, now: now.goneOn(by: 1))) == .expired)
  }

  @Test func `a wall clock that fell behind the continuous one within the tolerance is believed`() {
    let decision = policy.decide(
      stamp: stamp, now: Self.sameBoot(wall: -Self.tolerance, continuous: Self.lifetime))
    #expect(DecisionKind(decision) == .revalidating)
    #expect(decision.age == .milliseconds(Self.lifetime))
  }

  // MARK: What can't be

  @Test func `a continuous clock that went backwards within a boot makes the age unknown`() {
    let now = Self.sameBoot(wall: 1000, continuous: -1)
    let decision = policy.decide(stamp: stamp, now: now)
    #expect(DecisionKind(decision) == .heldStale(.ageUnknown))
    #expect(decision.nextChange == now.wall + .milliseconds(1))
    #expect(DecisionKind(policy.decide(stamp: stamp, now: now.goneOn(by: 1))) == .fresh)
  }

  @Test func `negative continuous clocks and moments before 1970 are clocks like any other`() {
    let validated = ClockReading(
      wall: Timestamp(millisecondsSinceEpoch: -5_000_000), continuous: .seconds(-100), boot: "b")
    let stamp = CatalogStamp(validatedAt: validated)
    let decision = policy.decide(stamp: stamp, now: validated.goneOn(by: Self.lifetime - 1))
    #expect(DecisionKind(decision) == .fresh)
    #expect(
      DecisionKind(policy.decide(stamp: stamp, now: validated.goneOn(by: Self.lifetime))) == .revalidating)
  }

  @Test func `a negative initial age doesn't make an answer younger`() {
    let stamp = CatalogStamp(validatedAt: Start.reading, initialAge: .seconds(-3600))
    let decision = policy.decide(stamp: stamp, now: Start.after(milliseconds: Self.lifetime))
    #expect(DecisionKind(decision) == .revalidating)
    #expect(decision.age == .milliseconds(Self.lifetime))
  }

  @Test func `an age that is unknown obeys prohibitions, and no-store has nothing to do with it`() {
    let now = Start.rebooted(milliseconds: -100_000)
    var stamp = stamp
    stamp.directives.mustRevalidate = true
    #expect(DecisionKind(policy.decide(stamp: stamp, now: now)) == .forbidden(.forbiddenByMustRevalidate))
    var relaxed = policy
    relaxed.serverProhibitions = .relaxedOffline
    #expect(DecisionKind(relaxed.decide(stamp: stamp, now: now)) == .heldStale(.relaxedMustRevalidate))
    stamp.directives.noStore = true
    #expect(DecisionKind(relaxed.decide(stamp: stamp, now: now)) == .forbidden(.forbiddenByNoStore))
  }

  @Test func `a negative tolerance is none`() {
    var strict = policy
    strict.futureTolerance = .seconds(-1)
    #expect(DecisionKind(strict.decide(stamp: stamp, now: Start.after(milliseconds: 1))) == .fresh)
    let ahead = Self.sameBoot(wall: 1, continuous: 0)
    #expect(DecisionKind(strict.decide(stamp: stamp, now: ahead)) == .heldStale(.ageUnknown))
  }
}
