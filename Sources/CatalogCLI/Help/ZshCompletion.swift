/// Writes a completion script for zsh: a function of its completion system.
struct ZshCompletion {
  let root: CommandSpec

  var script: String {
    let functions = CompletionNode.all(of: root).map(function).joined(separator: "\n")
    return """
      #compdef \(root.name)
      # zsh completion for \(root.name)
      \(functions)
      _\(root.name)

      """
  }

  private func function(_ node: CompletionNode) -> String {
    var lines = [
      "\(name(node.words))() {", "  local context state state_descr line", "  typeset -A opt_args",
    ]
    var specs = node.options.map(spec)
    let subcommands = node.command.subcommands
    if subcommands.isEmpty {
      specs += node.command.arguments.map { "'1:\(quoted($0.name)):\(action($0.completion))'" }
    } else {
      specs += ["'1: :->command'", "'*:: :->arguments'"]
    }
    lines.append("  _arguments -C \\")
    lines.append(specs.map { "    \($0)" }.joined(separator: " \\\n"))
    if !subcommands.isEmpty {
      lines.append("  case $state in")
      lines.append("    command)")
      lines.append("      local -a commands")
      lines.append("      commands=(")
      for command in subcommands {
        lines.append("        '\(command.name):\(quoted(command.abstract))'")
      }
      lines.append("        'help:Show help information.'")
      lines.append("      )")
      lines.append("      _describe 'command' commands")
      lines.append("      ;;")
      lines.append("    arguments)")
      lines.append("      case $words[1] in")
      for command in subcommands {
        lines.append("        \(command.name)) \(name(node.words + [command.name])) ;;")
      }
      lines.append("      esac")
      lines.append("      ;;")
      lines.append("  esac")
    }
    lines.append("}")
    return lines.joined(separator: "\n")
  }

  private func name(_ words: [String]) -> String { "_" + words.joined(separator: "_") }

  private func spec(_ option: OptionSpec) -> String {
    let names = option.short.map { "'(-\($0) --\(option.long))'{-\($0),--\(option.long)}" }
    let help = "[\(quoted(option.help))]"
    let value = option.placeholder.map {
      "\(option.isValueOptional ? "::" : ":")\($0):\(action(option.completion))"
    }
    let tail = "\(help)\(value ?? "")"
    return names.map { "\($0)'\(tail)'" } ?? "'--\(option.long)\(tail)'"
  }

  private func action(_ completion: ValueCompletion) -> String {
    switch completion {
    case .nothing: " "
    case .files: "_files"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// Text within single quotes and within a spec, where brackets and colons mean something.
  private func quoted(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "'": result += "'\\''"
      case "[", "]", ":", "\\": result += "\\\(character)"
      default: result.append(character)
      }
    }
    return result
  }
}
