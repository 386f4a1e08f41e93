import CatalogDomain

extension CommandSpec {
  private static let policyFile = ArgumentSpec(
    "file", help: "The policy's file; - reads standard input.", completion: .files)

  /// Checks a policy's file.
  package static let policyCheck = CommandSpec(
    "check",
    abstract: "Check a policy's file, and show the policy it makes.",
    discussion: [
      "A policy is a JSON object; what is left out is as in the standard policy: "
        + #"{"lifetime": "10m", "staleWhileRevalidate": "24h", "staleIfError": "7d", "#
        + #""serverLifetimes": {"within": ["0s", "7d"]} or "ignored", "#
        + #""serverProhibitions": "obeyed" or "relaxedOffline", "futureTolerance": "60s"}. "#
        + "With --format ndjson the policy is printed whole in this form, and as json it is the one row."
    ],
    examples: ["policy check policy.json"],
    arguments: [policyFile],
    options: [SharedOptions.format.spec, SharedOptions.quiet.spec],
    run: { context throws(CommandFailure) in
      let policy = try PolicyFile.read(context.call.argument(policyFile), console: context.console)
      try context.show(
        Output(
          command: context.call.name, record: PolicyText.fields(policy), summary: [],
          notes: ["The policy is valid."] + remarks(on: policy)))
      return .done
    })

  /// What is valid and yet may not be meant.
  private static func remarks(on policy: FreshnessPolicy) -> [String] {
    var remarks: [String] = []
    if policy.staleIfError < policy.staleWhileRevalidate {
      remarks.append(
        "Note: staleIfError is shorter than staleWhileRevalidate, and has no effect: a catalog is served for "
          + "the longer of the two.")
    }
    if policy.lifetime == .zero {
      remarks.append("Note: with a lifetime of 0s a catalog is never fresh unless the server says so.")
    }
    return remarks
  }
}
