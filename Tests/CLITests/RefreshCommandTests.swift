import CatalogCLI
import CatalogDomain
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RefreshCommandTests {
  private static let mixed = """
    {"id": 1, "title": "One"}
    {"id": 2, "title": ""}
    {"id": "https://x.example/b?token=secret", "title": " "}
    {"id": 1, "title": "One again"}
    {"id": 3, "title": "Three"}

    """

  @Test(arguments: ["table", "json", "ndjson", "csv"])
  func `what was added, repeated and left out is named, as recorded`(_ format: String) async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    let file = try fixture.folder.file("mixed.jsonl", Self.mixed)
    let session = await fixture.run(["refresh", "--account", "ada", "--from", file, "--format", format])
    try Golden.check(fixture.stable(session.transcript), "cache-refresh-\(format)")
    #expect(!session.transcript.contains("secret"))
  }

  @Test func `the same again, something else, and less are told apart`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    let file = try fixture.folder.file("a.jsonl", CacheFixture.books)
    let line = ["refresh", "--account", "ada", "--from", file, "--format", "table"]
    #expect(
      await fixture.run(line).output.contains("account 1 holds 4 books; 4 added, 0 changed, 0 removed."))
    #expect(await fixture.run(line).output.contains("Not modified: account 1 holds 4 books, as before"))
    #expect(await fixture.run(line + ["--force"]).output.contains("Not modified"))
    #expect(await fixture.run(line + ["--if-needed"]).output.contains("fresh for another 10 min"))
    _ = try fixture.folder.file("a.jsonl", CacheFixture.books.replacing("The Sea", with: "Sea"))
    #expect(await fixture.run(line).output.contains("0 added, 1 changed, 0 removed."))
    _ = try fixture.folder.file("a.jsonl", #"[{"id": 2, "title": "Sea"}]"#)
    #expect(await fixture.run(line).output.contains("holds 1 book; 0 added, 0 changed, 3 removed."))
    _ = try fixture.folder.file("a.jsonl", "{\"id\": 9, \"title\": \"Nine\"}\n{\"title\": \"No id\"}\n")
    let partial = await fixture.run(line).output
    #expect(partial.contains("holds 2 books; 1 added, 0 changed, 0 removed."))
    #expect(partial.contains("The answer is partial, so no book was removed."))
    #expect(
      await fixture.run("list --account ada").messages.contains("there are: the last answer was partial."))
  }

  @Test func `a catalog comes from standard input in the program itself`() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("c.sqlite").path
    let run = try Program.Run(["refresh", "--db", database, "--account", "ada", "--from", "-"])
    try run.process.run()
    try run.input.fileHandleForWriting.write(contentsOf: Data(CacheFixture.books.utf8))
    try run.input.fileHandleForWriting.close()
    let ended = run.finish()
    #expect(ended.status == 0)
    #expect(ended.output.contains("\"added\":4"))
  }

  @Test func `the policy given is stored, and stays when none is given`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    let file = try fixture.folder.file("a.jsonl", CacheFixture.books)
    let line = ["refresh", "--account", "ada", "--from", file]
    #expect(await fixture.run(line + ["--lifetime", "3h"]).code == .done)
    #expect(await fixture.run("list --account ada --now +2h --fail-if-stale").code == .done)
    #expect(await fixture.run(line).code == .done)
    #expect(await fixture.run("list --account ada --now +2h --fail-if-stale").code == .done)
    #expect(await fixture.run("list --account ada --now +2h --fail-if-stale --lifetime 1h").code == .stale)
  }

  @Test func `one policy option leaves what the others have stored`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    let file = try fixture.folder.file("a.jsonl", CacheFixture.books)
    let line = ["refresh", "--account", "ada", "--from", file]
    #expect(await fixture.run(line + ["--sie", "30d", "--relaxed-offline"]).code == .done)
    #expect(await fixture.run("list --account ada --now +20d --lifetime 1h").code == .done)
    #expect(await fixture.run(line + ["--lifetime", "1h"]).code == .done)
    let policy = #""policy":{"lifetime":"1h","staleWhileRevalidate":"1d","staleIfError":"30d","#
    let inspected = await fixture.run("inspect").output
    #expect(inspected.contains(policy), "\(inspected)")
    #expect(inspected.contains(#""serverProhibitions":"relaxedOffline""#))
    #expect(await fixture.run("inspect --swr 2d").output.contains(#""staleIfError":"30d""#))
    let explained = await fixture.run("policy explain --account ada --swr 2d --format json").output
    #expect(explained.contains(#""staleIfError": "30d""#), "\(explained)")
    let whole = try fixture.folder.file("policy.json", #"{"lifetime": "2h"}"#)
    #expect(await fixture.run(line + ["--policy", whole]).code == .done)
    let replaced = await fixture.run("inspect").output
    #expect(replaced.contains(#""lifetime":"2h","staleWhileRevalidate":"1d","staleIfError":"7d""#))
    #expect(replaced.contains(#""serverProhibitions":"obeyed""#))
  }

  @Test func `progress is in place on a terminal, lines elsewhere, and nothing with --quiet`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    let books = (1...30_000).map { "{\"id\": \($0), \"title\": \"Book \($0)\"}\n" }.joined()
    let file = try fixture.folder.file("many.jsonl", books)
    let line = ["refresh", "--account", "ada", "--from", file, "--format", "json"]
    let quiet = await fixture.run(line + ["--quiet"])
    #expect(quiet.messages.isEmpty)
    #expect(quiet.code == .done)
    let plain = await fixture.run(line + ["--force"])
    #expect(!plain.messages.contains("\u{1B}"))
    #expect(plain.messages.split(separator: "\n").allSatisfy { $0.hasSuffix(" books so far") })
    let console = RecordingConsole()
    console.isErrorTerminal = true
    let shown = await fixture.run(line + ["--force"], console: console)
    #expect(shown.messages.hasSuffix("\r\u{1B}[K"))
    #expect(!shown.messages.contains("\n"))
  }

  @Test func `control-C ends a refresh with 130, and the cache is as it was`() async throws {
    let fixture = try await CacheFixture()
    let before = await fixture.run("list --account ada").output
    let run = try begin(fixture)
    run.process.interrupt()
    let ended = run.finish()
    #expect(ended.status == 130)
    #expect(ended.messages.contains("cancelled"))
    #expect(await fixture.run("list --account ada").output == before)
    #expect(await fixture.run("verify").code == .done)
  }

  /// Starts a refresh whose answer is on its way: it has begun, and waits for more.
  private func begin(_ fixture: CacheFixture) throws -> Program.Run {
    let run = try Program.Run(["refresh", "--db", fixture.database, "--account", "ada", "--from", "-"])
    try run.process.run()
    let books = (1...25_000).map { "{\"id\": \($0), \"title\": \"Latecomer \($0)\"}\n" }.joined()
    try run.input.fileHandleForWriting.write(contentsOf: Data(books.utf8))
    #expect(!run.messages.fileHandleForReading.availableData.isEmpty)
    return run
  }

  @Test func `a refresh that ends after a sign-out in another process writes nothing`() async throws {
    let fixture = try await CacheFixture()
    let run = try begin(fixture)
    #expect(await fixture.run("invalidate --account ada --forget --yes").code == .done)
    let file = try fixture.folder.file("a.jsonl", CacheFixture.books)
    #expect(await fixture.run(["refresh", "--account", "ada", "--from", file]).code == .done)
    let registeredAgain = await fixture.run("export --account ada").output
    try run.input.fileHandleForWriting.close()
    let ended = run.finish()
    #expect(ended.status == 69, "\(ended.messages)")
    #expect(ended.messages.contains("forgotten"))
    #expect(await fixture.run("export --account ada").output == registeredAgain)
    #expect(await fixture.run("verify --full").code == .done)
  }

  @Test func `a refresh that ends after a discard in another process is told to try again`() async throws {
    let fixture = try await CacheFixture()
    let run = try begin(fixture)
    #expect(await fixture.run("invalidate --account ada --discard --yes").code == .done)
    try run.input.fileHandleForWriting.close()
    let ended = run.finish()
    #expect(ended.status == 75, "\(ended.messages)")
    #expect(ended.messages.contains("Refresh again"))
    #expect(await fixture.run("list --account ada").code == .unavailable)
  }
}
