extension HTTPFreshness {
  /// One term of the reckoning of age and lifetime.
  public struct Term: Hashable, Sendable {
    /// What a term is worth.
    public enum Value: Hashable, Sendable {
      /// A moment of wall-clock time.
      case moment(Timestamp)
      /// A span of time.
      case span(Duration)
      /// Whether something holds.
      case truth(Bool)
      /// The server didn't say, or not so that it can be read.
      case unsaid
    }

    /// The term, by its name in the RFC where it has one: `apparent_age`.
    public var name: String
    /// What it is worth.
    public var value: Value
    /// How it was come by, for a person: "response_time - date_value, not below zero".
    public var reason: String
    /// The section that defines it: "RFC 9111 §4.2.3".
    public var section: String
  }

  /// Returns the reckoning of RFC 9111 §4.2 term by term, each from those before it.
  ///
  /// - Parameter now: The moment at which the age is asked for.
  public func terms(at now: Timestamp) -> [Term] {
    ageTerms(at: now) + useTerms(at: now)
  }

  private func ageTerms(at now: Timestamp) -> [Term] {
    let age = "RFC 9111 §4.2.3"
    return [
      Term(
        name: "date_value", value: date.map { .moment($0) } ?? .unsaid,
        reason: date == nil ? "no Date that can be read; response_time stands for it" : "Date",
        section: "RFC 9110 §6.6.1"),
      Term(
        name: "age_value", value: .span(ageValue), reason: "Age, or zero if it can't be read",
        section: "RFC 9111 §5.1"),
      Term(
        name: "request_time", value: .moment(requestedAt), reason: "when the request was sent", section: age),
      Term(name: "response_time", value: .moment(receivedAt), reason: "when the answer came", section: age),
      Term(
        name: "apparent_age", value: .span(apparentAge),
        reason: "response_time - date_value, not below zero", section: age),
      Term(
        name: "response_delay", value: .span(responseDelay), reason: "response_time - request_time",
        section: age),
      Term(
        name: "corrected_age_value", value: .span(ageValue + responseDelay),
        reason: "age_value + response_delay", section: age),
      Term(
        name: "corrected_initial_age", value: .span(correctedInitialAge),
        reason: "the larger of apparent_age and corrected_age_value", section: age),
      Term(
        name: "initial_age", value: .span(initialAge),
        reason: "corrected_initial_age - response_delay: the age when it was asked for", section: age),
      Term(
        name: "resident_time", value: .span(max(.zero, now - receivedAt)),
        reason: "now - response_time, not below zero", section: age),
      Term(
        name: "current_age", value: .span(self.age(at: now)),
        reason: "corrected_initial_age + resident_time", section: age),
    ]
  }

  private func useTerms(at now: Timestamp) -> [Term] {
    let lifetimeReason =
      switch lifetimeSource {
      case .maxAge: "max-age, which goes before Expires"
      case .expires: "Expires - date_value, not below zero"
      case .heuristic: "a tenth of date_value - Last-Modified, within its cap"
      case .garbled: "what was said can't be read, which counts as stale"
      case .none: "the server didn't say; the policy's own lifetime holds"
      }
    var terms = [
      Term(
        name: "freshness_lifetime", value: directives.lifetime.map { .span($0) } ?? .unsaid,
        reason: lifetimeReason, section: "RFC 9111 §4.2.1"),
      Term(
        name: "response_is_fresh",
        value: directives.lifetime.map { .truth($0 > age(at: now)) } ?? .unsaid,
        reason: "freshness_lifetime > current_age; equality is stale", section: "RFC 9111 §4.2"),
    ]
    if let window = directives.staleWhileRevalidate {
      terms.append(
        Term(
          name: "stale-while-revalidate", value: .span(window),
          reason: "served past its lifetime while it is asked for", section: "RFC 5861 §3"))
    }
    if let window = directives.staleIfError {
      terms.append(
        Term(
          name: "stale-if-error", value: .span(window),
          reason: "served past its lifetime when the server is out of order", section: "RFC 5861 §4"))
    }
    let flags = [
      ("no-store", directives.noStore, "nothing may be kept", "RFC 9111 §5.2.2.5"),
      (
        "no-cache", directives.noCache,
        variesByEverything ? "Vary: * fits no other request" : "never used without asking",
        variesByEverything ? "RFC 9111 §4.1" : "RFC 9111 §5.2.2.4"
      ),
      ("must-revalidate", directives.mustRevalidate, "never used once stale", "RFC 9111 §5.2.2.2"),
      ("immutable", isImmutable, "asking during the lifetime is of no use", "RFC 8246 §2"),
    ]
    for (name, holds, reason, section) in flags where holds {
      terms.append(Term(name: name, value: .truth(true), reason: reason, section: section))
    }
    return terms
  }
}
