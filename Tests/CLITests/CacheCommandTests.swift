import CatalogCLI
import CatalogDomain
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CacheCommandTests {
  @Test(arguments: [
    ("list-table", "list --account ola --format table"),
    ("list-json", "list --account ada --format json"),
    ("list-ndjson", "list --account ada"),
    ("list-csv", "list --account ada --format csv --show-accounts"),
    ("list-sorted", "list --account ola --format table --sort title --language nb --limit 3"),
    ("list-by-id", "list --account ada --sort id -q"),
    ("list-stale", "list --account ola --format table --now +2h --fail-if-stale"),
    ("list-loan-ended", "list --account ola --catalog loans --format table --now +48h"),
    ("list-expired", "list --account ada --now +8d"),
    ("list-expired-allowed", "list --account ola --now +8d --sie 30d --format table"),
    ("list-empty", "list --account grace --format json --fail-if-empty"),
    ("list-unknown", "list --account nobody"),
    ("list-unknown-catalog", "list --account ada --catalog other"),
    ("list-no-account", "list"),
    ("search-table", "search --account ola --format table SEA"),
    ("search-json", "search --account ada --format json caf\u{E9}"),
    ("search-percent", "search --account ada %"),
    ("search-none", "search --account ada cafe --fail-if-none"),
    ("search-unknown", "search --account nobody sea"),
    ("inspect-table", "inspect --format table"),
    ("inspect-json", "inspect --account ada --format json --now +2h"),
    ("inspect-named", "inspect --format json --account grace --show-accounts"),
    ("verify-table", "verify --format table"),
    ("verify-json", "verify --full --format json"),
    ("export-books", "export --account ada"),
    ("export-empty", "export --account grace"),
    ("explain-stored", "policy explain --account ada --now +1d --format table"),
    ("explain-unknown", "policy explain --account nobody"),
    ("explain-both", "policy explain --account ada --age 2d"),
    ("invalidate-dry-run", "invalidate --all --discard --dry-run --format table"),
    ("invalidate-older-than", "invalidate --older-than 1h --format json"),
    ("invalidate-expired", "invalidate --expired --dry-run --now +30d --format table"),
    ("invalidate-nothing", "invalidate"),
    ("invalidate-no-yes", "invalidate --all"),
    ("invalidate-forget-all", "invalidate --all --forget --yes"),
    ("invalidate-forget-catalog", "invalidate --account ada --catalog main --forget --yes"),
    ("invalidate-now", "invalidate --expired --now +1d"),
    ("invalidate-scrub", "invalidate --scrub --format table"),
    ("demo", "demo"),
  ])
  func `the output and the exit code are as recorded`(_ name: String, _ line: String) async throws {
    let fixture = try await CacheFixture()
    if line.contains("--account ola") { try await fixture.addPlainAccount() }
    let session = await fixture.run(line)
    try Golden.check(fixture.stable("$ catalogctl \(line)\n\(session.transcript)"), "cache-\(name)")
  }

  @Test func `an account comes from the environment, and the command line wins`() async throws {
    let fixture = try await CacheFixture()
    let console = RecordingConsole()
    console.environment["CATALOG_ACCOUNT"] = "grace"
    #expect(await fixture.run("list", console: console).output.isEmpty)
    #expect(await !fixture.run("list --account ada", console: console).output.isEmpty)
    console.environment["CATALOG_ACCOUNT"] = "a\nb"
    let wrong = await fixture.run("list", console: console)
    #expect(wrong.code == .usage)
    #expect(wrong.messages.contains("CATALOG_ACCOUNT is invalid"))
  }

  @Test func `remarks read well at the edges`() async throws {
    let fixture = try await CacheFixture()
    #expect(await fixture.run("list --account ada --limit 0").messages.contains("Showing none."))
    #expect(await fixture.run("list --account ada --limit 1").messages.contains("Showing the first 1."))
    let early = await fixture.run("list --account ada --now 2026-10-25T12:00:02Z").messages
    #expect(early.contains("saved 7 d in the future (2026-11-01T12:00:00Z)"), "\(early)")
    let inspected = await fixture.run("inspect --format table --now 2026-11-01T12:00:02Z").output
    #expect(inspected.contains("2026-11-01T12:10:00Z (in 10 min)"), "\(inspected)")
  }

  @Test func `the environment's account is never what an invalidation is about`() async throws {
    let fixture = try await CacheFixture()
    let console = RecordingConsole()
    console.environment["CATALOG_ACCOUNT"] = "ada"
    #expect(await fixture.run("invalidate --forget --yes", console: console).code == .usage)
    #expect(await fixture.run("list --account ada").code == .done)
  }

  @Test func `no output names an account unless that is asked for`() async throws {
    let fixture = try await CacheFixture()
    for line in [
      "inspect", "inspect --format json", "list --account grace --format json",
      "search --account grace x --format json", "verify --format json", "export --account grace",
      "policy explain --account grace", "invalidate --all --dry-run --format json",
      "list --account grace --now +30d", "invalidate --account grace --format json",
      "invalidate --account grace --forget --yes --format json", "list --account grace",
    ] {
      let session = await fixture.run(line)
      #expect(!session.output.contains("grace"), "\(line)")
      #expect(!session.messages.contains("grace"), "\(line)")
    }
  }

  @Test func `an export read back is the same catalog`() async throws {
    let fixture = try await CacheFixture()
    let exported = await fixture.run("export --account ada").output
    let file = try fixture.folder.file("copy.jsonl", exported)
    #expect(await fixture.run(["refresh", "--account", "bob", "--from", file]).code == .done)
    #expect(await fixture.run("export --account bob").output == exported)
    let empty = try fixture.folder.file("empty", await fixture.run("export --account grace").output)
    #expect(await fixture.run(["refresh", "--account", "bob", "--from", empty]).code == .done)
    #expect(await fixture.run("list --account bob").code == .done)
    #expect(await fixture.run("list --account bob").output.isEmpty)
  }

  @Test func `an export into a reader that has gone ends quietly`() async throws {
    let fixture = try await CacheFixture()
    let console = RecordingConsole()
    console.writesUntilClosed = 0
    let session = await fixture.run("export --account ada", console: console)
    #expect(session.code == .done)
    #expect(session.messages.isEmpty)
  }

  @Test(arguments: [
    ("list --account ada --now +2h --fail-if-stale", ExitCode.stale),
    ("list --account grace --fail-if-empty", .empty), ("search --account ada zzz --fail-if-none", .noneFound),
    ("export --account ada --now +2h --fail-if-stale", .stale), ("inspect --now +2h --fail-if-stale", .stale),
    ("policy explain --account ada --now +2h --fail-if-stale", .stale), ("verify", .badData),
    ("list --account ada --fail-if-stale", .done),
  ])
  func `the exit code is the same when the reader has gone`(_ line: String, _ code: ExitCode) async throws {
    let fixture = try await CacheFixture()
    if line == "verify" {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.database))
      let place = try #require(bytes.range(of: Data("The Sea".utf8)))
      bytes.replaceSubrange(place, with: Data("The Sky".utf8))
      try bytes.write(to: URL(fileURLWithPath: fixture.database))
    }
    let console = RecordingConsole()
    console.writesUntilClosed = 0
    let session = await fixture.run(line, console: console)
    #expect(session.code == code)
    #expect(session.messages.isEmpty)
    #expect(await fixture.run(line).code == code)
  }

  @Test func `forget is asked for on a terminal, and no means no`() async throws {
    let fixture = try await CacheFixture()
    let console = RecordingConsole()
    console.isInputTerminal = true
    console.answers = ["n"]
    let refused = await fixture.run("invalidate --account ada --forget", console: console)
    #expect(refused.code == .failed)
    #expect(refused.messages.contains("Forget account 1 for good, with 1 catalog with 4 books"))
    #expect(await fixture.run("list --account ada").code == .done)
    console.answers = ["yes"]
    #expect(await fixture.run("invalidate --account ada --forget", console: console).code == .done)
    #expect(await fixture.run("list --account ada").code == .unavailable)
    #expect(await fixture.run("list --account grace").code == .done)
    for file in try fixture.files().values {
      let bytes = Data(base64Encoded: String(file.split(separator: " ").last ?? "")) ?? Data()
      #expect(bytes.range(of: Data("Война".utf8)) == nil)
    }
    let again = await fixture.run("invalidate --account ada --forget --yes")
    #expect(again.code == .done)
    #expect(again.messages.contains("knows no such account"))
  }

  @Test func `each invalidation does what it says, and only to what is selected`() async throws {
    let fixture = try await CacheFixture()
    #expect(await fixture.run("invalidate --account ada --catalog main").code == .done)
    #expect(await fixture.run("list --account ada").messages.contains("An invalidation marked it stale"))
    #expect(await fixture.run("list --account grace --fail-if-stale").code == .done)
    #expect(await fixture.run("invalidate --account ada --discard --yes").code == .done)
    #expect(await fixture.run("list --account ada").code == .unavailable)
    #expect(await fixture.run("list --account grace").code == .done)
    #expect(await fixture.run("inspect").output.contains("\"presence\":\"neverLoaded\""))
    #expect(await fixture.run("invalidate --older-than 2026-11-01T12:00:00Z").messages.contains("Nothing is"))
    #expect(await fixture.run("invalidate --older-than 2026-11-01T12:00:00.001Z").messages.contains("Marked"))
  }
}
