extension FreshnessPolicy {
  /// Who decided how long an answer is fresh.
  @nonexhaustive
  public enum LifetimeSource: String, Hashable, Sendable {
    /// The policy: the server said nothing, or is ignored.
    case policy
    /// The server, within the policy's bounds.
    case server
    /// The server gave one outside the policy's bounds; the nearer bound holds.
    case bounded
    /// The server's `no-cache`: no age is fresh enough to be used without asking.
    case noCache
  }

  /// Returns how long an answer is fresh under what the server said of it, and who decided that.
  public func lifetime(under directives: ServerFreshness) -> (span: Duration, source: LifetimeSource) {
    // RFC 9111 §5.2.2.4.
    if directives.noCache { return (.zero, .noCache) }
    guard case .honoured(let bounds) = serverLifetimes, let given = directives.lifetime else {
      return (max(.zero, lifetime), .policy)
    }
    let held = min(max(given, bounds.lowerBound), bounds.upperBound)
    return (max(.zero, held), held == given ? .server : .bounded)
  }
}
