/// Writes a completion script for bash 3.2 and later.
struct BashCompletion {
  let root: CommandSpec

  var script: String {
    let nodes = CompletionNode.all(of: root)
    let name = root.name
    return """
      # bash completion for \(name)
      _\(name)() {
        local current="${COMP_WORDS[COMP_CWORD]}"
        local previous=""
        if ((COMP_CWORD > 0)); then previous="${COMP_WORDS[COMP_CWORD - 1]}"; fi
        local path="\(name)" word index
        COMPREPLY=()
        for ((index = 1; index < COMP_CWORD; index++)); do
          word="${COMP_WORDS[index]}"
          case "$path $word" in
      \(lines(nodes.dropFirst().map { "      '\($0.words.joined(separator: " "))') path=\"$path $word\" ;;" }))
          esac
        done
        case "$path" in
      \(nodes.map(branch).joined(separator: "\n"))
        esac
      }
      complete -F _\(name) \(name)

      """
  }

  private func branch(_ node: CompletionNode) -> String {
    var lines = ["    '\(node.words.joined(separator: " "))')"]
    let valued = node.options.filter(\.takesValue)
    if !valued.isEmpty {
      lines.append("      case \"$previous\" in")
      for option in valued {
        lines.append("        \(pattern(option))) \(reply(option.completion)); return ;;")
      }
      lines.append("      esac")
    }
    let names = node.options.flatMap { option in
      (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.long)"]
    }
    let subcommands = node.command.subcommands.map(\.name)
    let words = subcommands + (subcommands.isEmpty ? [] : ["help"]) + names
    if node.command.arguments.contains(where: { $0.completion == .files }) {
      lines.append("      if [[ \"$current\" != -* ]]; then \(reply(.files)); return; fi")
    }
    lines.append("      \(reply(.words(words)))")
    lines.append("      ;;")
    return lines.joined(separator: "\n")
  }

  private func pattern(_ option: OptionSpec) -> String {
    (option.short.map { "-\($0) | " } ?? "") + "--\(option.long)"
  }

  private func reply(_ completion: ValueCompletion) -> String {
    switch completion {
    case .nothing: "COMPREPLY=()"
    case .files:
      // Names may hold spaces; `compopt` (bash 4) has them escaped as they are inserted.
      "local IFS=$'\\n'; compopt -o filenames 2>/dev/null; "
        + "COMPREPLY=($(compgen -f -- \"$current\"))"
    case .words(let words):
      "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
    }
  }

  private func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }
}
