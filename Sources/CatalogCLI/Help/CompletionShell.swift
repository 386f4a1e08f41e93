/// A shell for which a completion script can be written.
package enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// Finds the shell that the environment names, by the last part of `SHELL`.
  package init?(environment: [String: String]) {
    guard let path = environment["SHELL"], let name = path.split(separator: "/").last else { return nil }
    self.init(rawValue: String(name))
  }

  /// Returns the script for the table of commands.
  package func script(for root: CommandSpec) -> String {
    switch self {
    case .bash: BashCompletion(root: root).script
    case .zsh: ZshCompletion(root: root).script
    case .fish: FishCompletion(root: root).script
    }
  }
}

/// One command with the words that lead to it, for the scripts.
struct CompletionNode {
  let words: [String]
  let command: CommandSpec

  static func all(of root: CommandSpec) -> [CompletionNode] {
    func below(_ command: CommandSpec, _ words: [String]) -> [CompletionNode] {
      [CompletionNode(words: words, command: command)]
        + command.subcommands.flatMap { below($0, words + [$0.name]) }
    }
    return below(root, [root.name])
  }

  var options: [OptionSpec] { command.allOptions.filter { !$0.isHidden } }

  /// The words after the program's name.
  var tail: [String] { Array(words.dropFirst()) }
}
