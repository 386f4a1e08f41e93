/// The command that a command line leads to, and the words left for it.
struct CommandPath {
  /// The commands on the way, the program itself first.
  private(set) var path: [CommandSpec]
  /// The words that aren't commands, in order.
  private(set) var rest: [String] = []
  /// The first word that should be a command and is none.
  private(set) var unknownCommand: String?
  /// The first option that no command on the way or below knows.
  private(set) var unknownOption: String?
  /// The first word after `help` that names no command.
  private(set) var unknownHelpTopic: String?
  private(set) var asksForHelp = false
  private(set) var asksForVersion = false

  /// The command at the end of the way.
  var command: CommandSpec { path[path.count - 1] }

  /// Follows the words as far as they name commands.
  ///
  /// Options may stand before the command they belong to: `catalogctl --db x list`.
  init(root: CommandSpec, words: [String]) {
    path = [root]
    var index = 0
    words: while index < words.count {
      let word = words[index]
      index += 1
      guard case .group(let subcommands) = command.body else {
        rest.append(word)
        continue
      }
      if word == "--" {
        rest += words[(index - 1)...]
        break
      }
      if word.hasPrefix("-"), word.count > 1 {
        rest.append(word)
        if !isKnownOption(word) { unknownOption = unknownOption ?? word }
        if wantsNextWord(word), index < words.count, !isKnownOption(words[index]) {
          // The program's own option may go without its value: then the next word may be a command.
          rest.append(words[index])
          index += 1
        }
      } else if word == "help" {
        readHelpTopics(words[index...])
        return
      } else if let next = subcommands.first(where: { $0.name == word }) {
        path.append(next)
      } else {
        unknownCommand = word
        rest.append(word)
        rest += words[index...]
        break words
      }
    }
    let options = rest.prefix { $0 != "--" }
    asksForHelp = options.contains { $0 == "--help" || isClusterWithHelp($0) }
    asksForVersion = options.contains("--version")
  }

  private mutating func readHelpTopics(_ topics: ArraySlice<String>) {
    asksForHelp = true
    for topic in topics where !topic.hasPrefix("-") {
      guard let next = command.subcommands.first(where: { $0.name == topic }) else {
        unknownHelpTopic = topic
        return
      }
      path.append(next)
    }
  }

  /// Whether a word is an option, known here or below, whose value is the next word.
  private func wantsNextWord(_ word: String) -> Bool {
    guard let option = optionBelow(word) else { return false }
    if word.hasPrefix("--") { return option.takesValue && !word.contains("=") }
    return option.takesValue && word.last == option.short
  }

  private func isKnownOption(_ word: String) -> Bool {
    word.hasPrefix("-") && word.count > 1 && optionBelow(word) != nil
  }

  private func optionBelow(_ word: String) -> OptionSpec? {
    let commands = command.withDescendants
    if word.hasPrefix("--") {
      let name = word.dropFirst(2).prefix { $0 != "=" }
      return commands.lazy.compactMap { $0.option(long: name) }.first
    }
    // In a cluster, the last letter or the first that takes a value decides.
    for letter in word.dropFirst() {
      guard let option = commands.lazy.compactMap({ $0.option(short: letter) }).first else { return nil }
      if option.takesValue || letter == word.last { return option }
    }
    return nil
  }

  private func isClusterWithHelp(_ word: String) -> Bool {
    guard word.hasPrefix("-"), !word.hasPrefix("--") else { return false }
    for letter in word.dropFirst() {
      guard let option = command.option(short: letter), !option.takesValue else { return false }
      if letter == StandardOptions.help.spec.short { return true }
    }
    return false
  }
}
