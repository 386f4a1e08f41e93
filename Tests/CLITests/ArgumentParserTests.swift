import CatalogCLI
import CatalogDomain
import Testing

/// A small table that has everything the parser knows.
private enum Sample {
  static let limit = Option<Int>(
    "limit", short: "n", value: "n", help: "At most n.",
    read: { text in
      Int(text).map(Result.success) ?? .failure(ValueProblem("Please provide a whole number."))
    })
  static let name = Option<String>("name", value: "text", help: "A name.", read: { .success($0) })
  static let tag = Option<String>(
    "tag", value: "text", isRepeatable: true, help: "A tag.", read: { .success($0) })
  static let secret = Option<String>(
    "secret", value: "text", isSensitive: true, help: "A secret.",
    read: { $0.isEmpty ? .failure(ValueProblem("It is empty.")) : .success($0) })
  static let format = Option<OutputFormat>(choice: "format", value: "format", help: "A form.")
  static let quiet = Flag("quiet", short: "q", help: "Say nothing.")
  static let verbose = Flag("verbose", short: "v", help: "Say more.")
  static let text = ArgumentSpec("text", help: "The text.")

  static let root = CommandSpec(
    group: "tool", abstract: "A tool.", options: RootOptions.all,
    subcommands: [
      CommandSpec(
        "search", abstract: "Search.", arguments: [text],
        options: [
          limit.spec, name.spec, tag.spec, secret.spec, format.spec, quiet.spec, verbose.spec,
        ],
        exclusive: [[name.spec, tag.spec]],
        check: { $0[limit] == 0 ? "The limit is zero." : nil }, run: { _ in .done }),
      CommandSpec("store", abstract: "Store.", required: [name.spec], run: { _ in .done }),
      CommandSpec(
        group: "policy", abstract: "Policies.",
        subcommands: [CommandSpec("explain", abstract: "Explain.", run: { _ in .done })]),
    ])

  static func parse(_ line: String) -> Result<Invocation, UsageError> {
    parse(line.split(separator: " ").map(String.init))
  }

  static func parse(_ words: [String]) -> Result<Invocation, UsageError> {
    ArgumentParser(root: root).parse(words)
  }
}

/// A short text of what a command line asks for.
private func summary(_ result: Result<Invocation, UsageError>) -> String {
  switch result {
  case .failure(let error): "error: \(error.message)"
  case .success(.help(let path)): "help: \(path.map(\.name).joined(separator: " "))"
  case .success(.version): "version"
  case .success(.completionScript(let shell)): "completion: \(shell ?? "of SHELL")"
  case .success(.readmeSection): "readme"
  case .success(.run(let call)):
    ([call.name]
      + call.spec.options.compactMap { option in
        call.values[option.long].map { "\(option.long)=\($0.joined(separator: ","))" }
      }
      + call.spec.arguments.map { "<\(call.argument($0))>" })
      .joined(separator: " ")
  }
}

private struct Case: CustomTestStringConvertible, Sendable {
  let words: [String]
  let expected: String

  init(_ line: String, _ expected: String) {
    words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    self.expected = expected
  }

  init(words: [String], _ expected: String) {
    self.words = words
    self.expected = expected
  }

  var testDescription: String { words.joined(separator: " ") }
}

