import CatalogCLI
import CatalogDomain
import Foundation
import TestServer
import Testing

/// `refresh --from URL` and `search --remote`, on a server of the tests' own.
@Suite(.timeLimit(.minutes(5)))
struct ServerCommandTests {
  private typealias Step = LoopbackServer.Step

  private static let opds1 = """
    <feed xmlns="http://www.w3.org/2005/Atom"><id>urn:f</id>
    <link rel="search" type="application/atom+xml" href="/find/{searchTerms}"/>
    <entry><id>urn:x:1</id><title>Atom book</title>
    <link rel="http://opds-spec.org/acquisition" href="x"/></entry></feed>
    """
  private static let opds2 =
    #"{"metadata": {"title": "F"}, "links": [], "publications": [{"metadata": {"identifier": 7, "title": "Two"}}]}"#

  static func site(_ request: LoopbackServer.Request) -> [LoopbackServer.Step] {
    switch request.path {
    case "/plain":
      .answer(200, ["ETag: \"1\"", "Cache-Control: max-age=60"], "{\"id\": 1, \"title\": \"Line\"}\n")
    case "/array": .answer(200, [], "[{\"id\": 1, \"title\": \"Array\"}]", type: "text/html")
    case "/atom": .answer(200, [], opds1, type: "application/octet-stream")
    case "/two": .answer(200, [], opds2, type: "application/json")
    case "/html": .answer(200, [], "<!DOCTYPE html><html><body>log in</body></html>", type: "text/html")
    case "/login": .answer(302, ["Location: /html"])
    case "/find/atom": .answer(200, [], opds1)
    case "/secret":
      request.value("Authorization") == nil
        ? .answer(401, ["WWW-Authenticate: Basic realm=\"x\""])
        : .answer(200, [], "[{\"id\": 1, \"title\": \"Hidden\"}]")
    case "/wait": .answer(429, ["Retry-After: 90"])
    case "/down": .answer(503, ["Retry-After: 3600"])
    default: .answer(404)
    }
  }

  func words(_ line: String, _ url: URL) -> [String] {
    line.replacing("<url>", with: url.absoluteString).split(separator: " ").map(String.init)
  }

