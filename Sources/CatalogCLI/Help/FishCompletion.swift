/// Writes a completion script for fish.
struct FishCompletion {
  let root: CommandSpec

  var script: String {
    let nodes = CompletionNode.all(of: root)
    return """
      # fish completion for \(root.name)
      function __\(root.name)_at
        set -l path \(root.name)
        for word in (commandline -opc)[2..-1]
          switch "$path $word"
            case \(nodes.dropFirst().map { "'\($0.words.joined(separator: " "))'" }.joined(separator: " "))
              set path "$path $word"
          end
        end
        test "$path" = "$argv"
      end
      complete -c \(root.name) -f
      \(nodes.flatMap(lines).joined(separator: "\n"))

      """
  }

  private func lines(_ node: CompletionNode) -> [String] {
    let words = node.words.joined(separator: " ")
    let start = "complete -c \(root.name) -n '__\(root.name)_at \(words)'"
    var lines = node.command.subcommands.map { "\(start) -a '\($0.name)' -d '\(quoted($0.abstract))'" }
    if !lines.isEmpty { lines.append("\(start) -a 'help' -d 'Show help information.'") }
    for option in node.options {
      let short = option.short.map { " -s \($0)" } ?? ""
      lines.append(
        "\(start)\(short) -l \(option.long)\(value(option)) -d '\(quoted(option.help))'")
    }
    if node.command.arguments.contains(where: { $0.completion == .files }) {
      lines.append("\(start) -F")
    }
    return lines
  }

  private func value(_ option: OptionSpec) -> String {
    guard option.takesValue else { return "" }
    // `-r` makes the next word the value; one that may be left out can't be required.
    let required = option.isValueOptional ? "" : " -r"
    switch option.completion {
    case .nothing: return required
    case .files: return required + " -F"
    case .words(let words): return required + " -a '\(words.joined(separator: " "))'"
    }
  }

  private func quoted(_ text: String) -> String {
    var result = ""
    for character in text {
      if character == "'" || character == "\\" { result += "\\" }
      result.append(character)
    }
    return result
  }
}
