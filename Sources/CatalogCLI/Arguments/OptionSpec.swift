/// What is wrong with one value: a sentence for a person, without the value itself.
package struct ValueProblem: Error, Hashable, Sendable {
  /// The sentence.
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}

/// What a shell offers where a value is expected.
package enum ValueCompletion: Hashable, Sendable {
  /// Nothing.
  case nothing
  /// Names of files.
  case files
  /// One of a few words.
  case words([String])
}

/// One option of the command line, as data: parsing, help, completions and the README all read it.
package struct OptionSpec: Sendable {
  /// The long name without its dashes.
  package let long: String
  /// The one-letter name without its dash; nil if there is none.
  package let short: Character?
  /// What stands for the value in help; nil for a flag, which takes none.
  package let placeholder: String?
  /// What it does, in one sentence.
  package let help: String
  /// What holds if the option isn't given, for help; nil if there is nothing to say.
  package let defaultText: String?
  /// What a shell offers as the value.
  package let completion: ValueCompletion
  /// Whether the value must stay out of messages.
  package let isSensitive: Bool
  /// Whether the value may be left out.
  package let isValueOptional: Bool
  /// Whether help, completions and suggestions leave it out.
  package let isHidden: Bool
  /// Whether each further use adds a value; otherwise a second use is an error.
  package let isRepeatable: Bool
  /// Judges a value.
  package let problem: @Sendable (String) -> ValueProblem?

  /// Whether a value belongs to it.
  package var takesValue: Bool { placeholder != nil }

  /// The words that a value has to be one of; empty if any text can be right.
  package var allowedValues: [String] {
    if case .words(let words) = completion { words } else { [] }
  }

  /// The name as it is typed, with what stands for the value: `--limit <n>`.
  package var usage: String {
    guard let placeholder else { return "--\(long)" }
    return isValueOptional ? "--\(long) [<\(placeholder)>]" : "--\(long) <\(placeholder)>"
  }

  /// The names as help lists them: `-n, --limit <n>`.
  package var label: String {
    short.map { "-\($0), \(usage)" } ?? usage
  }
}

/// An option without a value.
package struct Flag: Sendable {
  package let spec: OptionSpec

  package init(_ long: String, short: Character? = nil, isHidden: Bool = false, help: String) {
    spec = OptionSpec(
      long: long, short: short, placeholder: nil, help: help, defaultText: nil, completion: .nothing,
      isSensitive: false, isValueOptional: false, isHidden: isHidden, isRepeatable: false,
      problem: { _ in nil })
  }
}

/// An option with a value of one type, judged when the command line is parsed.
package struct Option<Value: Sendable>: Sendable {
  package let spec: OptionSpec
  /// Makes the value of a text.
  package let read: @Sendable (String) -> Result<Value, ValueProblem>

  package init(
    _ long: String, short: Character? = nil, value placeholder: String, defaultText: String? = nil,
    completion: ValueCompletion = .nothing, isSensitive: Bool = false, isValueOptional: Bool = false,
    isRepeatable: Bool = false, help: String,
    read: @escaping @Sendable (String) -> Result<Value, ValueProblem>
  ) {
    spec = OptionSpec(
      long: long, short: short, placeholder: placeholder, help: help, defaultText: defaultText,
      completion: completion, isSensitive: isSensitive, isValueOptional: isValueOptional, isHidden: false,
      isRepeatable: isRepeatable,
      problem: { text in
        if case .failure(let problem) = read(text) { problem } else { nil }
      })
    self.read = read
  }
}

extension Option where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// An option whose value is one of a few words.
  package init(
    choice long: String, value placeholder: String, of choices: [Value] = Array(Value.allCases),
    defaultText: String? = nil, help: String
  ) {
    let words = choices.map(\.rawValue)
    self.init(
      long, value: placeholder, defaultText: defaultText, completion: .words(words), help: help,
      read: { text in
        guard let value = choices.first(where: { $0.rawValue == text }) else {
          return .failure(ValueProblem(Wording.oneOf(words)))
        }
        return .success(value)
      })
  }
}

extension Option where Value == String {
  /// An option whose value is a file's path; `-` may stand for a standard stream.
  package init(file long: String, value placeholder: String, help: String) {
    self.init(
      long, value: placeholder, completion: .files, help: help,
      read: { $0.isEmpty ? .failure(ValueProblem("The path is empty.")) : .success($0) })
  }
}

/// A positional argument, as data.
package struct ArgumentSpec: Hashable, Sendable {
  package let name: String
  package let help: String
  package let completion: ValueCompletion

  package init(_ name: String, help: String, completion: ValueCompletion = .nothing) {
    self.name = name
    self.help = help
    self.completion = completion
  }
}