@Suite(.timeLimit(.minutes(5)))
struct ArgumentParserTests {
  @Test(arguments: [
    Case("search sea", "search <sea>"),
    Case("search --limit 20 sea", "search limit=20 <sea>"),
    Case("search --limit=20 sea", "search limit=20 <sea>"),
    Case("search sea -n 20", "search limit=20 <sea>"),
    Case("search sea -n20", "search limit=20 <sea>"),
    Case("search sea -n=20", "search limit=20 <sea>"),
    Case("search -qv sea", "search quiet= verbose= <sea>"),
    Case("search -vn 20 sea", "search limit=20 verbose= <sea>"),
    Case("search -vn20 sea", "search limit=20 verbose= <sea>"),
    Case("search -q -q --quiet sea", "search quiet= <sea>"),
    Case("search --name= sea", "search name= <sea>"),
    Case("search --name=a=b sea", "search name=a=b <sea>"),
    Case("search --limit -5 sea", "search limit=-5 <sea>"),
    Case("search -5", "search <-5>"),
    Case("search -", "search <->"),
    Case("search --name - sea", "search name=- <sea>"),
    Case("search --tag a --tag b sea", "search tag=a,b <sea>"),
    Case("search -- sea", "search <sea>"),
    Case("search -- --limit", "search <--limit>"),
    Case("search -- -h", "search <-h>"),
    Case("search -- --", "search <-->"),
    Case("search -q --", "error: Missing expected argument '<text>'."),
    Case("--limit 3 search sea", "search limit=3 <sea>"),
    Case("-qn 3 search sea", "search limit=3 quiet= <sea>"),
    Case("--name explain policy explain", "error: Unknown option '--name'."),
    Case(words: ["search", ""], "search <>"),
    Case(words: ["search", "--name", "", "a b"], "search name= <a b>"),
  ])
  private func `a command line becomes a call`(_ expectation: Case) {
    #expect(summary(Sample.parse(expectation.words)) == expectation.expected)
  }

  @Test(arguments: [
    Case("search", "error: Missing expected argument '<text>'."),
    Case("search a b", "error: Unexpected argument 'b'."),
    Case("search a --limit", "error: Missing value for '--limit <n>'."),
    Case("search a --limit --quiet", "error: Missing value for '--limit <n>'."),
    Case("search a --limit -q", "error: Missing value for '--limit <n>'."),
    Case("search a --limit --", "error: Missing value for '--limit <n>'."),
    Case("search a --quiet=yes", "error: The option '--quiet' takes no value."),
    Case("search a -q=yes", "error: The option '-q' takes no value."),
    Case("search a --limt 3", "error: Unknown option '--limt'. Did you mean '--limit'?"),
    Case("search a -limit 3", "error: Unknown option '-l' in '-limit'. Did you mean '--limit'?"),
    Case("search a -quiet", "error: Unknown option '-u' in '-quiet'. Did you mean '--quiet'?"),
    Case("search a -z", "error: Unknown option '-z'."),
    Case("search a --zebra", "error: Unknown option '--zebra'."),
    Case(
      "search a --limit x",
      "error: The value 'x' is invalid for '--limit <n>'. Please provide a whole number."),
    Case(
      "search a --limit=",
      "error: The value '' is invalid for '--limit <n>'. Please provide a whole number."),
    Case(
      "search a --format jsn",
      "error: The value 'jsn' is invalid for '--format <format>'. Please provide one of 'table', 'json', "
        + "'ndjson' and 'csv'. Did you mean 'json'?"),
    Case(
      "search a --limit 1 -n 2",
      "error: The option '--limit <n>' was given twice, as '--limit 1' and '-n 2'. Give it once."),
    Case(
      "search a --secret x --secret y",
      "error: The option '--secret <text>' was given twice, as '--secret' and '--secret'. Give it once."),
    Case("search a --secret=", "error: The value is invalid for '--secret <text>'. It is empty."),
    Case(
      "search a --name x --tag y", "error: '--name' and '--tag' exclude one another. Give one of them."),
    Case("search a --limit 0", "error: The limit is zero."),
    Case("store", "error: Missing expected option '--name <text>'."),
    Case("serch a", "error: Unknown subcommand 'serch'. Did you mean 'search'?"),
    Case("policy explian", "error: Unknown subcommand 'explian'. Did you mean 'explain'?"),
    Case("zebra", "error: Unknown subcommand 'zebra'."),
    Case("", "error: Unknown subcommand ''."),
    Case(words: [], "error: Missing expected subcommand."),
    Case("policy", "error: Missing expected subcommand."),
    Case("--limit 3", "error: Missing expected subcommand."),
    Case("--limt 3 search a", "error: Unknown option '--limt'. Did you mean '--limit'?"),
    Case("--generate-completion-script tcsh", "error: The value 'tcsh' is invalid for "),
  ])
  private func `a wrong command line is told apart`(_ expectation: Case) {
    let found = summary(Sample.parse(expectation.words))
    #expect(found.hasPrefix(expectation.expected), "\(found)")
  }

