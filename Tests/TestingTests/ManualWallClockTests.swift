import CatalogDomain
import CatalogTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ManualWallClockTests {
  private let start = ClockReading(
    wall: Timestamp(millisecondsSinceEpoch: 1_000_000), continuous: .seconds(50), boot: "first")
  private let clock: ManualWallClock

  init() {
    clock = ManualWallClock(wall: start.wall, continuous: start.continuous, boot: start.boot)
  }

  @Test func `time stands still until it is let pass, and then passes on both clocks`() {
    #expect(clock.read() == start)
    clock.advance(by: .milliseconds(1500))
    #expect(
      clock.read()
        == ClockReading(
          wall: start.wall + .milliseconds(1500), continuous: start.continuous + .milliseconds(1500),
          boot: "first"))
  }

  @Test func `setting and stepping the time of day leaves the continuous clock and the boot`() {
    clock.stepWall(by: .seconds(-3600))
    #expect(clock.read().wall == start.wall + .seconds(-3600))
    clock.setWall(Timestamp(millisecondsSinceEpoch: 7))
    #expect(clock.read().wall.millisecondsSinceEpoch == 7)
    #expect(clock.read().continuous == start.continuous)
    #expect(clock.read().boot == "first")
  }

  @Test func `a reboot is another boot whose continuous clock begins anew`() {
    clock.reboot(offlineFor: .seconds(60), wallDrift: .seconds(-10))
    #expect(clock.read().wall == start.wall + .seconds(50))
    #expect(clock.read().continuous == .zero)
    #expect(clock.read().boot != "first")
    let second = clock.read().boot
    clock.reboot()
    #expect(clock.read().boot != second)
    #expect(clock.read().boot != "first")
    clock.reboot(boot: "named")
    #expect(clock.read().boot == "named")
  }

  @Test func `a system that can't tell its boot still can't after a reboot`() {
    let clock = ManualWallClock(boot: nil)
    clock.reboot()
    #expect(clock.read().boot == nil)
  }

  @Test func `a restored machine's wall clock is ahead of its continuous clock`() {
    clock.restore(after: .seconds(900))
    #expect(clock.read().wall == start.wall + .seconds(900))
    #expect(clock.read().continuous == start.continuous)
    #expect(clock.read().boot == "first")
  }

  @Test func `a sleeper wakes when its span has passed, and not a millisecond before`() async throws {
    let clock = clock
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(9999))
    #expect(clock.sleepers == 1)
    clock.setWall(Timestamp(millisecondsSinceEpoch: .max))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))
    #expect(clock.sleepers == 0)
    try await sleeper.value
  }

  @Test func `a sleeper that is cancelled throws, and sleeps no more`() async throws {
    let clock = clock
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    try await clock.waitForSleepers()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleepers == 0)
  }

  @Test func `a task that is cancelled already doesn't begin to sleep`() async {
    let clock = clock
    let entrance = ManualWallClock()
    let sleeper = Task {
      await #expect(throws: CancellationError.self) { try await entrance.sleep(for: .seconds(1)) }
      try await clock.sleep(for: .seconds(10))
    }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleepers == 0)
  }

  @Test func `a span of nothing is over at once`() async throws {
    try await clock.sleep(for: .zero)
    try await clock.sleep(for: .seconds(-1))
  }

  @Test func `waiting for sleepers ends when the waiting task is cancelled`() async {
    let clock = clock
    let waiting = Task { try await clock.waitForSleepers(3) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test func `many sleepers wake each at their own moment, whoever moves the clock`() async throws {
    let clock = clock
    try await withThrowingTaskGroup(of: Void.self) { group in
      for span in 1...200 {
        group.addTask { try await clock.sleep(for: .milliseconds(span)) }
      }
      try await clock.waitForSleepers(200)
      for _ in 1...4 {
        group.addTask { for _ in 1...50 { clock.advance(by: .milliseconds(1)) } }
      }
      try await group.waitForAll()
    }
    #expect(clock.read().continuous == start.continuous + .milliseconds(200))
    #expect(clock.sleepers == 0)
  }
}
