package import CatalogDomain

extension CommandSpec {
  /// Shows at which ages a policy changes its mind.
  package static let policySimulate = CommandSpec(
    "simulate",
    abstract: "Show at which ages a policy's decision about a catalog changes, if nothing but time passes.",
    discussion: [
      "The catalog is one that was right a moment ago, or at --validated-at, on the terms that the options "
        + "give. Each row holds until the next one."
    ],
    examples: [
      "policy simulate", "policy simulate --lifetime 1h --sie 30d",
      "policy simulate --max-age 0s --must-revalidate",
    ],
    options: [StampOptions.validatedAt.spec] + StampOptions.terms + PolicyOptions.all + [
      SharedOptions.now.spec, SharedOptions.format.spec, SharedOptions.quiet.spec,
    ],
    exclusive: PolicyOptions.exclusive,
    run: { context throws(CommandFailure) in
      let now = context.now.wall
      let change = try PolicyOptions.change(of: context.call, console: context.console)
      let policy = change?(.standard) ?? .standard
      let validatedAt = StampOptions.moment(of: context.call, now: now) ?? now
      let timeline = PolicyTimeline(
        policy: policy, stamp: StampOptions.stamp(of: context.call, validatedAt: validatedAt),
        from: min(now, validatedAt))
      try context.show(
        timeline.output(command: context.call.name, policy: policy, validatedAt: validatedAt))
      return .done
    })
}

/// The decisions about one stamp as time passes, found by asking the policy at each moment at which it says
/// that its answer changes.
package struct PolicyTimeline: Sendable {
  /// A decision and the moment from which it holds.
  package struct Step: Hashable, Sendable {
    package let from: Timestamp
    package let decision: FreshnessDecision
  }

  /// The steps, in order of time.
  package let steps: [Step]

  /// Follows a policy's decisions from a moment on.
  package init(policy: FreshnessPolicy, stamp: CatalogStamp, from start: Timestamp) {
    var steps: [Step] = []
    var moment: Timestamp? = start
    while let now = moment {
      let decision = policy.decide(stamp: stamp, now: ClockReading(wall: now, continuous: .zero, boot: nil))
      if steps.last.map({ !Self.isSame($0.decision, decision) }) ?? true {
        steps.append(Step(from: now, decision: decision))
      }
      // A moment that isn't later than this one would be asked for ever.
      moment = decision.nextChange.flatMap { $0 > now ? $0 : nil }
    }
    self.steps = steps
  }

  /// The clocks may bring a new moment without a new decision: while a stamp is from the near future.
  private static func isSame(_ first: FreshnessDecision, _ second: FreshnessDecision) -> Bool {
    first.freshness == second.freshness && first.rule == second.rule && first.books == second.books
      && first.load == second.load
  }

  fileprivate func output(command: String, policy: FreshnessPolicy, validatedAt: Timestamp) -> Output {
    Output(
      command: command,
      columns: [
        .init("from", "From"), .init("ageSeconds", "Age"),
        .init("freshness", "Freshness"), .init("rule", "Rule"), .init("books", "Reading"),
        .init("load", "Loading"), .init("explanation", nil),
      ],
      rows: steps.map { step in
        let decision = step.decision
        return [
          .time(step.from), decision.age.map(Cell.exactAge) ?? .none,
          .text(decision.freshness.rawValue), .text(decision.rule.rawValue),
          DecisionText.reading(decision.books), DecisionText.loading(decision.load),
          .text(decision.rule.explanation),
        ]
      },
      summary: [Output.Fact("validatedAt", .time(validatedAt))] + PolicyText.facts(policy),
      notes: ["Policy: " + PolicyText.sentence(policy)])
  }
}
