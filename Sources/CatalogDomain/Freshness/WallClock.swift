/// What the system's clocks say at one moment.
public struct ClockReading: Hashable, Sendable {
  /// The time of day, which may be set forwards and backwards.
  public var wall: Timestamp
  /// A clock that only goes forwards, counts sleep, and starts anew at each boot.
  public var continuous: Duration
  /// Which boot the continuous clock belongs to, time namespace included; nil if that can't be known.
  public var boot: String?

  /// Creates a reading.
  public init(wall: Timestamp, continuous: Duration, boot: String?) {
    self.wall = wall
    self.continuous = continuous
    self.boot = boot
  }
}

/// The port through which all time comes in.
public protocol WallClock: Sendable {
  /// Returns what the clocks say now.
  func read() -> ClockReading

  /// Waits until the continuous clock has gone on by a span.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile.
  func sleep(for span: Duration) async throws(CancellationError)
}
