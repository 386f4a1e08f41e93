/// How old a catalog may be for what: a pure value, decided by a pure function.
///
/// The words are those of RFC 9111 §4.2 and RFC 5861: an answer is *fresh* during its lifetime, and *stale*
/// after it. Both windows after the lifetime are counted from the end of the lifetime.
public struct FreshnessPolicy: Hashable, Sendable {
  /// What becomes of the lifetimes that a server gives.
  public enum ServerLifetimes: Hashable, Sendable {
    /// They are ignored; the policy's own hold.
    case ignored
    /// A lifetime is brought within these bounds, and a window may shorten the policy's own, never extend it.
    case honoured(within: ClosedRange<Duration>)
  }

  /// What becomes of a server's `must-revalidate` and `no-cache`; `no-store` is always obeyed.
  public enum ServerProhibitions: String, Hashable, Sendable, Codable {
    /// They are obeyed.
    case obeyed
    /// A stale catalog is served all the same when it can't be refreshed, for an app that has to work
    /// underground while its server sends `max-age=0, must-revalidate` with everything.
    case relaxedOffline
  }

  /// How long a catalog is fresh if the server doesn't say; 10 minutes.
  public var lifetime: Duration
  /// How long past its lifetime it is served while one refresh runs behind; 24 hours.
  public var staleWhileRevalidate: Duration
  /// How long past its lifetime it is served if a refresh fails as an outage does; 7 days.
  public var staleIfError: Duration
  /// What becomes of the server's lifetimes; honoured from zero to 7 days.
  public var serverLifetimes: ServerLifetimes
  /// What becomes of the server's prohibitions; obeyed.
  public var serverProhibitions: ServerProhibitions
  /// How far clocks may disagree before an age counts as unknown; 60 seconds.
  public var futureTolerance: Duration

  /// Creates the standard policy.
  public init() {
    lifetime = .seconds(600)
    staleWhileRevalidate = .seconds(86_400)
    staleIfError = .seconds(7 * 86_400)
    serverLifetimes = .honoured(within: .zero ... .seconds(7 * 86_400))
    serverProhibitions = .obeyed
    futureTolerance = .seconds(60)
  }

  /// Creates a policy from what an app wants.
  ///
  /// - Parameters:
  ///   - freshFor: How long a catalog is shown without asking again.
  ///   - usableOfflineFor: How long, in all, it may be shown when the remote can't be asked; at least
  ///     `freshFor`. It is refreshed behind what is shown during the first 24 hours past `freshFor`.
  public init(freshFor: Duration, usableOfflineFor: Duration) {
    self.init()
    lifetime = freshFor
    staleIfError = max(.zero, usableOfflineFor - freshFor)
    staleWhileRevalidate = min(staleWhileRevalidate, staleIfError)
  }

  /// The standard policy: fresh for 10 minutes, 24 hours served while refreshed, 7 days on an outage.
  public static let standard = FreshnessPolicy()

  /// Checks that no duration is negative.
  ///
  /// - Throws: ``CatalogError`` with code ``CatalogError/Code/invalidPolicy`` that names the field.
  public func validate() throws(CatalogError) {
    var durations = [
      ("lifetime", lifetime), ("staleWhileRevalidate", staleWhileRevalidate), ("staleIfError", staleIfError),
      ("futureTolerance", futureTolerance),
    ]
    if case .honoured(let bounds) = serverLifetimes {
      durations.append(("serverLifetimes' lower bound", bounds.lowerBound))
    }
    for (name, duration) in durations where duration < .zero {
      throw CatalogError(.invalidPolicy, "The policy's \(name) is negative; give it zero or more.")
    }
  }
}

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
    let directives = stamp.directives
    let age = stamp.age(at: now, tolerance: futureTolerance)
    if directives.noStore { return .refused(.stale, .forbiddenByNoStore, age: age.known) }

    let bounds = Bounds(policy: self, directives: directives)
    let oldest = age.known ?? age.bestGuess
    if let oldest, oldest >= bounds.outer {
      return .refused(.expired, .pastEveryBound, age: age.known)
    }

    /// The wall time at which the age reaches a bound, were the clocks to go on evenly.
    func moment(of bound: Int64) -> Timestamp? {
      guard let oldest, bound < .max else { return nil }
      return now.wall + .milliseconds(bound.subtractingSaturating(oldest))
    }

    if case .known(let age) = age, age < bounds.lifetime, !stamp.isMarkedStale {
      return .served(
        .fresh, .withinLifetime, load: .serve, age: age,
        nextChange: moment(of: bounds.lifetime))
    }

    // Stale from here on.
    if let forbidding = Prohibition(directives) {
      switch serverProhibitions {
      case .obeyed:
        return .refused(
          .stale, forbidding.forbiddenRule, age: age.known, nextChange: moment(of: bounds.outer))
      case .relaxedOffline:
        return .served(
          .stale, forbidding.relaxedRule, load: .refreshFirst(mayServeStale: true), age: age.known,
          nextChange: moment(of: bounds.outer))
      }
    }
    guard let known = age.known else {
      // A stamp from the future stops being one once the wall clock has caught up with it.
      let caughtUp = oldest == nil ? stamp.validatedAt.wall + (.zero - futureTolerance) : nil
      return .served(
        .stale, .ageUnknown, load: .refreshFirst(mayServeStale: true), age: nil,
        nextChange: moment(of: bounds.outer) ?? caughtUp)
    }
    if stamp.isMarkedStale {
      return .served(
        .stale, .markedStale, load: .refreshFirst(mayServeStale: true), age: known,
        nextChange: moment(of: bounds.outer))
    }
    if known < bounds.revalidating {
      return .served(
        .stale, .staleWhileRevalidate, load: .serveAndRefresh, age: known,
        nextChange: moment(of: bounds.revalidating))
    }
    return .served(
      .stale, .staleIfError, load: .refreshFirst(mayServeStale: true), age: known,
      nextChange: moment(of: bounds.outer))
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
      var lifetime = policy.lifetime
      var revalidating = policy.staleWhileRevalidate
      var onError = policy.staleIfError
      if case .honoured(let bounds) = policy.serverLifetimes {
        if let given = directives.lifetime {
          lifetime = min(max(given, bounds.lowerBound), bounds.upperBound)
        }
        revalidating = min(revalidating, directives.staleWhileRevalidate ?? revalidating)
        onError = min(onError, directives.staleIfError ?? onError)
      }
      // `no-cache` means that no age is fresh enough to be used without asking (RFC 9111 §5.2.2.4).
      self.lifetime = directives.noCache ? 0 : max(0, lifetime.wholeMilliseconds)
      self.revalidating = self.lifetime.addingSaturating(max(0, revalidating.wholeMilliseconds))
      outer = max(
        self.revalidating, self.lifetime.addingSaturating(max(0, onError.wholeMilliseconds)))
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
  fileprivate static func served(
    _ freshness: Freshness, _ rule: Rule, load: Loading, age: Int64?, nextChange: Timestamp?
  ) -> FreshnessDecision {
    FreshnessDecision(
      freshness: freshness, rule: rule, books: .serve, load: load, age: age.map { .milliseconds($0) },
      nextChange: nextChange)
  }

  fileprivate static func refused(
    _ freshness: Freshness, _ rule: Rule, age: Int64?, nextChange: Timestamp? = nil
  ) -> FreshnessDecision {
    FreshnessDecision(
      freshness: freshness, rule: rule, books: .unavailable, load: .refreshFirst(mayServeStale: false),
      age: age.map { .milliseconds($0) }, nextChange: nextChange)
  }
}
