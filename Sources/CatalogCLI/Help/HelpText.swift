/// Writes help of the table of commands, in the layout that Swift's command lines share.
package struct HelpText: Sendable {
  /// The commands that lead to the one to explain, the program itself first.
  private let path: [CommandSpec]
  private let width: Int

  private static let descriptionColumn = 26

  package init(path: [CommandSpec], width: Int) {
    self.path = path
    self.width = max(40, width)
  }

  private var command: CommandSpec { path[path.count - 1] }
  private var words: String { path.map(\.name).joined(separator: " ") }

  /// The whole help.
  package var text: String {
    var sections = [TextWrapping.paragraph("OVERVIEW: \(command.abstract)", width: width)]
    sections += command.discussion.map { TextWrapping.paragraph($0, width: width) }
    sections.append("USAGE: \(usage(hanging: 7))")
    if !command.examples.isEmpty {
      sections.append(
        section("EXAMPLES", command.examples.map { "  \(path[0].name) \($0)" }))
    }
    if !command.arguments.isEmpty {
      sections.append(
        section("ARGUMENTS", command.arguments.map { row("<\($0.name)>", $0.help) }))
    }
    let options = command.allOptions.filter { !$0.isHidden }
    sections.append(section("OPTIONS", options.map { row($0.label, Self.description(of: $0)) }))
    if !command.subcommands.isEmpty {
      sections.append(section("SUBCOMMANDS", command.subcommands.map { row($0.name, $0.abstract) }))
    }
    if path.count == 1 {
      sections.append(
        section("EXIT CODES", ExitCode.allCases.map { row(String($0.rawValue), $0.meaning) }))
    }
    let below = (path.dropFirst().map(\.name) + ["<subcommand>"]).joined(separator: " ")
    let closing =
      command.subcommands.isEmpty
      ? "  See '\(path[0].name) help' for the exit codes."
      : "  See '\(path[0].name) help \(below)' for detailed help."
    return sections.joined(separator: "\n\n") + "\n\n" + closing + "\n"
  }

  /// The usage line, without its heading.
  package func usage(hanging indent: Int) -> String {
    var parts = [words]
    let optional = command.options.filter { option in
      !option.isHidden && !command.required.contains { $0.long == option.long }
    }
    if !command.subcommands.isEmpty {
      parts += optional.map { "[\($0.usage)]" } + ["<subcommand>"]
    } else {
      parts += command.required.map(\.usage)
      parts += optional.count > 8 ? ["[<options>]"] : optional.map { "[\($0.usage)]" }
      parts += command.arguments.map { "<\($0.name)>" }
    }
    return Self.joined(parts, width: width - indent, indent: indent + 2)
  }

  /// An option's line in help.
  package static func line(of option: OptionSpec) -> String {
    "\(option.label)  \(description(of: option))"
  }

  private static func description(of option: OptionSpec) -> String {
    var remarks: [String] = []
    if !option.allowedValues.isEmpty {
      remarks.append("values: \(option.allowedValues.joined(separator: ", "))")
    }
    if let standard = option.defaultText { remarks.append("default: \(standard)") }
    return remarks.isEmpty ? option.help : "\(option.help) (\(remarks.joined(separator: "; ")))"
  }

  private func section(_ title: String, _ lines: [String]) -> String {
    "\(title):\n" + lines.joined(separator: "\n")
  }

  private func row(_ label: String, _ description: String) -> String {
    let column = Self.descriptionColumn
    let wrapped = TextWrapping.paragraph(description, width: width, hanging: column)
    let start = "  \(label)"
    // A label needs a space after it; a longer one has its description on the next line.
    return start.count < column
      ? start + String(repeating: " ", count: column - start.count) + wrapped
      : start + "\n" + String(repeating: " ", count: column) + wrapped
  }

  /// Joins parts that mustn't be broken inside.
  private static func joined(_ parts: [String], width: Int, indent: Int) -> String {
    var lines: [String] = []
    var line = ""
    for part in parts {
      if !line.isEmpty, line.count + 1 + part.count > width - (lines.isEmpty ? 0 : 2) {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? part : " " + part
    }
    lines.append(line)
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }
}

extension UsageError {
  /// What is printed about it, on standard error.
  package func text(width: Int) -> String {
    let words = path.map(\.name).joined(separator: " ")
    let help = HelpText(path: path, width: width)
    if showsWholeHelp { return "Error: \(message)\n\n\(help.text)" }
    var lines = ["Error: \(message)"]
    if let option {
      lines.append("Help:  \(HelpText.line(of: option))")
    }
    lines.append("Usage: \(help.usage(hanging: 7))")
    lines.append("  See '\(words) --help' for more information.")
    return lines.joined(separator: "\n") + "\n"
  }
}