  @Test(arguments: [("/plain", "Line"), ("/array", "Array"), ("/atom", "Atom book"), ("/two", "Two")])
  func `the kind of a catalog is told from the answer, whatever its media type`(
    target: String, title: String
  ) async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    try await LoopbackServer.run(Self.site) { server in
      let session = await fixture.run(words("refresh --account ada --from <url>", server.url(target)))
      #expect(session.code == .done, "\(session.messages)")
      #expect(await fixture.run("list --account ada").output.contains("\"title\":\"\(title)\""))
    }
  }

  @Test func `a kind that is given isn't guessed`() async throws {
    let fixture = try await CacheFixture(isLoaded: false)
    try await LoopbackServer.run(Self.site) { server in
      for (target, kind) in [("/two", "plain"), ("/plain", "opds")] {
        let session = await fixture.run(
          words("refresh --account ada --kind \(kind) --from <url>", server.url(target)))
        #expect(session.code == .badData || session.output.contains("\"leftOut\":1"), "\(session.transcript)")
      }
    }
  }

  @Test(arguments: [
    ("/html", ExitCode.badData), ("/login", .badData), ("/none", .noSuchFile), ("/secret", .noPermission),
    ("/wait", .tryAgain), ("/down", .unavailable),
  ])
  func `what goes wrong has an exit code, a reason, and leaves the cache as it was`(
    target: String, code: ExitCode
  ) async throws {
    let fixture = try await CacheFixture()
    let before = await fixture.run("export --account ada").output
    try await LoopbackServer.run(Self.site) { server in
      let session = await fixture.run(
        words("refresh --account ada --from <url>?token=hush", server.url(target)))
      #expect(session.code == code, "\(session.messages)")
      #expect(session.messages.contains("The cache is as it was: 4 books"))
      #expect(session.messages.contains("Give --user, or --token-env.") == (target == "/secret"))
      #expect(!session.transcript.contains("hush"))
      #expect(await fixture.run("export --account ada").output == before)
    }
  }

  @Test func `no server is exit 69, and an address that can't be one is a wrong command line`() async throws {
    let fixture = try await CacheFixture()
    var closed: URL?
    try await LoopbackServer.run({ _ in [] }) { closed = $0.url("/") }
    let url = try #require(closed)
    #expect(await fixture.run(words("refresh --account ada --from <url>", url)).code == .unavailable)
    #expect(await fixture.run("refresh --account ada --from http://").code == .usage)
    let open = await fixture.run("refresh --account ada --from http://me:hush@127.0.0.1/")
    #expect(open.code == .usage)
    #expect(open.messages.contains("--user"))
    #expect(!open.transcript.contains("hush"))
    let bare = await fixture.run("refresh --account ada --from 127.0.0.1:80/books")
    #expect(bare.code == .noSuchFile)
    #expect(bare.messages.contains("an address begins with http:// or https://"))
    let slow = await fixture.run("refresh --account ada --timeout 1s --from x.jsonl")
    #expect(slow.code == .usage)
    #expect(slow.messages.contains("--timeout is for a server."))
    #expect(await fixture.run("refresh --account ada --timeout 0s --from http://127.0.0.1:9/").code == .usage)
  }

  @Test func `a server that doesn't answer ends at the time-out`() async throws {
    let fixture = try await CacheFixture()
    try await LoopbackServer.run({ _ in [.stall] }) { server in
      let session = await fixture.run(
        words("refresh --account ada --timeout 1s --from <url>", server.url("/")))
      #expect(session.code == .unavailable)
      #expect(session.messages.contains("in time") || session.messages.contains("within 1s"))
    }
  }

  @Test func `the password comes from a file, the environment or the terminal, and is kept nowhere`()
    async throws
  {
    let fixture = try await CacheFixture(isLoaded: false)
    let file = try fixture.folder.file("pw.txt", "päss word\n")
    let expected = "Basic " + Data("al:päss word".utf8).base64EncodedString()
    try await LoopbackServer.run(Self.site) { server in
      let line = words("refresh --account ada --user al --from <url>", server.url("/secret"))
      #expect(await fixture.run(line + ["--password-file", file]).code == .done)
      let variable = RecordingConsole()
      variable.environment["CATALOG_PASSWORD"] = "päss word"
      #expect(await fixture.run(line, console: variable).code == .done)
      let typed = RecordingConsole()
      typed.isInputTerminal = true
      typed.secrets = ["päss word"]
      let session = await fixture.run(line, console: typed)
      #expect(session.code == .done)
      #expect(session.messages.hasPrefix("Password: "))
      let token = RecordingConsole()
      token.environment["MY_TOKEN"] = "abc"
      let tokenLine = words("refresh --account ada --token-env MY_TOKEN --from <url>", server.url("/secret"))
      #expect(await fixture.run(tokenLine, console: token).code == .done)
      let sent = server.requests.map { $0.value("Authorization") }
      #expect(sent == [expected, expected, expected, "Bearer abc"])
      let empty = try fixture.folder.file("empty.txt", "\n")
      for missing in [
        line, tokenLine, line + ["--password-file", file + ".none"], line + ["--password-file", empty],
      ] {
        let count = server.requests.count
        let session = await fixture.run(missing)
        #expect(session.code == .usage || session.code == .noSuchFile)
        #expect(server.requests.count == count, "Without its password nothing is asked.")
      }
    }
    for (name, text) in try fixture.files() where name != "pw.txt" {
      #expect(!text.contains("word"), "\(name)")
    }
    #expect(await fixture.run("inspect --show-accounts --format json").output.contains("word") == false)
  }

  @Test func `what the server says of freshness is stored, shown, and its validators are sent back`()
    async throws
  {
    let fixture = try await CacheFixture(isLoaded: false)
    try await LoopbackServer.run(Self.site) { server in
      let line = words("refresh --account ada --from <url>", server.url("/plain"))
      #expect(await fixture.run(line).code == .done)
      let inspected = await fixture.run("inspect --format json").output
      for fact in [
        "\"entityTag\": \"\\\"1\\\"\"", "\"lifetime\": \"1m\"", "\"lifetimeSource\": \"server\"",
      ] {
        #expect(inspected.contains(fact), "\(fact) in \(inspected)")
      }
      #expect(await fixture.run(line + ["--if-needed"]).output.contains("notNeeded"))
      #expect(server.requests.count == 1)
      #expect(await fixture.run(line).code == .done)
      #expect(server.requests.last?.value("If-None-Match") == "\"1\"")
    }
  }

  @Test func `a refresh from another server brings that server's books, whatever it calls unchanged`()
    async throws
  {
    let fixture = try await CacheFixture(isLoaded: false)
    let site: LoopbackServer.Handler = { request in
      request.value("If-None-Match") == nil
        ? .answer(200, ["ETag: \"1\""], "[{\"id\": 1, \"title\": \"At \(request.path)\"}]")
        : [[LoopbackServer.Step].head(304, [])]
    }
    try await LoopbackServer.run(site) { server in
      for path in ["/here", "/there"] {
        let session = await fixture.run(words("refresh --account ada --from <url>", server.url(path)))
        #expect(session.code == .done)
        #expect(await fixture.run("list --account ada").output.contains("At \(path)"))
      }
    }
  }

  @Test func `progress counts pages, books and bytes, and draws a bar if the server says how many`()
    async throws
  {
    let fixture = try await CacheFixture(isLoaded: false)
    let items = (1...30).map { "{\"metadata\": {\"identifier\": \($0), \"title\": \"B\"}}" }
    let feed =
      "{\"metadata\": {\"title\": \"F\", \"numberOfItems\": 60}, \"links\": [], \"publications\": ["
      + items.joined(separator: ",") + "]}"
    try await LoopbackServer.run({ _ in .answer(200, [], feed) }) { server in
      let console = RecordingConsole()
      console.isErrorTerminal = true
      let line = words("refresh --account ada --from <url>", server.url("/"))
      let shown = await fixture.run(line, console: console).messages
      #expect(shown.contains("[##########----------] 1 page, 30 books of 60, "), "\(shown)")
      #expect(shown.contains("bytes …"))
      #expect(await fixture.run(line + ["--quiet"]).messages.isEmpty)
    }
  }

  @Test func `a line of progress is never wider than the terminal, and elsewhere comes now and then`()
    async throws
  {
    let site: LoopbackServer.Handler = { request in
      let page = Int(request.path.dropFirst()) ?? 0
      let next = page < 249 ? ["Link: </\(page + 1)>; rel=next"] : []
      return .answer(200, next, "[{\"id\": \(page), \"title\": \"B\"}]")
    }
    try await LoopbackServer.run(site) { server in
      let fixture = try await CacheFixture(isLoaded: false)
      let line = words("refresh --account ada --from <url>", server.url("/0"))
      let console = RecordingConsole()
      console.environment["COLUMNS"] = nil
      console.isErrorTerminal = true
      console.errorTerminalWidth = 12
      let lines = await fixture.run(line, console: console).messages.split(separator: "\r\u{1B}[K")
      #expect(lines.count > 100)
      #expect(lines.dropLast().allSatisfy { $0.count <= 11 })
      let plain = await fixture.run(line + ["--force"]).messages
      // Pages are counted as they come, and books as they are taken: one may be a little ahead of the other.
      let said = plain.matches(of: /(\d+) pages, (\d+) books, [\d,]+ bytes so far\n/)
      #expect(said.count == 2, "\(plain)")
      for (number, line) in said.enumerated() {
        let (pages, books) = (Int(line.1) ?? 0, Int(line.2) ?? 0)
        #expect((100...103).contains(pages - number * 100), "\(plain)")
        #expect((pages - 3...pages).contains(books), "\(plain)")
      }
    }
  }

  @Test func `titles in several languages come in the reader's`() async throws {
    let feed =
      #"{"publications": [{"metadata": {"identifier": 7, "title": {"en": "The Sea", "fr": "La mer"}}}]}"#
    try await LoopbackServer.run({ _ in .answer(200, ["ETag: \"1\""], feed) }) { server in
      let fixture = try await CacheFixture(isLoaded: false)
      let line = words("refresh --account ada --from <url>", server.url("/"))
      for (languages, title) in [("fr-CA,en", "La mer"), ("de,en", "The Sea")] {
        #expect(await fixture.run(line + ["--languages", languages]).code == .done)
        #expect(await fixture.run("list --account ada").output.contains(title))
      }
      #expect(server.requests.map { $0.value("Accept-Language") } == ["fr-CA, en;q=0.9", "de, en;q=0.9"])
      #expect(server.requests.map { $0.value("If-None-Match") } == [nil, nil])
    }
  }

  @Test func `a search on the server says whose the hits are, and knows the books that are held`()
    async throws
  {
    let fixture = try await CacheFixture()
    try await LoopbackServer.run(Self.site) { server in
      let url = server.url("/atom")
      let line = words("search --account ada --remote --format json --from <url>", url)
      let found = await fixture.run(line + ["atom"])
      #expect(found.code == .done, "\(found.messages)")
      #expect(found.output.contains("\"source\": \"remote\""))
      #expect(found.output.contains("\"matching\": \"opds\""))
      #expect(found.output.contains("\"title\": \"Atom book\""))
      // Of ada's books urn:x:1 is one.
      #expect(!found.output.contains("\"id\": null"))
      let none = await fixture.run(line + ["nothing"])
      #expect(none.code == .done && none.output.contains("\"found\": 0"))
      #expect(await fixture.run(line + ["--fail-if-none", "nothing"]).code == .noneFound)
      let stranger = await fixture.run(
        words("search --account eve --remote --format json --from <url> atom", url))
      #expect(stranger.output.contains("\"id\": null"))
      #expect(
        await fixture.run(words("search --account ada --remote --from <url> x", server.url("/plain"))).code
          == .badData)
    }
  }

  @Test func `offline, a search fails, or falls back to the cache and says so`() async throws {
    let fixture = try await CacheFixture()
    var closed: URL?
    try await LoopbackServer.run({ _ in [] }) { closed = $0.url("/") }
    let url = try #require(closed)
    let line = words("search --account ada --remote --format json --from <url>", url)
    #expect(await fixture.run(line + ["sea"]).code == .unavailable)
    let cached = await fixture.run(line + ["--or-cached", "sea"])
    #expect(cached.code == .done)
    for fact in [
      "\"source\": \"cache\"", "\"matching\": \"title-substring\"", "\"remoteFailure\": \"offline\"",
      "\"title\": \"The Sea\"",
    ] {
      #expect(cached.output.contains(fact), "\(fact)")
    }
    #expect(await fixture.run(line + [" "]).code == .usage, "What a blank query finds nobody can tell.")
    let unknown = words("search --account eve --remote --or-cached --from <url> sea", url)
    #expect(await fixture.run(unknown).code == .unavailable)
    for wrong in [
      "search --account ada --or-cached sea", "search --account ada --remote sea",
      "search --account ada --remote --from x.jsonl sea",
      "refresh --account ada --from http://127.0.0.1:9/ --languages fr,",
    ] {
      #expect(await fixture.run(wrong).code == .usage, "\(wrong)")
    }
  }

  @Test func `a password is typed byte by byte, with its mistakes`() {
    func typed(_ bytes: [UInt8]) -> SecretLine.Event? {
      var line = SecretLine()
      for byte in bytes {
        let event = line.type(byte)
        if event != .goOn { return event }
      }
      return nil
    }
    #expect(typed(Array("aé\u{7F}b\n".utf8)) == .done("ab"))
    #expect(typed(Array("ab\u{15}c\r".utf8)) == .done("c"))
    #expect(typed(Array("\u{7F}\n".utf8)) == .done(""))
    #expect(typed([0x04]) == .done(nil))
    #expect(typed([0x61, 0x03]) == .interrupted)
    #expect(typed([0x61]) == nil)
  }
}
