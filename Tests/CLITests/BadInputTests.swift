import CatalogCLI
import CatalogDomain
import Foundation
import Testing

/// What bad input gets: one clear message, the documented status, and the cache as it was.
@Suite(.timeLimit(.minutes(5)))
struct BadInputTests {
  private struct Case: CustomTestStringConvertible, Sendable {
    let content: [UInt8]?
    let code: ExitCode
    let message: String
    let testDescription: String

    init(_ name: String, _ content: String?, _ code: ExitCode, _ message: String) {
      self.init(name, bytes: content.map { Array($0.utf8) }, code, message)
    }

    init(_ name: String, bytes: [UInt8]?, _ code: ExitCode, _ message: String) {
      (testDescription, content, self.code, self.message) = (name, bytes, code, message)
    }
  }

  @Test(arguments: [
    Case("missing", nil, .noSuchFile, "There is no file '"),
    Case("empty", "", .badData, "is empty, which is no catalog"),
    Case("cut off", "{\"id\": 1, \"title\": \"One\"}\n{\"id\": 2, \"ti", .badData, "is cut off"),
    Case("an array cut off", "[{\"id\": 1, \"title\": \"One\"}, {", .badData, "is cut off"),
    Case("not JSON", "nope", .badData, "it doesn't begin as JSON does"),
    Case(
      "not UTF-8", bytes: Array("[{\"id\": 1, \"title\": \"".utf8) + [0xFF] + Array("\"}]".utf8), .badData,
      "UTF-8"),
    Case("an object", "{\"books\": []}", .badData, "a single JSON object that isn't a book"),
  ])
  private func `a wrong catalog file is refused, and the cache is as it was`(_ file: Case) async throws {
    let fixture = try await CacheFixture()
    let before = await fixture.run("list --account ada --format csv").output
    let url = fixture.folder.url.appendingPathComponent("c.jsonl")
    if let content = file.content { try Data(content).write(to: url) }
    let session = await fixture.run(["refresh", "--account", "ada", "--from", url.path])
    #expect(session.code == file.code)
    #expect(session.output.isEmpty)
    #expect(session.messages.contains(file.message), "\(session.messages)")
    #expect(session.messages.split(separator: "\n").count == 1)
    #expect(await fixture.run("list --account ada --format csv").output == before)
    #expect(await fixture.run("verify").code == .done)
  }

