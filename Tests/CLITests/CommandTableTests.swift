import CatalogCLI
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CommandTableTests {
  private static let root = CommandRegistry.root

  /// Every command with the commands that lead to it.
  private static func paths(
    _ command: CommandSpec = root, below: [CommandSpec] = []
  ) -> [[CommandSpec]] {
    let path = below + [command]
    return [path] + command.subcommands.flatMap { paths($0, below: path) }
  }

  @Test func `every command and option is explained in one sentence`() {
    for path in Self.paths() {
      let words = path.map(\.name).joined(separator: " ")
      for text in [path[path.count - 1].abstract] + path[path.count - 1].options.map(\.help) {
        #expect(text.contains(/^[A-Z].*(\.|\))$/), "\(words): \(text)")
      }
      #expect(path[path.count - 1].abstract.count < 120, "\(words)")
    }
  }

  @Test func `an option means the same wherever it is taken`() {
    var kinds: [String: Bool] = [:]
    var shorts: [Character: String] = [:]
    for option in Self.root.withDescendants.flatMap(\.allOptions) {
      #expect(
        kinds.updateValue(option.takesValue, forKey: option.long) ?? option.takesValue == option.takesValue)
      if let short = option.short {
        #expect(shorts.updateValue(option.long, forKey: short) ?? option.long == option.long)
      }
    }
  }

  @Test func `no command has two options of one name`() {
    for command in Self.root.withDescendants {
      #expect(Set(command.allOptions.map(\.long)).count == command.allOptions.count, "\(command.name)")
      let shorts = command.allOptions.compactMap(\.short)
      #expect(Set(shorts).count == shorts.count, "\(command.name)")
    }
  }

  @Test func `every example is a command line that can be parsed`() {
    for command in Self.root.withDescendants {
      for example in command.examples {
        let words = example.split(separator: " ").map(String.init)
        guard case .success(.run(let call)) = ArgumentParser(root: Self.root).parse(words) else {
          Issue.record("'\(example)' isn't a call")
          continue
        }
        #expect(call.spec.name == command.name)
      }
    }
  }

  @Test func `the help of every command is as recorded`() async throws {
    for path in Self.paths() {
      let words = path.dropFirst().map(\.name)
      let session = await Session(words + ["--help"], console: narrowConsole())
      #expect(session.code == .done)
      #expect(session.messages.isEmpty)
      for line in session.output.split(separator: "\n") where !line.contains("  catalogctl ") {
        #expect(line.count <= 80, "\(line)")
      }
      try Golden.check(session.output, (["help"] + words).joined(separator: "-"))
    }
  }

  @Test func `the README's section names every command and every exit code`() throws {
    let text = ReadmeSection.text(of: Self.root)
    for path in Self.paths() where path[path.count - 1].subcommands.isEmpty {
      #expect(text.contains("| `" + path.dropFirst().map(\.name).joined(separator: " ")))
    }
    for code in ExitCode.allCases { #expect(text.contains("| \(code.rawValue) | ")) }
  }

  @Test func `the README's section equals what the table says`() throws {
    let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("README.md")
    // A checkout of the sources alone has no README.
    guard FileManager.default.fileExists(atPath: readme.path) else { return }
    let text = String(decoding: try Data(contentsOf: readme), as: UTF8.self)
    guard text.contains(ReadmeSection.begin) else { return }
    #expect(
      text.contains(ReadmeSection.text(of: Self.root)),
      "Put the output of 'catalogctl --generate-readme-section' between the README's markers.")
  }

  @Test func `the version is one line`() async {
    let session = await Session(["--version"])
    #expect(session.output == "0.1.0\n")
    #expect(session.code == .done)
  }

  @Test func `help that is piped into a reader that has gone ends quietly`() async {
    let console = RecordingConsole()
    console.writesUntilClosed = 0
    let session = await Session(["--help"], console: console)
    #expect(session.code == .done)
    #expect(session.messages.isEmpty)
  }

  private func narrowConsole() -> RecordingConsole {
    let console = RecordingConsole()
    console.environment = ["COLUMNS": "80"]
    return console
  }
}
