import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPCatalogTests {
  private static let one = "[{\"id\":1,\"title\":\"first\"}]"
  private static let two = "[{\"id\":2,\"title\":\"second\"}]"

  /// Fetches from a server that answers each path as the table says.
  private func fetched(
    _ answers: [String: [LoopbackServer.Step]], limits: DocumentLimits = .init(),
    validators: FetchValidators? = nil, retries: Int = 0, sink: RecordingSink = .init(),
    _ check: (Result<FetchConclusion, CatalogError>, RecordingSink, [LoopbackServer.Request]) async throws ->
      Void
  ) async throws {
    try await LoopbackServer.run({ answers[$0.target] ?? .answer(404) }) { server in
      var options = HTTPOptions()
      options.retries = retries
      let catalog = HTTPCatalog(server.url("/"), limits: limits, options: options)
      let request = FetchRequest(account: "ada", validators: validators, languages: ["fr-CA", "en", "x y"])
      let result: Result<FetchConclusion, CatalogError>
      do throws(CatalogError) {
        result = .success(try await catalog.fetch(request, into: sink))
      } catch {
        result = .failure(error)
      }
      try await check(result, sink, server.requests)
    }
  }

  private func reason(_ result: Result<FetchConclusion, CatalogError>) -> String? {
    if case .success(.partial(let reason)) = result { reason } else { nil }
  }

  private func isComplete(_ result: Result<FetchConclusion, CatalogError>) -> Bool {
    if case .success(.complete) = result { true } else { false }
  }

  private func code(_ result: Result<FetchConclusion, CatalogError>) -> CatalogError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  @Test func `the head says what the server allows, and the validators byte for byte`() async throws {
    let fields = [
      "Cache-Control: max-age=300, stale-if-error=60, must-revalidate", "Age: 7", "ETag: W/\"a\"",
      "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    try await fetched(["/": .answer(200, fields, Self.one)]) { result, sink, requests in
      #expect(isComplete(result))
      let head = try #require(await sink.heads.first)
      #expect(head.freshness.lifetime == .seconds(300))
      #expect(head.freshness.staleIfError == .seconds(60))
      #expect(head.freshness.mustRevalidate)
      #expect(head.initialAge == .seconds(7))
      #expect(head.validators?.entityTag == "W/\"a\"")
      #expect(head.validators?.lastModified == "Sun, 06 Nov 1994 08:49:37 GMT")
      #expect(requests.first?.value("Accept-Language") == "fr-CA, en;q=0.9")
      #expect(requests.first?.value("If-None-Match") == nil)
    }
  }

  @Test func `a server learns nothing of the device, not even its language`() async throws {
    try await LoopbackServer.run({ _ in .answer(200, [], Self.one) }) { server in
      _ = try await fetch(HTTPCatalog(server.url("/")))
      let names = server.requests.flatMap { $0.fields.map { $0.name.lowercased() } }
      #expect(
        Set(names).isSubset(of: [
          "host", "accept", "accept-encoding", "accept-language", "user-agent", "connection",
        ]), "\(names)")
      #expect(server.requests.first?.value("Accept-Language") == "*")
      #expect(server.requests.first?.value("User-Agent") == "OfflineCatalog")
    }
  }

  @Test func `a 304 brings new terms from its own fields, and keeps the validators it leaves unsaid`()
    async throws
  {
    let held = FetchValidators(entityTag: "\"a\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
    let steps = [[LoopbackServer.Step].head(304, ["Cache-Control: max-age=9", "ETag: W/\"a\""])]
    try await fetched(["/": steps], validators: held) { result, sink, requests in
      guard case .success(.notModified(let head)) = result else {
        Issue.record("expected 'not modified', got \(result)")
        return
      }
      #expect(head.freshness.lifetime == .seconds(9))
      #expect(head.validators?.entityTag == "W/\"a\"")
      #expect(head.validators?.lastModified == held?.lastModified)
      #expect(await sink.events.isEmpty)
      #expect(requests.first?.value("If-None-Match") == "\"a\"")
      #expect(requests.first?.value("If-Modified-Since") == held?.lastModified)
    }
  }

  @Test func `a 304 about something else is asked again without validators`() async throws {
    let held = FetchValidators(entityTag: "\"a\"")
    let answer: LoopbackServer.Handler = { request in
      request.value("If-None-Match") == nil
        ? .answer(200, ["ETag: \"b\""], Self.one) : [[LoopbackServer.Step].head(304, ["ETag: \"b\""])]
    }
    try await LoopbackServer.run(answer) { server in
      let got = try await fetch(HTTPCatalog(server.url("/")), validators: held)
      #expect(got.entries.count == 1)
      #expect(server.requests.count == 2)
    }
  }

  @Test
  func `what is held of another address, in another language or from another adapter isn't asked about`()
    async throws
  {
    // Every document of the server has the same tag, and says "not modified" to whoever holds it.
    let answer: LoopbackServer.Handler = { request in
      request.value("If-None-Match") == nil
        ? .answer(200, ["ETag: \"1\""], Self.one) : [[LoopbackServer.Step].head(304, ["ETag: \"1\""])]
    }
    try await LoopbackServer.run(answer) { server in
      let remotes: [any CatalogFetching] = [
        HTTPCatalog(server.url("/a?x=1")), HTTPCatalog(server.url("/a?x=2")),
        ServerCatalog(server.url("/a?x=1")),
        OPDSCatalog(server.url("/a?x=1")),
      ]
      let first = try await fetch(remotes[0])
      let held = try #require(first.heads.first?.validators)
      for (number, remote) in remotes.enumerated() {
        let count = server.requests.count
        // What isn't OPDS fails once it has been asked for.
        _ = try? await fetch(remote, validators: held)
        #expect(
          server.requests.dropFirst(count).map { $0.value("If-None-Match") } == [number == 0 ? "\"1\"" : nil])
      }
      var request = FetchRequest(account: "ada", validators: held)
      request.languages = ["fr"]
      _ = try await remotes[0].fetch(request, into: RecordingSink())
      #expect(server.requests.last?.value("If-None-Match") == nil)
      guard case .notModified(let head) = try await fetch(remotes[0], validators: held).conclusion else {
        Issue.record("The same question has the same answer.")
        return
      }
      #expect(head.validators == held)
    }
  }

  @Test func `a 304 to a question without validators is no answer`() async throws {
    try await fetched(["/": [[LoopbackServer.Step].head(304, [])]]) { result, _, _ in
      #expect(code(result) == .badResponse)
    }
  }

  @Test func `pages are followed by their next links, and have no validators`() async throws {
    let answers = [
      "/": [LoopbackServer.Step].answer(
        200, ["ETag: \"a\"", "Link: </x>; rel=prev, <p/2?a=b%2Fc>; title=\"a, b\"; rel=\"last next\""],
        Self.one),
      "/p/2?a=b%2Fc": .answer(200, ["Link: <../3>; rel=NEXT"], Self.two),
      "/3": .answer(200, ["Link: </4>; rel=next; anchor=\"/elsewhere\""], "[{\"id\":3}]"),
    ]
    try await fetched(answers) { result, sink, requests in
      #expect(isComplete(result))
      #expect(await sink.entries.map(\.title) == ["first", "second"])
      #expect(await sink.rejected.map(\.position) == ["page 3, item 1"])
      #expect(await sink.heads.map(\.validators) == [nil])
      #expect(requests.map(\.target) == ["/", "/p/2?a=b%2Fc", "/3"])
    }
  }

  @Test(arguments: [
    [LoopbackServer.Step].answer(404), .answer(500), .answer(410), .answer(200, [], "<html>"),
    .answer(200, [], "[{\"id\":2,\"title\":\"se"), .answer(200, ["Link: </>; rel=next"], two),
    .answer(200, ["Link: </2>; rel=next"], two), .answer(302, ["Location: file:///etc/passwd"]),
    [[LoopbackServer.Step].head(200, ["Content-Length: 999"]), .send(Array("[".utf8))],
  ])
  func `a later page that fails leaves a partial answer`(page: [LoopbackServer.Step]) async throws {
    let answers = ["/": [LoopbackServer.Step].answer(200, ["Link: <2>; rel=next"], Self.one), "/2": page]
    try await fetched(answers) { result, sink, _ in
      #expect(reason(result)?.contains("books may be missing") == true, "\(result)")
      #expect(await sink.entries.first?.title == "first")
    }
  }

  @Test func `a refused password, a bound and the sink's own error on a later page are errors`() async throws
  {
    let first = [LoopbackServer.Step].answer(200, ["Link: <2>; rel=next"], Self.one)
    try await fetched(["/": first, "/2": .answer(401)]) { result, _, _ in
      #expect(code(result) == .unauthorized)
    }
    var limits = DocumentLimits()
    limits.bytes = Self.one.utf8.count + 5
    try await fetched(["/": first, "/2": .answer(200, [], Self.two)], limits: limits) { result, _, _ in
      #expect(code(result) == .tooLarge)
    }
    limits = DocumentLimits()
    limits.books = 1
    try await fetched(["/": first, "/2": .answer(200, [], Self.two)], limits: limits) { result, _, _ in
      #expect(code(result) == .tooLarge)
    }
    limits = DocumentLimits()
    limits.pages = 1
    try await fetched(["/": first, "/2": .answer(200, [], Self.two)], limits: limits) { result, _, requests in
      #expect(code(result) == .tooLarge)
      #expect(requests.count == 1)
    }
    let sink = RecordingSink { event throws(CatalogError) in
      if case .page(let page) = event, page.entries.first?.title == "second" {
        throw CatalogError(.diskFull, "The sink is full.")
      }
    }
    try await fetched(["/": first, "/2": .answer(200, [], Self.two)], sink: sink) { result, _, _ in
      #expect(code(result) == .diskFull)
    }
  }

  @Test func `a later page that may not be stored isn't smuggled in`() async throws {
    let answers = [
      "/": [LoopbackServer.Step].answer(200, ["Link: <2>; rel=next"], Self.one),
      "/2": .answer(200, ["Cache-Control: no-store"], Self.two),
    ]
    try await fetched(answers) { result, _, _ in #expect(code(result) == .notStored) }
  }

  @Test(arguments: [
    (400, CatalogError.Code.badResponse), (401, .unauthorized), (403, .forbidden), (404, .notFound),
    (408, .timedOut), (410, .gone), (418, .badResponse), (429, .throttled), (500, .serverError),
    (501, .badResponse), (502, .serverError), (503, .serverError), (504, .serverError), (204, .badResponse),
    (206, .badResponse), (300, .badResponse),
  ])
  func `every status has its code`(status: Int, expected: CatalogError.Code) async throws {
    try await fetched(["/": .answer(status, [], "")]) { result, sink, _ in
      #expect(code(result) == expected)
      #expect(await sink.events.isEmpty)
    }
  }

  @Test(arguments: ["<!DOCTYPE html><html>log in</html>", "", "{\"error\":\"x\"}", "\u{0}\u{1}"])
  func `something else with status 200 is no catalog, and not an empty one`(text: String) async throws {
    try await fetched(["/": .answer(200, [], text, type: "text/html")]) { result, _, _ in
      #expect(code(result) == .badResponse)
    }
  }

  @Test func `a login page after a redirect is no catalog`() async throws {
    let answers = [
      "/": [LoopbackServer.Step].answer(302, ["Location: /login?next=%2F"]),
      "/login?next=%2F": .answer(200, [], "<html>"),
    ]
    try await fetched(answers) { result, _, requests in
      #expect(code(result) == .badResponse)
      #expect(requests.count == 2)
    }
  }

  @Test(arguments: [
    "/", "/loop", "file:///etc/passwd", "ftp://127.0.0.1/", "", "http://[", "javascript:alert(1)",
  ])
  func `a redirect in a circle or out of the web isn't followed`(location: String) async throws {
    let answers = [
      "/": [LoopbackServer.Step].answer(302, ["Location: \(location)"]),
      "/loop": .answer(302, ["Location: /"]),
    ]
    try await fetched(answers) { result, _, _ in #expect(code(result) == .badResponse) }
  }

  @Test func `no target of a redirect, however odd, ends the program`() async throws {
    let odd = [
      "/x?%zz", "?a=%", "//", "///x", "/%", "http:", ":", "#f", "/a b", "é/ü?ö", "//[::1", "http://", "*",
    ]
    for location in odd + [String(repeating: "x", count: 5000)] {
      try await fetched(["/": .answer(302, ["Location: \(location)"])]) { result, _, _ in
        #expect(code(result) != nil, "\(location.prefix(20))")
      }
    }
  }

  @Test func `exchanges that end and are cancelled at the same moment end the program as little`()
    async throws
  {
    let answers: LoopbackServer.Handler = { request in
      request.path == "/r"
        ? .answer(302, ["Location: /"])
        : request.path == "/a"
          ? .answer(401, ["WWW-Authenticate: Basic realm=\"x\""]) : .answer(200, [], Self.one)
    }
    try await LoopbackServer.run(answers) { server in
      let transport = URLSessionTransport()
      for round in 0..<120 {
        let url = server.url(["/r", "/a", "/b"][round % 3])
        let task = Task { try await fetch(HTTPCatalog(url, transport: transport)) }
        try await Task.sleep(for: .microseconds(40 * (round % 60)))
        task.cancel()
        _ = await task.result
      }
    }
  }

  @Test func `ten redirects are followed, and no more`() async throws {
    for (count, isFine) in [(10, true), (11, false)] {
      var answers = ["/\(count)": [LoopbackServer.Step].answer(200, [], Self.one)]
      for step in 0..<count {
        answers[step == 0 ? "/" : "/\(step)"] = .answer(302, ["Location: /\(step + 1)"])
      }
      try await fetched(answers) { result, _, _ in #expect(isComplete(result) == isFine) }
    }
  }

  @Test func `an address that isn't of the web, or holds a password, is refused before anything is sent`()
    async throws
  {
    for (text, expected) in [
      ("file:///tmp/x", CatalogError.Code.notFound), ("http://a:secret@127.0.0.1:1/", .unauthorized),
      ("gopher://x/", .notFound),
    ] {
      let catalog = HTTPCatalog(try #require(URL(string: text)))
      let error = await #expect(throws: CatalogError.self) { try await fetch(catalog) }
      #expect(error?.code == expected)
      #expect(error?.message.contains("secret") == false)
    }
  }
}
