/// What a server said about how long its answer may be used: RFC 9111 §5.2.2, RFC 5861.
public struct ServerFreshness: Hashable, Sendable {
  /// How long the answer is fresh, from when the server made it; nil if the server didn't say.
  public var lifetime: Duration?
  /// How long past its lifetime it may be served while it is refreshed behind; nil if the server didn't say.
  public var staleWhileRevalidate: Duration?
  /// How long past its lifetime it may be served when the server is out of order; nil if it didn't say.
  public var staleIfError: Duration?
  /// Whether it may not be served stale (`must-revalidate`).
  public var mustRevalidate: Bool
  /// Whether it may not be served at all without asking first (`no-cache`).
  public var noCache: Bool
  /// Whether it may not be kept (`no-store`).
  public var noStore: Bool

  /// Creates what a server said; by default it said nothing.
  public init(
    lifetime: Duration? = nil, staleWhileRevalidate: Duration? = nil, staleIfError: Duration? = nil,
    mustRevalidate: Bool = false, noCache: Bool = false, noStore: Bool = false
  ) {
    self.lifetime = lifetime
    self.staleWhileRevalidate = staleWhileRevalidate
    self.staleIfError = staleIfError
    self.mustRevalidate = mustRevalidate
    self.noCache = noCache
    self.noStore = noStore
  }
}

/// When and on what terms a catalog was last found to be right.
public struct CatalogStamp: Hashable, Sendable {
  /// What the clocks said when the request was sent that the answer belongs to.
  public var validatedAt: ClockReading
  /// How old the answer already was by then (RFC 9111 §4.2.3).
  public var initialAge: Duration
  /// What the server said about its use.
  public var directives: ServerFreshness
  /// Whether an invalidation has said since that it isn't fresh any more.
  public var isMarkedStale: Bool
  /// The latest wall time seen since the answer came, so that a clock set back across a reboot is noticed;
  /// nil if none was noted.
  public var latestWallSeen: Timestamp?

  /// Creates a stamp.
  public init(
    validatedAt: ClockReading, initialAge: Duration = .zero, directives: ServerFreshness = .init(),
    isMarkedStale: Bool = false, latestWallSeen: Timestamp? = nil
  ) {
    self.validatedAt = validatedAt
    self.initialAge = initialAge
    self.directives = directives
    self.isMarkedStale = isMarkedStale
    self.latestWallSeen = latestWallSeen
  }
}

/// How old an answer is, as far as the clocks can be believed.
package enum StampAge: Hashable, Sendable {
  /// The age in milliseconds, zero or more.
  case known(Int64)
  /// The clocks contradict one another; `bestGuess` is the largest age, in milliseconds, that any of them
  /// suggests.
  case unknown(bestGuess: Int64?)
}

extension CatalogStamp {
  /// Returns how old the answer is now; saturates.
  package func age(at now: ClockReading, tolerance: Duration) -> StampAge {
    let clocks = Clocks(self, now, tolerance)
    if clocks.areTrustworthy {
      return .known(clocks.initial.addingSaturating(max(0, clocks.byContinuous ?? clocks.byWall)))
    }
    let seen = latestWallSeen.map { ($0 - validatedAt.wall).wholeMilliseconds }
    let guess = [clocks.byWall, clocks.byContinuous, seen].compactMap(\.self).filter { $0 >= 0 }.max()
    return .unknown(bestGuess: guess.map { clocks.initial.addingSaturating($0) })
  }

  /// Returns the wall times at which, were the clocks to go on evenly, the age may become known or reach one
  /// of the ages given, in milliseconds: every such moment is among them, and others may be.
  package func turningPoints(of ages: [Int64], at now: ClockReading, tolerance: Duration) -> [Timestamp] {
    let clocks = Clocks(self, now, tolerance)
    // The wall clock catches up with a stamp from the future, or with what was seen before a reboot.
    var moments = [validatedAt.wall, latestWallSeen].compactMap(\.self)
      .map { $0 + .milliseconds(-clocks.tolerance) }
    for age in [clocks.initial] + ages {
      let remaining = max(0, age.subtractingSaturating(clocks.initial))
      moments.append(validatedAt.wall + .milliseconds(remaining))
      if let byContinuous = clocks.byContinuous {
        moments.append(now.wall + .milliseconds(remaining.subtractingSaturating(byContinuous)))
      }
    }
    return moments
  }

  /// What the clocks say has passed, in whole milliseconds.
  private struct Clocks {
    let tolerance: Int64
    /// How old the answer was to begin with.
    let initial: Int64
    /// What has passed by the wall clock.
    let byWall: Int64
    /// What has passed by the continuous clock; nil if that was another boot's.
    let byContinuous: Int64?
    /// By how much the latest wall time seen is later than now.
    let seenAhead: Int64?

    init(_ stamp: CatalogStamp, _ now: ClockReading, _ tolerance: Duration) {
      self.tolerance = max(0, tolerance.wholeMilliseconds)
      initial = max(0, stamp.initialAge.wholeMilliseconds)
      byWall = (now.wall - stamp.validatedAt.wall).wholeMilliseconds
      let isSameBoot = now.boot != nil && now.boot == stamp.validatedAt.boot
      byContinuous =
        isSameBoot
        ? now.continuous.subtractingSaturating(stamp.validatedAt.continuous).wholeMilliseconds : nil
      seenAhead = stamp.latestWallSeen.map { ($0 - now.wall).wholeMilliseconds }
    }

    var areTrustworthy: Bool {
      // A stamp from the future: the clock was set back, or was wrong when the stamp was made.
      guard byWall >= -tolerance else { return false }
      if let byContinuous {
        // The continuous clock can't run backwards within a boot, and falls behind the wall clock only if
        // the machine was stopped without noticing, as a restored virtual machine was.
        return byContinuous >= 0 && byWall.subtractingSaturating(byContinuous) <= tolerance
      }
      guard let seenAhead else { return true }
      return seenAhead <= tolerance
    }
  }
}
