/// Parses a command line by the table of commands: a pure function, which never exits, prints or traps.
package struct ArgumentParser: Sendable {
  /// The program: the root of the table.
  package let root: CommandSpec

  package init(root: CommandSpec) {
    self.root = root
  }

  /// Returns what the words after the program's name ask for, or what is wrong with them.
  package func parse(_ words: [String]) -> Result<Invocation, UsageError> {
    do throws(UsageError) {
      return .success(try invocation(words))
    } catch {
      return .failure(error)
    }
  }

  private func invocation(_ words: [String]) throws(UsageError) -> Invocation {
    let resolved = CommandPath(root: root, words: words)
    // Whoever asks for help has it, even if the rest is wrong.
    if resolved.asksForHelp {
      if let unknown = resolved.unknownHelpTopic {
        throw UsageError(
          message: unknownCommand(unknown, below: resolved.command), path: resolved.path)
      }
      return .help(path: resolved.path)
    }
    if resolved.asksForVersion { return .version }
    if case .action = resolved.command.body {
      var parser = CallParser(path: resolved.path, words: resolved.rest)
      return .run(try parser.parse())
    }
    if let unknown = resolved.unknownCommand {
      // The word may be the value of an option that was mistyped: then that is what is wrong.
      if let option = resolved.unknownOption {
        throw UsageError(message: unknownOption(option, below: resolved.command), path: resolved.path)
      }
      throw UsageError(message: unknownCommand(unknown, below: resolved.command), path: resolved.path)
    }
    return try invocationOfGroup(resolved)
  }

  private func invocationOfGroup(_ resolved: CommandPath) throws(UsageError) -> Invocation {
    var parser = CallParser(path: resolved.path, words: resolved.rest)
    let missing = UsageError(
      message: "Missing expected subcommand.", path: resolved.path, showsWholeHelp: resolved.rest.isEmpty)
    guard !resolved.rest.isEmpty else { throw missing }
    let call = try parser.parse(knownBelow: resolved.command)
    if let shell = call.values[RootOptions.completionScript.spec.long]?.last {
      return .completionScript(shell: shell.isEmpty ? nil : shell)
    }
    if call.has(RootOptions.readmeSection) { return .readmeSection }
    throw missing
  }

  private func unknownOption(_ word: String, below command: CommandSpec) -> String {
    let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
    let known = command.withDescendants.flatMap(\.allOptions).filter { !$0.isHidden }.map(\.long)
    let meant = Suggestion.nearest(to: name, among: known)
    return "Unknown option '\(Wording.excerpt(word))'." + (meant.map { " Did you mean '--\($0)'?" } ?? "")
  }

  private func unknownCommand(_ word: String, below command: CommandSpec) -> String {
    let meant = Suggestion.nearest(to: word, among: command.subcommands.map(\.name) + ["help"])
    return "Unknown subcommand '\(Wording.excerpt(word))'."
      + (meant.map { " Did you mean '\($0)'?" } ?? "")
  }
}

/// The options of the program itself.
package enum RootOptions {
  package static let completionScript = Option<CompletionShell?>(
    "generate-completion-script", value: "shell",
    completion: .words(CompletionShell.allCases.map(\.rawValue)), isValueOptional: true,
    help: "Print a completion script for a shell; without a value, for the one that SHELL names.",
    read: { text in
      if text.isEmpty { return .success(nil) }
      guard let shell = CompletionShell(rawValue: text) else {
        return .failure(ValueProblem(Wording.oneOf(CompletionShell.allCases.map(\.rawValue))))
      }
      return .success(shell)
    })

  package static let readmeSection = Flag(
    "generate-readme-section", isHidden: true, help: "Print the README's section about the commands.")

  package static let all = [completionScript.spec, readmeSection.spec]
}
