import CatalogCLI
import Foundation
import Testing

/// A folder with two accounts' catalogs in one database, for commands that are run in-process.
final class CacheFixture {
  let folder: TemporaryFolder
  var database: String { folder.url.appendingPathComponent("cache.sqlite").path }

  static let books = """
    {"id": 3, "title": "Война и мир", "authors": ["Лев Толстой"], "language": "ru", "isBorrowed": true, \
    "borrowedUntil": "2026-11-03T12:00:00Z"}
    {"id": 1, "title": "Cafe\u{301} 100%", "authors": ["A. \\u001b[31m", "B"], "language": "fr"}
    {"id": "urn:x:1", "title": "Blåbær", "updated": "2026-01-01T00:00:00Z"}
    {"id": 2, "title": "The Sea"}

    """

  /// Books of which a row can show nothing but the title and the loan: recordings of whole tables are about the
  /// table, and how a row looks is for the tests of `BookLine` alone.
  static let plainBooks = """
    {"id": 3, "title": "Война и мир", "isBorrowed": true}
    {"id": 1, "title": "Cafe\u{301} 100%"}
    {"id": "urn:x:1", "title": "Blåbær"}
    {"id": 2, "title": "The Sea"}

    """

  /// One such book whose loan ends.
  static let plainLoan = """
    {"id": 3, "title": "Война и мир", "isBorrowed": true, "borrowedUntil": "2026-11-03T12:00:00Z"}

    """

  /// Adds the account whose tables are recorded.
  func addPlainAccount() async throws {
    for (catalog, books) in [("main", Self.plainBooks), ("loans", Self.plainLoan)] {
      let file = try folder.file("plain.jsonl", books)
      let session = await run("refresh --account ola --catalog \(catalog) --from \(file)")
      try #require(session.code == .done, "\(session.messages)")
      try FileManager.default.removeItem(atPath: file)
    }
  }

  /// Creates the folder and, unless nothing is to be loaded, refreshes ada's four books and grace's none.
  init(isLoaded: Bool = true) async throws {
    folder = try TemporaryFolder()
    guard isLoaded else { return }
    let ada = try folder.file("ada.jsonl", Self.books)
    let grace = try folder.file("grace.json", "[]")
    for (account, file) in [("ada", ada), ("grace", grace)] {
      let session = await run("refresh --account \(account) --from \(file)")
      try #require(session.code == .done, "\(session.messages)")
    }
    for file in [ada, grace] { try FileManager.default.removeItem(atPath: file) }
  }

  /// Runs a command line on the fixture's database.
  func run(_ line: String, console: RecordingConsole = RecordingConsole()) async -> Session {
    await run(line.split(separator: " ").map(String.init), console: console)
  }

  /// Runs a command line, word by word, on the fixture's database.
  func run(_ words: [String], console: RecordingConsole = RecordingConsole()) async -> Session {
    console.environment["CATALOG_DB"] = database
    return await Session(words, console: console)
  }

  /// A text in which what differs from run to run has been replaced.
  func stable(_ text: String) -> String {
    text
      .replacing(folder.url.resolvingSymlinksInPath().path, with: "<folder>")
      .replacing(folder.url.path, with: "<folder>")
      .replacing(/[0-9a-f]{32}/, with: "<instance>")
      .replacing(/("sqliteVersion": |SQLite: +)[^\n,]+/) { "\($0.output.1)<version>" }
      .replacing(/("schemaVersion": |Schema: +)[0-9]+/) { "\($0.output.1)<version>" }
      .replacing(/("sizeInBytes": |Size in bytes: +)[0-9]+/) { "\($0.output.1)<size>" }
      .replacing(/("entityTag": |Entity tag: +)[^\n]+/) { "\($0.output.1)<tag>" }
  }

  /// Every file of the folder with its bytes and the time of its last change.
  func files() throws -> [String: String] {
    try Self.files(in: folder.url)
  }

  static func files(in folder: URL) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let path = folder.appendingPathComponent(name).path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      let bytes = isFolder ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
      let time = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      files[name] = "\(time) \(bytes.base64EncodedString())"
    }
    return files
  }
}

/// The program itself, as another process.
enum Program {
  /// The binary beside the tests.
  static var url: URL? {
    let tests = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
    let bundled = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    return ([tests] + bundled).map { $0.appendingPathComponent("catalogctl") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// A process that hasn't been started, with pipes for its streams.
  struct Run {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let messages = Pipe()

    init(_ words: [String], environment: [String: String] = [:]) throws {
      let program: URL = try #require(Program.url, "catalogctl isn't beside the tests")
      process.executableURL = program
      process.arguments = words
      process.environment = ProcessInfo.processInfo.environment
        .filter { !$0.key.hasPrefix("CATALOG_") }
        .merging(environment) { $1 }
      process.standardInput = input
      process.standardOutput = output
      process.standardError = messages
    }

    /// Waits for its end, and returns its status and what it wrote.
    ///
    /// One that doesn't end is killed, so that a test fails and doesn't wait for ever.
    func finish() -> (status: Int32, output: String, messages: String) {
      let watchdog = DispatchWorkItem { [process] in
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watchdog)
      defer { watchdog.cancel() }
      let written = output.fileHandleForReading.readDataToEndOfFile()
      let said = messages.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (
        process.terminationStatus, String(decoding: written, as: UTF8.self),
        String(decoding: said, as: UTF8.self)
      )
    }
  }

  /// Runs it to its end, with nothing on standard input.
  static func run(_ words: [String]) throws -> (status: Int32, output: String, messages: String) {
    let run = try Run(words)
    try run.process.run()
    try run.input.fileHandleForWriting.close()
    return run.finish()
  }
}
