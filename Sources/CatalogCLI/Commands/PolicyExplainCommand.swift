import CatalogDomain
import CatalogRepository

extension CommandSpec {
  /// Says what a policy decides about a catalog, and why.
  package static let policyExplain = CommandSpec(
    "explain",
    abstract: "Say what a policy decides about a catalog at one moment, by which rule, and until when.",
    discussion: [
      "The catalog is one of a database; or it is described by options: when it was last right, and what the "
        + "server said. \(PolicyOptions.discussion) The decision is the library's own; nothing is fetched and "
        + "nothing is written.",
      "With --headers what the server said is read from an answer's header fields, as 'curl -i' or 'curl -I' "
        + "prints them, and age and lifetime are reckoned term by term as RFC 9111 has it. The answer was asked "
        + "for at --age or --validated-at, else at its Date, else now; it took no time unless --took says so.",
    ],
    examples: [
      "policy explain --db t.sqlite --account ada --now +7d", "policy explain --age 2d",
      "policy explain --age 5m --max-age 0s --must-revalidate --relaxed-offline",
      "policy explain --headers answer.txt --age 5m",
    ],
    options: SharedOptions.scope + HeaderExplanation.options + StampOptions.moments + StampOptions.terms
      + PolicyOptions.all + SharedOptions.readingEnd,
    exclusive: [StampOptions.moments] + PolicyOptions.exclusive + HeaderExplanation.exclusive
      + SharedOptions.scope.flatMap { option in
        (StampOptions.moments + StampOptions.terms).map { [option, $0] }
      },
    check: HeaderExplanation.problem,
    run: { context throws(CommandFailure) in try PolicyExplainCommand(context: context).run() })
}

private struct PolicyExplainCommand {
  let context: CommandContext

  func run() throws(CommandFailure) -> ExitCode {
    let now = context.now
    let change = try PolicyOptions.change(of: context.call, console: context.console)
    if let headers = try HeaderExplanation(context) {
      let policy = change?(.standard) ?? .standard
      let stamp = headers.stamp(of: context.call)
      let decision = policy.decide(stamp: stamp, now: now)
      let record = output(decision, stamp: stamp, policy: policy, now: now.wall)
      return try context.show(headers.output(record, now: now.wall), endingWith: exitCode(decision))
    }
    let (stamp, stored) = try subject(now: now.wall)
    let policy = change?(stored) ?? stored
    let decision = policy.decide(stamp: stamp, now: now)
    return try context.show(
      output(decision, stamp: stamp, policy: policy, now: now.wall), endingWith: exitCode(decision))
  }

  private func exitCode(_ decision: FreshnessDecision) -> ExitCode {
    context.call.has(SharedOptions.failIfStale) && decision.freshness != .fresh ? .stale : .done
  }

  /// The stamp to decide about, and the policy stored with it; the standard one if there is none.
  private func subject(
    now: Timestamp
  ) throws(CommandFailure) -> (stamp: CatalogStamp?, policy: FreshnessPolicy) {
    if StampOptions.moments.contains(where: { context.call.has($0) }) {
      let stamp = StampOptions.moment(of: context.call, now: now)
        .map { StampOptions.stamp(of: context.call, validatedAt: $0) }
      return (stamp, .standard)
    }
    guard !StampOptions.terms.contains(where: { context.call.has($0) }), context.databasePathIfGiven != nil
    else {
      throw context.call.usageFailure(
        "Missing the catalog. Give --db and --account, or describe one by --age, --validated-at or "
          + "--never-loaded.")
    }
    let account = try context.account()
    let cache = try context.openForReading()
    let found = try CommandFailure.translating { () throws(CatalogError) in
      try cache.inspect(.catalog(context.catalogName, of: account)).catalogs.first
    }
    guard let found else {
      throw .failed(
        .unavailable, "The database knows no such account or no such catalog of it; check the names.")
    }
    return (found.stamp, found.policy)
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
      summary: PolicyText.facts(policy), notes: ["Policy: " + PolicyText.sentence(policy)])
  }
}
