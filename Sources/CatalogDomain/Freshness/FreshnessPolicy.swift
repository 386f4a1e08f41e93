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
    staleIfError = max(.zero, usableOfflineFor.subtractingSaturating(freshFor))
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
