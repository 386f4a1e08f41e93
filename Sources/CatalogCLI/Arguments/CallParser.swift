/// Parses the words of one command.
struct CallParser {
  private let path: [CommandSpec]
  private var words: ArraySlice<String>
  private var values: [String: [String]] = [:]
  /// How each option was written, for the message about its second use.
  private var spellings: [String: [String]] = [:]
  private var positionals: [String] = []
  /// A group whose commands' options are known here too, so that the missing command is what gets named.
  private var group: CommandSpec?

  private var command: CommandSpec { path[path.count - 1] }

  init(path: [CommandSpec], words: [String]) {
    self.path = path
    self.words = words[...]
  }

  /// Returns the call, or throws what is wrong first.
  mutating func parse(knownBelow group: CommandSpec? = nil) throws(UsageError) -> CommandCall {
    self.group = group
    var optionsEnded = false
    while let word = words.popFirst() {
      if optionsEnded || !word.hasPrefix("-") || word == "-" || isNegativeNumber(word) {
        positionals.append(word)
      } else if word == "--" {
        optionsEnded = true
      } else if word.hasPrefix("--") {
        try takeLong(word)
      } else {
        try takeCluster(word)
      }
    }
    return try judgedCall()
  }

  // MARK: Options

  private mutating func takeLong(_ word: String) throws(UsageError) {
    let name = String(word.dropFirst(2).prefix { $0 != "=" })
    let attached = word.contains("=") ? String(word.drop { $0 != "=" }.dropFirst()) : nil
    guard let option = option(long: name) else {
      throw problem("Unknown option '--\(Wording.excerpt(name))'.\(suggestion(for: name))")
    }
    try take(option, attached: attached, spelling: "--\(name)")
  }

  private mutating func takeCluster(_ word: String) throws(UsageError) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = option(short: letter) else {
        let cluster = word.count > 2 ? " in '\(Wording.excerpt(word))'" : ""
        throw problem("Unknown option '-\(letter)'\(cluster).\(suggestion(forCluster: word))")
      }
      guard option.takesValue else {
        if letters.first == "=" {
          throw problem("The option '-\(letter)' takes no value.", about: option)
        }
        try take(option, attached: nil, spelling: "-\(letter)")
        continue
      }
      let attached: String? =
        letters.isEmpty ? nil : String(letters.first == "=" ? letters.dropFirst() : letters)
      try take(option, attached: attached, spelling: "-\(letter)")
      return
    }
  }

  private mutating func take(
    _ option: OptionSpec, attached: String?, spelling: String
  ) throws(UsageError) {
    guard option.takesValue else {
      guard attached == nil else {
        throw problem("The option '\(spelling)' takes no value.", about: option)
      }
      // A flag may be given again; it says the same.
      values[option.long] = [""]
      return
    }
    let value: String
    if let attached {
      value = attached
    } else if let next = words.first, !isKnownOption(next) {
      words.removeFirst()
      value = next
    } else if option.isValueOptional {
      value = ""
    } else {
      throw problem("Missing value for '\(option.usage)'.", about: option)
    }
    if let invalid = option.problem(value) {
      throw problem(invalidValue(value, of: option, because: invalid), about: option)
    }
    let shown = option.isSensitive ? spelling : "\(spelling) \(Wording.excerpt(value))"
    spellings[option.long, default: []].append(shown)
    values[option.long, default: []].append(value)
    if !option.isRepeatable, let uses = spellings[option.long], uses.count > 1 {
      throw problem(
        "The option '\(option.usage)' was given twice, as \(Wording.quoted(uses)). Give it once.",
        about: option)
    }
  }

  private func invalidValue(
    _ value: String, of option: OptionSpec, because problem: ValueProblem
  ) -> String {
    let subject =
      option.isSensitive
      ? "The value is invalid for '\(option.usage)'."
      : "The value '\(Wording.excerpt(value))' is invalid for '\(option.usage)'."
    let meant = Suggestion.nearest(to: value, among: option.allowedValues)
    return "\(subject) \(problem.reason)" + (meant.map { " Did you mean '\($0)'?" } ?? "")
  }

  /// Whether a word is an option that this command knows, and so no value of the one before it.
  private func isKnownOption(_ word: String) -> Bool {
    if word == "--" { return true }
    if word.hasPrefix("--") { return option(long: word.dropFirst(2).prefix { $0 != "=" }) != nil }
    guard word.hasPrefix("-"), let letter = word.dropFirst().first else { return false }
    return option(short: letter) != nil
  }

  private func option(long name: some StringProtocol) -> OptionSpec? {
    command.option(long: name)
      ?? group?.withDescendants.lazy.compactMap { $0.option(long: name) }.first
  }

  private func option(short name: Character) -> OptionSpec? {
    command.option(short: name)
      ?? group?.withDescendants.lazy.compactMap { $0.option(short: name) }.first
  }

  private func isNegativeNumber(_ word: String) -> Bool {
    guard let digit = word.dropFirst().first, digit.isASCII, digit.isNumber else { return false }
    return option(short: digit) == nil && Double(word) != nil
  }

  private func suggestion(for name: String) -> String {
    let known = command.allOptions.filter { !$0.isHidden }.map(\.long)
    return Suggestion.nearest(to: name, among: known).map { " Did you mean '--\($0)'?" } ?? ""
  }

  /// Whoever writes `-limit` meant `--limit`.
  private func suggestion(forCluster word: String) -> String {
    let name = String(word.dropFirst().prefix { $0 != "=" })
    guard let option = option(long: name), !option.isHidden, name.count > 1 else { return "" }
    return " Did you mean '--\(name)'?"
  }

  // MARK: The whole

  private func judgedCall() throws(UsageError) -> CommandCall {
    let arguments = command.arguments
    if group == nil, let extra = positionals.dropFirst(arguments.count).first {
      throw problem("Unexpected argument '\(Wording.excerpt(extra))'.")
    }
    if positionals.count < arguments.count {
      var missing = problem("Missing expected argument '<\(arguments[positionals.count].name)>'.")
      missing.showsWholeHelp = positionals.isEmpty && values.isEmpty
      throw missing
    }
    for option in command.required where values[option.long] == nil {
      var missing = problem("Missing expected option '\(option.usage)'.", about: option)
      missing.showsWholeHelp = positionals.isEmpty && values.isEmpty
      throw missing
    }
    for options in command.exclusive {
      let given = options.filter { values[$0.long] != nil }
      if given.count > 1 {
        throw problem(
          "\(Wording.quoted(given.map { "--\($0.long)" })) exclude one another. Give one of them.",
          about: given[1])
      }
    }
    let call = CommandCall(
      commands: path, values: values,
      arguments: Dictionary(
        zip(arguments.map(\.name), positionals), uniquingKeysWith: { first, _ in first }))
    if let message = command.check(call) {
      var wrong = problem(message)
      wrong.showsWholeHelp = positionals.isEmpty && values.isEmpty
      throw wrong
    }
    return call
  }

  private func problem(_ message: String, about option: OptionSpec? = nil) -> UsageError {
    UsageError(message: message, path: path, option: option)
  }
}
