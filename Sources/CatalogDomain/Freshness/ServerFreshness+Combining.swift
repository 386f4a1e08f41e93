extension ServerFreshness {
  /// Returns the terms of something that was made from two answers: the stricter of each.
  ///
  /// What only one of them says holds for both.
  package func strictest(with other: ServerFreshness) -> ServerFreshness {
    ServerFreshness(
      lifetime: Self.shorter(lifetime, other.lifetime),
      staleWhileRevalidate: Self.shorter(staleWhileRevalidate, other.staleWhileRevalidate),
      staleIfError: Self.shorter(staleIfError, other.staleIfError),
      mustRevalidate: mustRevalidate || other.mustRevalidate, noCache: noCache || other.noCache,
      noStore: noStore || other.noStore)
  }

  /// Returns what holds once an answer with these terms was confirmed (RFC 9111 §4.3.4).
  ///
  /// If the confirmation keeps the terms, only an end that it names may come earlier: whether what is held said
  /// `max-age`, which a later `Expires` doesn't prolong (RFC 9111 §5.3), isn't known any more.
  package func confirmed(by head: FetchHead) -> ServerFreshness {
    guard head.keepsDirectives ?? (head.freshness == ServerFreshness()) else { return head.freshness }
    var kept = self
    kept.lifetime = Self.shorter(lifetime, head.freshness.lifetime)
    kept.noCache = noCache || head.freshness.noCache
    return kept
  }

  private static func shorter(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}

extension FetchHead {
  /// Takes in the terms of another document of the same answer.
  package mutating func tighten(by freshness: ServerFreshness, initialAge: Duration) {
    self.freshness = self.freshness.strictest(with: freshness)
    self.initialAge = max(self.initialAge, initialAge)
  }
}
