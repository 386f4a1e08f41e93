extension CommandSpec {
  /// The group of commands about freshness policies.
  package static let policy = CommandSpec(
    group: "policy",
    abstract: "Explain, simulate and check freshness policies.",
    discussion: [
      "A policy says how long a catalog is fresh, and how long after that it is served while it is refreshed "
        + "or while the remote is out of order."
    ],
    subcommands: [.policyExplain, .policySimulate, .policyCheck])
}
