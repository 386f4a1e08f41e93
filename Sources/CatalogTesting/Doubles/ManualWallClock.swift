public import CatalogDomain

/// A clock that stands still until a test moves it: forwards, backwards, across reboots, or as a restored
/// virtual machine sees time.
///
/// Every change is synchronous: what the test does next sees it, and so does everybody else who reads.
public final class ManualWallClock: WallClock {
  private struct State {
    var reading: ClockReading
    /// How far the continuous clock has gone in all; unlike its reading it isn't set back by a reboot.
    var elapsed = Duration.zero
    /// When each sleeper wakes, in `elapsed`.
    var deadlines: [Int: Duration] = [:]
    var nextSleeper = 0

    var sleepers: Int { deadlines.values.count { $0 > elapsed } }
  }

  private let state: Serialized<State>

  /// Creates a clock that stands still.
  ///
  /// - Parameters:
  ///   - wall: The time of day; 2026-01-01T00:00:00Z if none is given.
  ///   - continuous: What the clock since boot says.
  ///   - boot: Which boot it is; nil stands for a system that can't tell.
  public init(
    wall: Timestamp = Timestamp(millisecondsSinceEpoch: 1_767_225_600_000), continuous: Duration = .zero,
    boot: String? = "boot-1"
  ) {
    state = Serialized(
      State(reading: ClockReading(wall: wall, continuous: continuous, boot: boot)))
  }

  /// Returns what the test has set.
  public func read() -> ClockReading {
    state.read { $0.reading }
  }

  /// Lets time pass: both clocks go on, and whoever has slept long enough wakes.
  public func advance(by span: Duration) {
    precondition(span >= .zero, "Time can't pass by \(span); setWall(_:) sets the time of day back.")
    state.update { state in
      state.reading.wall = state.reading.wall + span
      state.reading.continuous += span
      state.elapsed += span
    }
  }

  /// Sets the time of day alone, as a person or a time server does.
  public func setWall(_ wall: Timestamp) {
    state.update { $0.reading.wall = wall }
  }

  /// Moves the time of day alone, forwards or backwards.
  public func stepWall(by span: Duration) {
    state.update { $0.reading.wall = $0.reading.wall + span }
  }

  /// Restarts the machine: another boot, whose continuous clock begins at zero.
  ///
  /// Whoever sleeps goes on sleeping: a real process would be gone.
  ///
  /// - Parameters:
  ///   - offlineFor: How long the machine was off.
  ///   - wallDrift: By how much more than that the time of day has moved; negative if it was set back.
  ///   - boot: The new boot; if none is given, one that differs from the boot before.
  public func reboot(offlineFor: Duration = .zero, wallDrift: Duration = .zero, boot: String? = nil) {
    precondition(offlineFor >= .zero, "A machine can't be off for \(offlineFor); give the drift for that.")
    state.update { state in
      let last = state.reading.boot
      state.reading = ClockReading(
        wall: state.reading.wall + offlineFor + wallDrift, continuous: .zero,
        boot: boot ?? last.map { "\($0)+" })
    }
  }

  /// Restores the machine from a snapshot taken some time ago: the time of day is right again, and the
  /// continuous clock and the boot are those of the snapshot, which is now.
  public func restore(after span: Duration) {
    stepWall(by: span)
  }

  /// Sets everything the clock says; sleepers are untouched.
  public func set(_ reading: ClockReading) {
    state.update { $0.reading = reading }
  }

  /// Waits until the test has let the span pass; returns at once if it is zero or less.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile, or was already.
  public func sleep(for span: Duration) async throws(CancellationError) {
    guard !Task.isCancelled else { throw CancellationError() }
    guard span > .zero else { return }
    let (sleeper, deadline) = state.update { state in
      state.nextSleeper += 1
      let deadline = state.elapsed + span
      state.deadlines[state.nextSleeper] = deadline
      return (state.nextSleeper, deadline)
    }
    defer { state.update { $0.deadlines[sleeper] = nil } }
    try await state.wait { $0.elapsed >= deadline }
  }

  /// How many tasks sleep now.
  public var sleepers: Int {
    state.read { $0.sleepers }
  }

  /// Waits until at least so many tasks sleep, so that a test knows it may let time pass.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile, as a test's time limit does.
  public func waitForSleepers(_ count: Int = 1) async throws(CancellationError) {
    try await state.wait { $0.sleepers >= count }
  }
}
