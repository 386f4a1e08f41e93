package import CatalogDomain

/// The words for a decision's parts, and their columns: the same in every output that shows a decision.
package enum DecisionText {
  package static func reading(_ reading: FreshnessDecision.Reading) -> Cell {
    switch reading {
    case .serve: .text("serve")
    case .unavailable: .text("unavailable")
    }
  }

  package static func loading(_ loading: FreshnessDecision.Loading) -> Cell {
    switch loading {
    case .serve: .text("serve")
    case .serveAndRefresh: .term("serveAndRefresh", shown: "serve, refresh behind")
    case .refreshFirst(mayServeStale: true):
      .term("refreshFirstMayServeStale", shown: "refresh first, else serve stale")
    case .refreshFirst(mayServeStale: false): .term("refreshFirst", shown: "refresh first, else fail")
    }
  }

  /// Returns the fields of a decision for a record.
  package static func fields(
    _ decision: FreshnessDecision, now: Timestamp
  ) -> [(Output.Column, Cell)] {
    [
      (.init("freshness", "Freshness"), .text(decision.freshness.rawValue)),
      (.init("rule", "Rule"), .text(decision.rule.rawValue)),
      (.init("explanation", "Because"), .text(decision.rule.explanation)),
      (.init("books", "Reading"), reading(decision.books)),
      (.init("load", "Loading"), loading(decision.load)),
      (.init("ageSeconds", "Age"), .age(decision.age)),
      (
        .init("nextChange", "Next change"),
        decision.nextChange.map { .timeBeside($0, now: now) } ?? .none
      ),
    ]
  }
}

/// The fields of a policy, the same in every output that shows one.
package enum PolicyText {
  /// Returns the fields of a policy for a record; as JSON they are a policy's file, which can be read back.
  package static func fields(_ policy: FreshnessPolicy) -> [(Output.Column, Cell)] {
    let serverLifetimes: Cell
    switch policy.serverLifetimes {
    case .ignored: serverLifetimes = .text("ignored")
    case .honoured(let bounds):
      let texts = [bounds.lowerBound, bounds.upperBound].map(DurationText.text)
      serverLifetimes = .object(
        [.init("within", .list(texts))], shown: "honoured from \(texts[0]) to \(texts[1])")
    }
    return [
      (.init("lifetime", "Lifetime"), .duration(policy.lifetime)),
      (.init("staleWhileRevalidate", "Stale while revalidate"), .duration(policy.staleWhileRevalidate)),
      (.init("staleIfError", "Stale if error"), .duration(policy.staleIfError)),
      (.init("serverLifetimes", "Server's lifetimes"), serverLifetimes),
      (.init("serverProhibitions", "Server's prohibitions"), .text(prohibitions(policy))),
      (.init("futureTolerance", "Clock tolerance"), .duration(policy.futureTolerance)),
    ]
  }

  /// Returns the fields of a policy as facts of a summary.
  package static func facts(_ policy: FreshnessPolicy) -> [Output.Fact] {
    fields(policy).map { Output.Fact($0.key, $1) }
  }

  /// Returns one sentence, without a capital letter at its start, that says what a policy is.
  package static func sentence(_ policy: FreshnessPolicy) -> String {
    let server =
      switch policy.serverLifetimes {
      case .ignored: "the server's lifetimes are ignored"
      case .honoured: "the server's lifetimes are honoured"
      }
    return "fresh for \(DurationText.text(policy.lifetime)), then "
      + "\(DurationText.text(policy.staleWhileRevalidate)) served while refreshed and "
      + "\(DurationText.text(policy.staleIfError)) on an outage; \(server), its prohibitions "
      + "\(policy.serverProhibitions == .obeyed ? "obeyed" : "relaxed offline")."
  }

  private static func prohibitions(_ policy: FreshnessPolicy) -> String {
    policy.serverProhibitions.rawValue
  }
}
