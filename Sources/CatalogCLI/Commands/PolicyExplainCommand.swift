import CatalogDomain

extension CommandSpec {
  /// Says what a policy decides about a catalog, and why.
  package static let policyExplain = CommandSpec(
    "explain",
    abstract: "Say what a policy decides about a catalog at one moment, by which rule, and until when.",
    discussion: [
      "The catalog is described by options: when it was last right, and what the server said. The decision is "
        + "the library's own; nothing is fetched and nothing is written."
    ],
    examples: [
      "policy explain --age 2d", "policy explain --age 5m --max-age 0s --must-revalidate --relaxed-offline",
    ],
    options: StampOptions.moments + StampOptions.terms + PolicyOptions.all + [
      SharedOptions.now.spec, SharedOptions.format.spec, SharedOptions.failIfStale.spec,
      SharedOptions.quiet.spec,
    ],
    exclusive: [StampOptions.moments] + PolicyOptions.exclusive,
    check: { call in
      if StampOptions.moments.contains(where: { call.has($0) }) { return nil }
      return "Missing the catalog's age. Give --age, --validated-at or --never-loaded."
    },
    run: { context throws(CommandFailure) in try PolicyExplainCommand(context: context).run() })
}

private struct PolicyExplainCommand {
  let context: CommandContext

  func run() throws(CommandFailure) -> ExitCode {
    let now = context.now
    let policy = try PolicyOptions.policy(of: context.call, console: context.console) ?? .standard
    let stamp = StampOptions.moment(of: context.call, now: now.wall)
      .map { StampOptions.stamp(of: context.call, validatedAt: $0) }
    let decision = policy.decide(stamp: stamp, now: now)
    try context.show(output(decision, stamp: stamp, policy: policy, now: now.wall))
    return context.call.has(SharedOptions.failIfStale) && decision.freshness != .fresh ? .stale : .done
  }

  private func output(
    _ decision: FreshnessDecision, stamp: CatalogStamp?, policy: FreshnessPolicy, now: Timestamp
  ) -> Output {
    let moments: [(Output.Column, Cell)] = [
      (.init("now", "Now"), .time(now)),
      (
        .init("validatedAt", "Validated"),
        stamp.map { .timeBeside($0.validatedAt.wall, now: now) } ?? .none
      ),
    ]
    return Output(
      command: context.call.name, record: moments + DecisionText.fields(decision, now: now),
      summary: PolicyText.facts(policy), notes: [PolicyText.sentence(policy)])
  }
}