  @Test func `a file of nothing but bad items is no catalog, and the rows stay`() async throws {
    let fixture = try await CacheFixture()
    let before = await fixture.run("list --account ada").output
    let items = [#"{"id": 1}"#, #"{"id": 2, "title": 5}"#, #"{"id": 3, "title": ""}"#]
    let file = try fixture.folder.file(
      "bad.jsonl", items.joined(separator: "\n") + "\n{\"id\": \"\", \"title\": \"x\"}")
    let session = await fixture.run(["refresh", "--account", "ada", "--from", file, "--format", "table"])
    #expect(session.code == .badData, "\(session.transcript)")
    #expect(session.messages.contains("None of the 4 items"), "\(session.transcript)")
    #expect(session.messages.contains("line 1: It has no 'title'."), "\(session.transcript)")
    #expect(await fixture.run("list --account ada").output == before)
  }

  @Test func `a file of two gigabytes is refused before it is read`() async throws {
    let fixture = try await CacheFixture()
    let file = try fixture.folder.file("big.jsonl", "")
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    try handle.truncate(atOffset: 2 << 30)
    try handle.close()
    let session = await fixture.run(["refresh", "--account", "ada", "--from", file])
    #expect(session.code == .badData)
    #expect(session.messages.contains("2147483648 bytes"))
    #expect(await fixture.run("list --account ada").code == .done)
  }

  @Test func `a folder as the catalog is refused`() async throws {
    let fixture = try await CacheFixture()
    let session = await fixture.run(["refresh", "--account", "ada", "--from", fixture.folder.url.path])
    #expect(session.code == .badData)
    #expect(session.messages.contains("is a directory; name a file in it"))
  }

  @Test func `a first refresh from what can't be opened makes no database`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    let source = try TemporaryFolder()
    let isFolder = await fixture.run(["refresh", "--account", "ada", "--from", source.url.path])
    #expect(isFolder.code == .badData)
    #expect(isFolder.messages.contains("is a directory; name a file in it"))
    #expect(try fixture.files().isEmpty)
    // Root may read everything.
    guard geteuid() != 0 else { return }
    let file = try source.file("a.jsonl", CacheFixture.books)
    try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file)
    let isUnreadable = await fixture.run(["refresh", "--account", "ada", "--from", file])
    #expect(isUnreadable.code == .noPermission)
    #expect(isUnreadable.messages.contains("may not be read by this user"))
    #expect(try fixture.files().isEmpty)
  }

  @Test(arguments: [
    ("", "is empty"), ("a\nb", "control character U+000A"),
    (String(repeating: "x", count: 10_000), "10000 bytes"),
  ])
  func `a wrong account's name is refused, and not repeated`(_ name: String, _ message: String) async throws {
    let fixture = try await CacheFixture()
    for words in [["list"], ["refresh", "--from", "x"], ["invalidate", "--forget", "--yes"]] {
      let session = await fixture.run(words + ["--account", name])
      #expect(session.code == .usage)
      #expect(session.messages.contains(message), "\(session.messages)")
      #expect(!session.messages.contains("xxx"))
    }
  }

  @Test(arguments: [["--account", "ad\u{FFFD}"], ["--account", "ada", "--catalog", "\u{FFFD}"]])
  func `a name that isn't UTF-8 is refused, since another might look the same`(
    _ names: [String]
  ) async throws {
    let fixture = try await CacheFixture()
    let file = try fixture.folder.file("a.jsonl", CacheFixture.books)
    for words in [["list"], ["refresh", "--from", file], ["invalidate", "--discard", "--yes"]] {
      let session = await fixture.run(words + names)
      #expect(session.code == .usage)
      #expect(session.messages.contains("isn't valid UTF-8"), "\(session.messages)")
    }
    let console = RecordingConsole()
    console.environment["CATALOG_ACCOUNT"] = "ad\u{FFFD}"
    let session = await fixture.run("list", console: console)
    #expect(session.code == .usage)
    #expect(session.messages.contains("CATALOG_ACCOUNT is invalid. It isn't valid UTF-8"))
  }

  @Test func `bytes that aren't UTF-8 reach the program as what it refuses`() throws {
    let folder = try TemporaryFolder()
    let program = try #require(Program.url, "catalogctl isn't beside the tests")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", #""$1" list --db "$2" --account "$(printf 'ad\377')""#, "sh", program.path,
      folder.url.appendingPathComponent("c.sqlite").path,
    ]
    let messages = Pipe()
    process.standardError = messages
    try process.run()
    let said = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
    #expect(said.contains("isn't valid UTF-8"), "\(said)")
  }

  @Test func `a composed and a decomposed name are two accounts`() async throws {
    let fixture = try await CacheFixture()
    let file = try fixture.folder.file("a.jsonl", CacheFixture.books)
    #expect(await fixture.run(["refresh", "--account", "Zoe\u{301}", "--from", file]).code == .done)
    #expect(await fixture.run(["list", "--account", "Zoe\u{301}"]).code == .done)
    #expect(await fixture.run(["list", "--account", "Zo\u{E9}"]).code == .unavailable)
  }

  private static let commands = [
    ["list", "--account", "ada"], ["inspect"], ["verify"], ["export", "--account", "ada"],
    ["policy", "explain", "--account", "ada"], ["invalidate", "--all", "--yes"], ["invalidate", "--scrub"],
    ["invalidate", "--account", "ada", "--forget", "--yes"],
  ]

  @Test func `a mistyped database is said, and none is made`() async throws {
    let folder = try TemporaryFolder()
    for path in ["no.sqlite", "no-folder/c.sqlite"].map({ folder.url.appendingPathComponent($0).path }) {
      for command in Self.commands {
        let session = await Session(command + ["--db", path])
        #expect(session.code == .noSuchFile, "\(command): \(session.messages)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
      }
    }
    let other = try TemporaryFolder()
    let file = try other.file("a.jsonl", CacheFixture.books)
    let refresh = await Session([
      "refresh", "--account", "ada", "--from", file, "--db", folder.url.path + "/no-folder/c.sqlite",
    ])
    #expect(refresh.code == .noSuchFile || refresh.code == .cannotCreate)
    let isMissing = await Session([
      "refresh", "--account", "ada", "--from", file + "x", "--db", folder.url.path + "/c.sqlite",
    ])
    #expect(isMissing.code == .noSuchFile)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test(arguments: ["a folder", "a text", "noise", "another program's database"])
  func `what isn't a cache is refused, and left as it was`(_ kind: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("thing").path
    switch kind {
    case "a folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case "a text": _ = try folder.file("thing", "Dear diary, nothing happened today.\n")
    case "noise":
      try Data((0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 37) }).write(to: URL(fileURLWithPath: path))
    default:
      let fixture = try await CacheFixture()
      try FileManager.default.copyItem(atPath: fixture.database, toPath: path)
      // The application's number is at byte 68 (sqlite.org/fileformat.html §1.3).
      try patch(path, at: 68, [1, 2, 3, 4])
    }
    let before = try CacheFixture.files(in: folder.url)
    let file = try TemporaryFolder()
    let books = try file.file("a.jsonl", CacheFixture.books)
    for command in Self.commands + [["refresh", "--account", "ada", "--from", books]] {
      let session = await Session(command + ["--db", path])
      #expect(session.code == .badData, "\(command): \(session.messages)")
      #expect(session.output.isEmpty)
      #expect(session.messages.contains("give the path of"), "\(session.messages)")
      #expect(try CacheFixture.files(in: folder.url) == before, "\(command)")
    }
  }

  @Test func `a database from the future is refused, and left as it was`() async throws {
    let fixture = try await CacheFixture()
    // The user version is at byte 60, big-endian (sqlite.org/fileformat.html §1.3).
    try patch(fixture.database, at: 60, [0, 0, 0, 99])
    let before = try fixture.files()
    let file = try TemporaryFolder()
    let books = try file.file("a.jsonl", CacheFixture.books)
    for command in Self.commands + [["refresh", "--account", "ada", "--from", books]] {
      let session = await fixture.run(command)
      #expect(session.code == .wrongVersion, "\(command): \(session.messages)")
      #expect(session.messages.contains("Update this program"))
      #expect(try fixture.files() == before, "\(command)")
    }
  }

  @Test func `damaged rows are found, named and replaced`() async throws {
    let fixture = try await CacheFixture()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.database))
    let place = try #require(bytes.range(of: Data("The Sea".utf8)))
    bytes.replaceSubrange(place, with: Data("The Sky".utf8))
    try bytes.write(to: URL(fileURLWithPath: fixture.database))
    let verified = await fixture.run("verify --format table")
    #expect(verified.code == .badData)
    #expect(verified.output.contains("aren't the rows that were written"))
    #expect(!verified.output.contains("Sky"))
    let listed = await fixture.run("list --account ada")
    #expect(listed.code == .badData)
    #expect(listed.output.isEmpty)
    #expect(await fixture.run("list --account grace").code == .done)
    let books = try fixture.folder.file("a.jsonl", CacheFixture.books)
    #expect(await fixture.run(["refresh", "--account", "ada", "--from", books]).code == .done)
    #expect(await fixture.run("list --account ada").code == .done)
    #expect(await fixture.run("verify").code == .done)
  }

  @Test func `a lock that another process holds makes it 75, and nothing is written`() async throws {
    let fixture = try await CacheFixture()
    let before = try fixture.files()
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
    // A system without util-linux has no such program to hold the lock with.
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/flock") else { return }
    holder.arguments = [fixture.database + "-lock", "sh", "-c", "echo held; exec cat"]
    let (input, output) = (Pipe(), Pipe())
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    #expect(!output.fileHandleForReading.availableData.isEmpty)
    let books = try TemporaryFolder()
    let file = try books.file("a.jsonl", CacheFixture.books)
    let lines = [
      ["refresh", "--account", "ada", "--from", file],
      ["invalidate", "--account", "ada", "--forget", "--yes"],
      ["list", "--account", "ada"],
    ]
    let runs = try lines.map { try Program.Run($0 + ["--db", fixture.database]) }
    for run in runs { try run.process.run() }
    for run in runs {
      let ended = run.finish()
      #expect(ended.status == 75, "\(ended.messages)")
      #expect(ended.messages.contains("try again"))
    }
    try input.fileHandleForWriting.close()
    holder.waitUntilExit()
    #expect(try fixture.files() == before)
    #expect(await fixture.run("list --account ada").code == .done)
  }

  @Test func `a file that may only be read isn't written to`() async throws {
    // Root may write everywhere.
    guard geteuid() != 0 else { return }
    let fixture = try await CacheFixture()
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: fixture.database)
    let books = try fixture.folder.file("a.jsonl", CacheFixture.books)
    #expect(await fixture.run(["refresh", "--account", "ada", "--from", books]).code == .noPermission)
    #expect(await fixture.run("list --account ada").code == .done)
  }

  private func patch(_ path: String, at offset: UInt64, _ bytes: [UInt8]) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.seek(toOffset: offset)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }
}