  @Test(arguments: [
    Case("--help", "help: tool"),
    Case("-h", "help: tool"),
    Case("help", "help: tool"),
    Case("help search", "help: tool search"),
    Case("help policy explain", "help: tool policy explain"),
    Case("policy help explain", "help: tool policy explain"),
    Case("help serch", "error: Unknown subcommand 'serch'. Did you mean 'search'?"),
    Case("search --help", "help: tool search"),
    Case("search --limit x --zebra --help", "help: tool search"),
    Case("search --limit --help", "help: tool search"),
    Case("search -qh", "help: tool search"),
    Case("search --version --help", "help: tool search"),
    Case("zebra --help", "help: tool"),
    Case("policy --help explain", "help: tool policy explain"),
    Case("--version", "version"),
    Case("search --version", "version"),
    Case("search --name=--help a", "search name=--help <a>"),
    Case("--generate-completion-script zsh", "completion: zsh"),
    Case("--generate-completion-script=fish", "completion: fish"),
    Case("--generate-completion-script", "completion: of SHELL"),
    Case("--generate-readme-section", "readme"),
    Case("--generate-readme-sectio", "error: Unknown option '--generate-readme-sectio'."),
  ])
  private func `help and the program's own options win over everything`(_ expectation: Case) {
    #expect(summary(Sample.parse(expectation.words)) == expectation.expected)
  }

  @Test func `nothing at all gets the whole help`() {
    for words in [[], ["policy"], ["search"], ["store"]] {
      guard case .failure(let error) = Sample.parse(words) else {
        Issue.record("\(words) was taken")
        continue
      }
      #expect(error.showsWholeHelp)
      #expect(error.text(width: 80).contains("OVERVIEW:"))
    }
  }

  @Test func `a message has the error, the option's line, the usage and where to read on`() throws {
    guard case .failure(let error) = Sample.parse("search a --limit x") else {
      Issue.record("It was taken")
      return
    }
    #expect(
      error.text(width: 80) == """
        Error: The value 'x' is invalid for '--limit <n>'. Please provide a whole number.
        Help:  -n, --limit <n>  At most n.
        Usage: tool search [--limit <n>] [--name <text>] [--tag <text>]
                 [--secret <text>] [--format <format>] [--quiet] [--verbose] <text>
          See 'tool search --help' for more information.

        """)
  }

  @Test func `what a message quotes is short and can't steer a terminal`() {
    let words = ["search", "a", "--limit", "\u{1B}[31m\n" + String(repeating: "x", count: 10_000)]
    let message = summary(Sample.parse(words))
    #expect(message.contains("␛[31m␊xxx"))
    #expect(message.utf8.count < 300)
  }

  @Test func `typed values come back as they were read`() throws {
    guard case .success(.run(let call)) = Sample.parse("search a -n 7 --format csv") else {
      Issue.record("It wasn't taken")
      return
    }
    #expect(call[Sample.limit] == 7)
    #expect(call[Sample.format] == .csv)
    #expect(call[Sample.name] == nil)
    #expect(!call.has(Sample.quiet))
  }

  /// A generator with a seed, so that a failure can be repeated.
  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test func `parsing never traps, whatever the words`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = Random(state: seed)
    let pieces = [
      "search", "store", "policy", "explain", "simulate", "check", "help", "-", "--", "---", "--=", "-=", "=",
      "--limit", "--limit=", "--limit=3", "-n", "-n3", "-qvn", "-h", "--help", "--version", "-5", "-5x", "",
      "--format", "json", "--age", "5m", "--now", "+2h", "e\u{301}", "-e\u{301}", "\u{301}", "--\u{0}", "🇳🇴",
      "--generate-completion-script", "bash", "--policy", "x", "--account=", "--account", "a\nb",
    ]
    for _ in 0..<4000 {
      let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        pieces[Int.random(in: pieces.indices, using: &random)]
      }
      for root in [Sample.root, CommandRegistry.root] {
        if case .failure(let error) = ArgumentParser(root: root).parse(words) {
          #expect(!error.text(width: 80).isEmpty, "seed \(seed), words \(words)")
        }
      }
    }
  }
}
