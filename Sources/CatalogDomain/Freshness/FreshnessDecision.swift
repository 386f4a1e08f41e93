/// What a policy decides about a catalog at one moment, and why.
public struct FreshnessDecision: Hashable, Sendable {
  /// How the catalog stands.
  public enum Freshness: String, Hashable, Sendable {
    /// Younger than its lifetime.
    case fresh
    /// Older than its lifetime, or not known to be younger.
    case stale
    /// Too old to be served at all.
    case expired
  }

  /// What a read that never touches the network does.
  public enum Reading: Hashable, Sendable {
    /// It serves what is held.
    case serve
    /// It fails as unavailable.
    case unavailable
  }

  /// What a `load` that asks for "fresh enough" does.
  public enum Loading: Hashable, Sendable {
    /// It serves what is held.
    case serve
    /// It serves what is held, and starts one refresh behind it.
    case serveAndRefresh
    /// It refreshes first; if that fails as an outage does, it may serve what is held and say so.
    case refreshFirst(mayServeStale: Bool)
  }

  /// The rule that decided.
  @nonexhaustive
  public enum Rule: String, Hashable, Sendable, CaseIterable {
    /// Nothing was ever loaded.
    case neverLoaded
    /// Nothing can be read; the status's presence says why.
    case unreadable
    /// The age is below the lifetime.
    case withinLifetime
    /// Past the lifetime by less than `staleWhileRevalidate`.
    case staleWhileRevalidate
    /// Past the lifetime by less than `staleIfError`.
    case staleIfError
    /// Past every bound.
    case pastEveryBound
    /// An invalidation marked the catalog stale.
    case markedStale
    /// The clocks contradict one another.
    case ageUnknown
    /// Stale, and the server's `must-revalidate` forbids serving it; `serverProhibitions: .relaxedOffline`
    /// would allow it.
    case forbiddenByMustRevalidate
    /// The server's `no-cache` forbids serving it without asking; `serverProhibitions: .relaxedOffline` would
    /// allow it.
    case forbiddenByNoCache
    /// The server's `no-store` forbids keeping it; nothing allows it.
    case forbiddenByNoStore
    /// Stale, and served although the server said `must-revalidate`, because the policy is relaxed.
    case relaxedMustRevalidate
    /// Served although the server said `no-cache`, because the policy is relaxed.
    case relaxedNoCache
  }

  /// How the catalog stands.
  public var freshness: Freshness
  /// The rule that decided.
  public var rule: Rule
  /// What `books()` and `snapshot()` do.
  public var books: Reading
  /// What `load(.freshEnough)` does.
  public var load: Loading
  /// The catalog's age in whole milliseconds; nil if it is unknown.
  public var age: Duration?
  /// The wall time at which time alone changes this decision; nil if it never does.
  public var nextChange: Timestamp?

  /// Creates a decision.
  public init(
    freshness: Freshness, rule: Rule, books: Reading, load: Loading, age: Duration?, nextChange: Timestamp?
  ) {
    self.freshness = freshness
    self.rule = rule
    self.books = books
    self.load = load
    self.age = age
    self.nextChange = nextChange
  }
}

extension FreshnessDecision {
  /// One sentence that says what the rule found, and what would change the outcome.
  public var explanation: String { rule.explanation }
}

extension FreshnessDecision.Rule {
  /// One sentence that says what the rule found, and what would change the outcome.
  public var explanation: String {
    switch self {
    case .neverLoaded: "Nothing was ever loaded; refresh first."
    case .unreadable: "Nothing can be read; the catalog's presence says why."
    case .withinLifetime: "The age is below the lifetime."
    case .staleWhileRevalidate:
      "The age is past the lifetime by less than stale-while-revalidate: served, and refreshed behind."
    case .staleIfError:
      "The age is past the lifetime by less than stale-if-error: refreshed first, served if the remote is out."
    case .pastEveryBound: "The age is past the lifetime and past every window after it; refresh first."
    case .markedStale: "An invalidation marked it stale; only a refresh begun after that makes it fresh."
    case .ageUnknown:
      "The clocks contradict one another, so the age is unknown and it counts as stale; refresh to set it right."
    case .forbiddenByMustRevalidate:
      "It is stale, and the server's must-revalidate forbids serving it; "
        + "a policy with server prohibitions relaxed offline would allow it."
    case .forbiddenByNoCache:
      "The server's no-cache forbids serving it without asking; "
        + "a policy with server prohibitions relaxed offline would allow it."
    case .forbiddenByNoStore: "The server's no-store forbids keeping it; nothing allows it."
    case .relaxedMustRevalidate:
      "It is stale and the server said must-revalidate; served because the policy relaxes that offline."
    case .relaxedNoCache: "The server said no-cache; served because the policy relaxes that offline."
    }
  }
}
