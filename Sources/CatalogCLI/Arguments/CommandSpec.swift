/// One command, as data: parsing, help, completions and the README all read it.
package struct CommandSpec: Sendable {
  /// What a command does once it is parsed.
  package typealias Action = @Sendable (CommandContext) async throws(CommandFailure) -> ExitCode

  /// What a command is: a group of others, or something to run.
  package enum Body: Sendable {
    /// Commands below this one.
    case group([CommandSpec])
    /// What to run.
    case action(Action)
  }

  /// The word that names it.
  package let name: String
  /// One sentence that says what it does.
  package let abstract: String
  /// What else there is to know, in paragraphs; empty if nothing.
  package let discussion: [String]
  /// Command lines to learn from, without the program's name.
  package let examples: [String]
  /// Its positional arguments, in order, all required.
  package let arguments: [ArgumentSpec]
  /// Its options, in the order of help.
  package let options: [OptionSpec]
  /// The options without which it can't be run.
  package let required: [OptionSpec]
  /// Options of which at most one may be given.
  package let exclusive: [[OptionSpec]]
  /// What no single option can tell: returns what is wrong with the options together.
  package let check: @Sendable (CommandCall) -> String?
  /// Whether it changes anything, so that an interruption lets it end in order.
  package let isWriting: Bool
  /// What it is.
  package let body: Body

  /// Creates a command to run.
  package init(
    _ name: String, abstract: String, discussion: [String] = [], examples: [String] = [],
    arguments: [ArgumentSpec] = [], options: [OptionSpec] = [], required: [OptionSpec] = [],
    exclusive: [[OptionSpec]] = [], isWriting: Bool = false,
    check: @escaping @Sendable (CommandCall) -> String? = { _ in nil },
    run: @escaping Action
  ) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.examples = examples
    self.arguments = arguments
    self.options = options
    self.required = required
    self.exclusive = exclusive
    self.isWriting = isWriting
    self.check = check
    body = .action(run)
  }

  /// Creates a group of commands.
  package init(
    group name: String, abstract: String, discussion: [String] = [], options: [OptionSpec] = [],
    subcommands: [CommandSpec]
  ) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.options = options
    examples = []
    arguments = []
    required = []
    exclusive = []
    isWriting = false
    check = { _ in nil }
    body = .group(subcommands)
  }

  /// The commands below it; empty if it is one to run.
  package var subcommands: [CommandSpec] {
    if case .group(let commands) = body { commands } else { [] }
  }

  /// The options it takes, those that every command takes included.
  package var allOptions: [OptionSpec] {
    options + [StandardOptions.version.spec, StandardOptions.help.spec]
  }

  /// Returns the option of a long name.
  package func option(long name: some StringProtocol) -> OptionSpec? {
    allOptions.first { $0.long == name }
  }

  /// Returns the option of a one-letter name.
  package func option(short name: Character) -> OptionSpec? {
    allOptions.first { $0.short == name }
  }

  /// The command itself and all below it.
  package var withDescendants: [CommandSpec] {
    [self] + subcommands.flatMap(\.withDescendants)
  }
}

/// The options of every command.
package enum StandardOptions {
  package static let version = Flag("version", help: "Show the version.")
  package static let help = Flag("help", short: "h", help: "Show help information.")
}
