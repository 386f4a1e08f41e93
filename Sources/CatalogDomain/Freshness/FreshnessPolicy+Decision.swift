extension FreshnessPolicy {
  /// Decides about a catalog at one moment: no clock, no I/O.
  ///
  /// Equality at a bound is past it. All arithmetic is in whole milliseconds and saturates.
  ///
  /// - Parameters:
  ///   - stamp: When and on what terms the catalog was last right; nil if nothing was ever loaded.
  ///   - now: What the clocks say.
  /// - Returns: The decision, the rule that made it, the age, and when the answer next changes.
  public func decide(stamp: CatalogStamp?, now: ClockReading) -> FreshnessDecision {
    guard let stamp else { return .refused(.expired, .neverLoaded, age: nil) }
    let bounds = Bounds(policy: self, directives: stamp.directives)
    var decision = judge(stamp, within: bounds, at: now)
    decision.nextChange =
      stamp.turningPoints(
        of: [bounds.lifetime, bounds.revalidating, bounds.outer], at: now, tolerance: futureTolerance
      )
      .sorted()
      .first { moment in
        moment > now.wall
          && !judge(stamp, within: bounds, at: now.goneOn(to: moment)).doesTheSame(as: decision)
      }
    return decision
  }

  /// Decides, and leaves open when that changes.
  private func judge(
    _ stamp: CatalogStamp, within bounds: Bounds, at now: ClockReading
  ) -> FreshnessDecision {
    let age = stamp.age(at: now, tolerance: futureTolerance)
    if stamp.directives.noStore { return .refused(.stale, .forbiddenByNoStore, age: age.known) }
    if let oldest = age.known ?? age.bestGuess, oldest >= bounds.outer {
      return .refused(.expired, .pastEveryBound, age: age.known)
    }
    if let age = age.known, age < bounds.lifetime, !stamp.isMarkedStale {
      return .served(.fresh, .withinLifetime, load: .serve, age: age)
    }

    // Stale from here on.
    if let forbidding = Prohibition(stamp.directives) {
      switch serverProhibitions {
      case .obeyed: return .refused(.stale, forbidding.forbiddenRule, age: age.known)
      case .relaxedOffline: return .refreshedFirst(forbidding.relaxedRule, age: age.known)
      }
    }
    guard let age = age.known else { return .refreshedFirst(.ageUnknown, age: nil) }
    if stamp.isMarkedStale { return .refreshedFirst(.markedStale, age: age) }
    if age < bounds.revalidating {
      return .served(.stale, .staleWhileRevalidate, load: .serveAndRefresh, age: age)
    }
    return .refreshedFirst(.staleIfError, age: age)
  }

  /// The ages, in milliseconds, at which the decision changes.
  private struct Bounds {
    /// Fresh below this.
    let lifetime: Int64
    /// Served while it is refreshed below this.
    let revalidating: Int64
    /// Served at all below this.
    let outer: Int64

    init(policy: FreshnessPolicy, directives: ServerFreshness) {
      var revalidating = policy.staleWhileRevalidate
      var onError = policy.staleIfError
      if case .honoured = policy.serverLifetimes {
        revalidating = min(revalidating, directives.staleWhileRevalidate ?? revalidating)
        onError = min(onError, directives.staleIfError ?? onError)
      }
      lifetime = policy.lifetime(under: directives).span.wholeMilliseconds
      self.revalidating = lifetime.addingSaturating(max(0, revalidating.wholeMilliseconds))
      outer = max(
        self.revalidating, lifetime.addingSaturating(max(0, onError.wholeMilliseconds)))
    }
  }

  private enum Prohibition {
    case mustRevalidate, noCache

    init?(_ directives: ServerFreshness) {
      if directives.noCache {
        self = .noCache
      } else if directives.mustRevalidate {
        self = .mustRevalidate
      } else {
        return nil
      }
    }

    var forbiddenRule: FreshnessDecision.Rule {
      switch self {
      case .mustRevalidate: .forbiddenByMustRevalidate
      case .noCache: .forbiddenByNoCache
      }
    }

    var relaxedRule: FreshnessDecision.Rule {
      switch self {
      case .mustRevalidate: .relaxedMustRevalidate
      case .noCache: .relaxedNoCache
      }
    }
  }
}

extension StampAge {
  fileprivate var known: Int64? {
    switch self {
    case .known(let age): age
    case .unknown: nil
    }
  }

  fileprivate var bestGuess: Int64? {
    switch self {
    case .known: nil
    case .unknown(let bestGuess): bestGuess
    }
  }
}

extension FreshnessDecision {
  /// Whether both decide alike, whatever the age.
  fileprivate func doesTheSame(as other: FreshnessDecision) -> Bool {
    freshness == other.freshness && rule == other.rule && books == other.books && load == other.load
  }

  fileprivate static func served(
    _ freshness: Freshness, _ rule: Rule, load: Loading, age: Int64?
  ) -> FreshnessDecision {
    FreshnessDecision(
      freshness: freshness, rule: rule, books: .serve, load: load, age: age.map { .milliseconds($0) },
      nextChange: nil)
  }

  /// Stale, refreshed first, and served if that fails as an outage does.
  fileprivate static func refreshedFirst(_ rule: Rule, age: Int64?) -> FreshnessDecision {
    served(.stale, rule, load: .refreshFirst(mayServeStale: true), age: age)
  }

  fileprivate static func refused(_ freshness: Freshness, _ rule: Rule, age: Int64?) -> FreshnessDecision {
    FreshnessDecision(
      freshness: freshness, rule: rule, books: .unavailable, load: .refreshFirst(mayServeStale: false),
      age: age.map { .milliseconds($0) }, nextChange: nil)
  }
}

extension ClockReading {
  /// The reading at a later wall time, were both clocks to go on evenly.
  fileprivate func goneOn(to moment: Timestamp) -> ClockReading {
    let milliseconds = Int128(moment.millisecondsSinceEpoch) - Int128(wall.millisecondsSinceEpoch)
    return ClockReading(
      wall: moment, continuous: continuous.addingSaturating(.milliseconds(milliseconds)), boot: boot)
  }
}
