import CatalogCLI
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CompletionTests {
  private static let root = CommandRegistry.root

  /// Runs a shell, and returns what it printed and how it ended; nil if the shell isn't installed.
  private func run(_ shell: String, _ arguments: [String], input: String) throws -> (String, Int32)? {
    let path = ["/bin/\(shell)", "/usr/bin/\(shell)"].first(where: FileManager.default.isExecutableFile)
    guard let path else { return nil }
    let folder = try TemporaryFolder()
    let script = try folder.file("script", input)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments + [script]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: output, as: UTF8.self), process.terminationStatus)
  }

  @Test(arguments: CompletionShell.allCases)
  func `the script is one that its shell can read`(_ shell: CompletionShell) throws {
    let script = shell.script(for: Self.root)
    guard let (output, status) = try run(shell.rawValue, ["-n"], input: script) else { return }
    #expect(status == 0, "\(output)")
    #expect(output.isEmpty)
  }

  @Test(arguments: CompletionShell.allCases)
  func `the script has every command and every option that isn't hidden`(_ shell: CompletionShell) {
    let script = shell.script(for: Self.root)
    for command in Self.root.withDescendants {
      #expect(script.contains(command.name))
      for option in command.allOptions {
        #expect(script.contains(option.long) == !option.isHidden, "\(option.long)")
      }
    }
  }

  /// Asks bash what it would offer after some words.
  private func offers(_ words: [String]) throws -> [String]? {
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let question = """
      COMP_WORDS=(\(list))
      COMP_CWORD=\(words.count - 1)
      _catalogctl
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let answer = try run("bash", ["--norc"], input: CompletionShell.bash.script(for: Self.root) + question)
    return answer.map { output, _ in output.split(separator: "\n").map(String.init) }
  }

  @Test func `bash offers subcommands, options and values`() throws {
    guard let commands = try offers(["catalogctl", "pol"]) else { return }
    #expect(commands == ["policy"])
    #expect(try offers(["catalogctl", "policy", ""])?.prefix(3) == ["explain", "simulate", "check"])
    #expect(try offers(["catalogctl", "policy", "explain", "--max"]) == ["--max-age"])
    #expect(try offers(["catalogctl", "policy", "explain", "--format", "n"]) == ["ndjson"])
    #expect(try offers(["catalogctl", "--generate-completion-script", ""]) == ["bash", "zsh", "fish"])
  }

  @Test func `bash offers files where a file is wanted`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("a policy.json", "{}")
    let start = folder.url.path + "/a"
    guard let files = try offers(["catalogctl", "policy", "check", start]) else { return }
    #expect(files == [folder.url.path + "/a policy.json"])
    #expect(try offers(["catalogctl", "policy", "explain", "--policy", start]) == files)
  }

  @Test func `without a value the script is for the shell of the environment`() async {
    let console = RecordingConsole()
    console.environment["SHELL"] = "/usr/local/bin/fish"
    let session = await Session(["--generate-completion-script"], console: console)
    #expect(session.output == CompletionShell.fish.script(for: Self.root))
  }

  @Test func `a shell there is no script for gets a message that lists those there are`() async {
    let console = RecordingConsole()
    console.environment["SHELL"] = "/bin/tcsh"
    let session = await Session(["--generate-completion-script"], console: console)
    #expect(session.code == .usage)
    #expect(session.messages.contains("'bash', 'zsh' and 'fish'"))
    #expect(session.output.isEmpty)
  }
}
