/// A command with its options and arguments, parsed and judged one by one.
package struct CommandCall: Sendable {
  /// The commands that lead to it, the program first and itself last.
  package let commands: [CommandSpec]
  /// The texts given for each option, by its long name; for a flag one empty text.
  package let values: [String: [String]]
  /// The positional arguments, by name.
  package let arguments: [String: String]

  package init(
    commands: [CommandSpec], values: [String: [String]], arguments: [String: String]
  ) {
    precondition(!commands.isEmpty, "A call is of a command")
    self.commands = commands
    self.values = values
    self.arguments = arguments
  }

  /// Whether a flag was given.
  package func has(_ flag: Flag) -> Bool {
    values[flag.spec.long] != nil
  }

  /// Whether an option was given.
  package func has(_ option: OptionSpec) -> Bool {
    values[option.long] != nil
  }

  /// The value of an option; nil if it wasn't given.
  package subscript<Value>(_ option: Option<Value>) -> Value? {
    guard let text = values[option.spec.long]?.last else { return nil }
    switch option.read(text) {
    case .success(let value): return value
    case .failure(let problem):
      preconditionFailure("--\(option.spec.long) was judged while parsing, and yet: \(problem.reason)")
    }
  }

  /// The text of a positional argument, which parsing made sure is there.
  package func argument(_ spec: ArgumentSpec) -> String {
    guard let text = arguments[spec.name] else {
      preconditionFailure("'\(self.spec.name)' has no argument '\(spec.name)'")
    }
    return text
  }

  /// The words after the program's name, for output: `policy explain`.
  package var name: String {
    commands.dropFirst().map(\.name).joined(separator: " ")
  }

  /// The command.
  package var spec: CommandSpec { commands[commands.count - 1] }

  /// Returns the failure of a command line that is wrong in a way that only running shows.
  package func usageFailure(_ message: String, about option: OptionSpec? = nil) -> CommandFailure {
    .usage(UsageError(message: message, path: commands, option: option))
  }
}

/// What a command line asks for.
package enum Invocation: Sendable {
  /// To run a command.
  case run(CommandCall)
  /// To show a command's help; the path leads to it, the program itself first.
  case help(path: [CommandSpec])
  /// To show the version.
  case version
  /// To print a shell's completion script; nil for the shell of the environment.
  case completionScript(shell: String?)
  /// To print the README's section about the commands.
  case readmeSection
}

/// A command line that can't be understood.
package struct UsageError: Error, Sendable {
  /// What is wrong, and what may have been meant.
  package var message: String
  /// The command it is about; the program itself first.
  package var path: [CommandSpec]
  /// The option it is about; nil if none.
  package var option: OptionSpec?
  /// Whether nothing at all was given, so that the whole help is of more use than the usage line.
  package var showsWholeHelp = false
}
