import CatalogCLI
import CatalogDomain
import Foundation
import Testing

/// A console that keeps what is written, and has its answers ready.
final class RecordingConsole: Console {
  var environment = ["COLUMNS": "100"]
  var isOutputTerminal = false
  var isErrorTerminal = false
  var isInputTerminal = false
  var terminalWidth: Int?
  var errorTerminalWidth: Int?
  var answers: [String] = []
  var secrets: [String] = []
  var input: [UInt8] = []
  /// The writes after which standard output is closed; nil if it never is.
  var writesUntilClosed: Int?

  private(set) var output = ""
  private(set) var messages = ""

  func write(_ text: String) throws(CommandFailure) {
    if let left = writesUntilClosed {
      guard left > 0 else { throw .outputClosed }
      writesUntilClosed = left - 1
    }
    output += text
  }

  func note(_ text: String) { messages += text }

  func readLine() -> String? { answers.isEmpty ? nil : answers.removeFirst() }

  func readSecret(_ prompt: String) throws(CommandFailure) -> String? {
    messages += prompt
    return secrets.isEmpty ? nil : secrets.removeFirst()
  }

  func readInput(limit: Int) throws(CommandFailure) -> [UInt8] { Array(input.prefix(limit + 1)) }
}

/// A clock that stands still at 2026-11-01T12:00:00Z.
struct StillClock: WallClock {
  var wall = Timestamp(millisecondsSinceEpoch: 1_793_534_400_000)

  func read() -> ClockReading { ClockReading(wall: wall, continuous: .seconds(5000), boot: "boot") }

  func sleep(for span: Duration) async throws(CancellationError) {}
}

/// What became of a command line.
struct Session {
  let code: ExitCode
  let output: String
  let messages: String

  /// Runs a command line in-process.
  init(
    _ words: [String], console: RecordingConsole = RecordingConsole(), clock: any WallClock = StillClock()
  ) async {
    code = await CatalogCommandLine.run(words, console: console, clock: clock)
    output = console.output
    messages = console.messages
  }

  /// All of it, as a golden file keeps it.
  var transcript: String {
    "exit \(code.rawValue)\n--- standard output\n\(output)--- standard error\n\(messages)"
  }
}

/// Texts that are compared whole; `CATALOG_RECORD_GOLDEN=1` writes them anew.
enum Golden {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Golden")

  static func check(
    _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = folder.appendingPathComponent(name + ".txt")
    if ProcessInfo.processInfo.environment["CATALOG_RECORD_GOLDEN"] == "1" {
      try Data(text.utf8).write(to: file)
      return
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == expected, "\(name).txt", sourceLocation: sourceLocation)
  }
}

/// A folder that goes away with its owner.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("catalogctl-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A folder left behind in the temporary folder does no harm.
    try? FileManager.default.removeItem(at: url)  // see above: nothing depends on it
  }

  /// Writes a file, and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    let url = url.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url.path
  }
}
