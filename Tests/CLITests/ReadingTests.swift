import CatalogCLI
import CatalogDomain
import CatalogRepository
import Foundation
import Testing

/// Commands that only read leave no trace, whatever state the log is in.
@Suite(.timeLimit(.minutes(5)))
struct ReadingTests {
  static let lines = [
    "inspect", "list --account ada", "search --account ada sea", "verify", "verify --full",
    "policy explain --account ada", "export --account ada", "list --account nobody",
    "list --account ada --now +30d", "invalidate --all --dry-run",
  ]

  @Test(arguments: lines)
  func `reading leaves the folder as it was when the log is empty`(_ line: String) async throws {
    let fixture = try await CacheFixture()
    let before = try fixture.files()
    #expect(!before.isEmpty)
    let session = await fixture.run(line)
    #expect(session.code == .done || session.code == .unavailable, "\(session.messages)")
    #expect(try fixture.files() == before)
  }

  /// Opens the fixture's database, and writes what stays in the log.
  private func writeIntoLog(_ fixture: CacheFixture) throws -> CatalogCache {
    let cache = try CatalogCache(path: fixture.database, configuration: .init(clock: StillClock()))
    _ = try cache.catalog(for: "carol", remote: Nothing())
    let log = try Data(contentsOf: URL(fileURLWithPath: fixture.database + "-wal"))
    try #require(!log.isEmpty)
    return cache
  }

  private struct Nothing: CatalogFetching {
    @concurrent func fetch(
      _ request: FetchRequest, into sink: any FetchSink
    ) async throws(CatalogError) -> FetchConclusion {
      throw CatalogError(.offline, "Nothing is there.")
    }
  }

  @Test func `another process reads what is in the log, and leaves the folder as it was`() async throws {
    let fixture = try await CacheFixture()
    let cache = try writeIntoLog(fixture)
    let before = try fixture.files()
    for line in Self.lines {
      let words = line.split(separator: " ").map(String.init) + ["--db", fixture.database]
      // By the system's clock the fixture's books have any age; a long window lets them be served.
      let isServed = ["list", "search", "export"].contains(words[0])
      let ended = try Program.run(words + (isServed ? ["--sie", "99999d"] : []))
      #expect([0, 69].contains(ended.status), "\(line): \(ended.messages)")
      #expect(try fixture.files() == before, "\(line)")
    }
    let inspected = try Program.run(["inspect", "--db", fixture.database])
    #expect(inspected.output.split(separator: "\n").count == 3)
    try cache.close()
  }

  @Test func `a database copied with its log alone is read, and left as it was`() async throws {
    let fixture = try await CacheFixture()
    let cache = try writeIntoLog(fixture)
    let folder = try TemporaryFolder()
    let copy = folder.url.appendingPathComponent("c.sqlite").path
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: fixture.database + suffix, toPath: copy + suffix)
    }
    try cache.close()
    let before = try CacheFixture.files(in: folder.url)
    #expect(before.count == 2)
    for line in Self.lines {
      let session = await Session(line.split(separator: " ").map(String.init) + ["--db", copy])
      #expect([.done, .unavailable].contains(session.code), "\(line): \(session.messages)")
      #expect(try CacheFixture.files(in: folder.url) == before, "\(line)")
    }
    #expect(await Session(["inspect", "--db", copy]).output.split(separator: "\n").count == 3)
  }
}
