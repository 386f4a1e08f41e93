/// The one list of commands: parsing, help, completions and the README's section all come from it.
package enum CommandRegistry {
  /// The program.
  package static let root = CommandSpec(
    group: "catalogctl",
    abstract: "Look into a saved catalog, refresh it, search it, invalidate it, and try freshness policies.",
    discussion: [
      "Data goes to standard output, messages and progress to standard error. Times are RFC 3339 in UTC. "
        + "Commands that only read leave the database's folder as it was."
    ],
    options: RootOptions.all,
    subcommands: [
      .inspect, .list, .search, .refresh, .invalidate, .policy, .verify, .export, .demo,
    ])

  /// The version that `--version` prints.
  package static let version = "0.1.0"
}
