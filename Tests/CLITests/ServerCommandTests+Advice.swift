import CatalogCLI
import CatalogDomain
import Foundation
import TestServer
import Testing

/// What is said to somebody who went wrong.
extension ServerCommandTests {
  @Test func `who wants a token alone isn't offered a user name`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    try await LoopbackServer.run({ _ in .answer(401, ["WWW-Authenticate: Bearer"]) }) { server in
      let session = await fixture.run(words("refresh --account ada --from <url>", server.url("/")))
      #expect(session.code == .noPermission)
      #expect(session.messages.contains("--token-env"))
      #expect(!session.messages.contains("--user"))
    }
  }

  @Test func `what has to be asked about each time isn't made readable by asking again`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    let answer = [LoopbackServer.Step].answer(
      200, ["Cache-Control: no-cache"], "[{\"id\":1,\"title\":\"Line\"}]")
    try await LoopbackServer.run({ _ in answer }) { server in
      #expect(await fixture.run(words("refresh --account ada --from <url>", server.url("/"))).code == .done)
    }
    let session = await fixture.run("list --account ada")
    #expect(session.code == .unavailable)
    #expect(session.messages.contains("--relaxed-offline"))
    #expect(!session.messages.contains("Refresh it with"))
    #expect(await fixture.run("list --account ada --relaxed-offline").code == .done)
  }

  @Test func `a plain catalog can't be searched on its server, and that is said`() async throws {
    let fixture = try await CacheFixture()
    try await LoopbackServer.run(Self.site) { server in
      let session = await fixture.run(
        words("search --account ada --remote --from <url> sea", server.url("/array")))
      #expect(session.code == .badData)
      #expect(session.messages.contains("Only an OPDS catalog can be searched on its server"))
    }
  }

  @Test func `header fields are reckoned term by term, as recorded`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    let head =
      "HTTP/1.1 200 OK\r\nDate: Sun, 01 Nov 2026 11:50:00 GMT\r\nAge: 30\r\nVary: Accept\r\nETag: \"a\"\r\n"
      + "Cache-Control: max-age=900, stale-if-error=60, must-revalidate\r\n\r\nExpires: in the body"
    let file = try fixture.folder.file("h.txt", head)
    let line = ["policy", "explain", "--headers", file, "--took", "2s"]
    for format in ["table", "json"] {
      let session = await fixture.run(line + ["--format", format])
      try Golden.check(session.transcript, "explain-headers-\(format)")
    }
    #expect(await fixture.run(line + ["--fail-if-stale", "--now", "+20m"]).code == .stale)
    let console = RecordingConsole()
    console.input = Array(head.utf8)
    #expect(await fixture.run(["policy", "explain", "--headers", "-"], console: console).code == .done)
    // What isn't a catalog has no life to explain.
    for (status, saying) in [
      ("401 Unauthorized", "curl -u"), ("404 Not Found", "404"), ("302 Found", "curl -L"),
    ] {
      let other = RecordingConsole()
      other.input = Array(head.replacing("200 OK", with: status).utf8)
      let session = await fixture.run(["policy", "explain", "--headers", "-"], console: other)
      #expect(session.code == .badData)
      #expect(session.messages.contains(saying), "\(session.messages)")
    }
    let empty = try fixture.folder.file("e.txt", "nothing here")
    #expect(await fixture.run(["policy", "explain", "--headers", empty]).code == .badData)
    #expect(await fixture.run(line + ["--max-age", "1s"]).code == .usage)
    #expect(await fixture.run(["policy", "explain", "--age", "1s", "--took", "1s"]).code == .usage)
  }
}
