import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPCredentialsTests {
  private static let books = "[{\"id\":1,\"title\":\"first\"}]"

  @Test func `credentials go to their own server, and not along to another`() async throws {
    try await LoopbackServer.run({ _ in .answer(200, [], Self.books) }) { other in
      let elsewhere = other.url("/there").absoluteString
      try await LoopbackServer.run({ request in
        request.path == "/" ? .answer(307, ["Location: /same"]) : .answer(302, ["Location: \(elsewhere)"])
      }) { server in
        let credentials = try HTTPCredentials.basic(
          user: "ada", password: "pässword:1", for: "ada", at: server.url("/"))
        try await fetch(HTTPCatalog(server.url("/"), credentials: [credentials]))
        let expected = "Basic " + Data("ada:pässword:1".utf8).base64EncodedString()
        #expect(server.requests.map { $0.value("Authorization") } == [expected, expected])
        #expect(other.requests.map { $0.value("Authorization") } == [nil])
        #expect(other.requests.map(\.target) == ["/there"])
      }
    }
  }

  @Test func `a next page on another server is asked for without credentials`() async throws {
    try await LoopbackServer.run({ _ in .answer(200, [], "[]") }) { other in
      let link = "Link: <\(other.url("/2").absoluteString)>; rel=next"
      try await LoopbackServer.run({ _ in .answer(200, [link], Self.books) }) { server in
        let credentials = try HTTPCredentials.bearer(token: "abc", for: "ada", at: server.url("/"))
        try await fetch(HTTPCatalog(server.url("/"), credentials: [credentials]))
        #expect(server.requests.first?.value("Authorization") == "Bearer abc")
        #expect(other.requests.map { $0.value("Authorization") } == [nil])
      }
    }
  }

  @Test
  func `two accounts on one server never carry each other's credentials, through redirects and retries`()
    async throws
  {
    let answer: LoopbackServer.Handler = { request in
      switch request.path {
      case "/": .answer(302, ["Location: /moved"])
      default: .answer(503, ["Retry-After: 0"])
      }
    }
    try await LoopbackServer.run(answer) { server in
      let catalog = HTTPCatalog(
        server.url("/"),
        credentials: [
          try .bearer(token: "of-ada", for: "ada", at: server.url("/")),
          try .bearer(token: "of-bob", for: "bob", at: server.url("/")),
        ])
      for (account, expected) in [("ada", "Bearer of-ada"), ("bob", "Bearer of-bob"), ("eve", nil)] {
        let before = server.requests.count
        let request = FetchRequest(account: try AccountID(validating: account))
        await #expect(throws: CatalogError.self) { try await catalog.fetch(request, into: RecordingSink()) }
        let made = server.requests.dropFirst(before)
        #expect(made.count == 6, "Three times a redirect and what it leads to.")
        #expect(made.allSatisfy { $0.value("Authorization") == expected })
      }
    }
  }

  @Test func `neither a next page, nor a way, nor a shelf, nor a search elsewhere is shown a password`()
    async throws
  {
    let url = try #require(URL(string: "https://books.example/"))
    let mine = try HTTPCredentials.bearer(token: "t", for: "ada", at: url)
    let item = OPDSWriter.item(CatalogEntry(identifier: .text("1"), title: "A"), .one)
    @Sendable func feed(_ links: String, _ items: [String]) -> String {
      OPDSWriter.feed(items, .one, links: links)
    }
    let places = ["https://other.example/x", "https://books.example:8443/x", "https://sub.books.example/x"]
    for place in places {
      let way =
        "<entry><id>w</id><title>T</title><link href=\"\(place)\" type=\"application/atom+xml\"/></entry>"
      let roots = [
        feed("<link rel=\"next\" href=\"\(place)\"/>", [item]), feed("", [way]),
        feed("<link rel=\"http://opds-spec.org/shelf\" href=\"\(place)\"/>", [item]),
        feed(
          "<link rel=\"search\" type=\"application/atom+xml\" href=\"\(place)?q={searchTerms}\"/>", [item]),
      ]
      for (number, root) in roots.enumerated() {
        let script = ScriptedTransport { request, _ in
          (200, [], request.url.path == "/" ? root : feed("", [item]))
        }
        _ = try await fetch(OPDSCatalog(url, credentials: [mine], transport: script))
        _ = try? await OPDSSearch(  // the first three have no search
          url, account: "ada", credentials: [mine], transport: script
        ).hits(for: "a")
        for request in await script.requests {
          let isHome = request.url.absoluteString == url.absoluteString
          #expect(request.fields.values(of: "Authorization") == (isHome ? ["Bearer t"] : []), "\(number)")
        }
        // Loans elsewhere aren't anybody's here, and aren't asked for.
        let isAskedElsewhere = await script.sent.contains { $0.host() != url.host() || $0.port != url.port }
        #expect(isAskedElsewhere == (number != 2), "\(number)")
      }
    }
  }

  @Test func `the ways to sign in that come with a 401 are named, unless one of them can be done here`()
    async throws
  {
    let basic = "{\"type\":\"http://opds-spec.org/auth/basic\"}"
    let other = "{\"type\":\"http://opds-spec.org/auth/oauth/implicit\"}"
    for (flows, type, saying) in [
      (other, "application/opds-authentication+json", "sign in by 'oauth/implicit'"),
      (other, "Application/OPDS-Authentication+JSON; charset=utf-8", "sign in by 'oauth/implicit'"),
      ("\(other),\(basic)", "application/opds-authentication+json", "a user name and a password"),
      (other, "application/json", "a user name and a password"),
    ] {
      let body = "{\"id\":\"x\",\"title\":\"L\",\"authentication\":[\(flows)]}"
      try await LoopbackServer.run({ _ in .answer(401, [], body, type: type) }) { server in
        let error = await #expect(throws: CatalogError.self) { try await fetch(HTTPCatalog(server.url("/"))) }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.contains(saying) == true, "\(error?.message ?? "")")
      }
    }
  }

  @Test func `a document about signing in is never taken for a book`() async throws {
    let body = "{\"id\":\"x\",\"title\":\"L\",\"authentication\":[]}"
    let type = "application/opds-authentication+json"
    try await LoopbackServer.run({ _ in .answer(200, [], body, type: type) }) { server in
      let error = await #expect(throws: CatalogError.self) { try await fetch(ServerCatalog(server.url("/"))) }
      #expect(error?.code == .unauthorized)
    }
  }

  @Test func `a refused password isn't tried again, and the error says what to do`() async throws {
    let cases = [
      ("Basic realm=\"library\"", "Check them"), ("Digest realm=\"a, Basic b\", nonce=\"n\"", "'digest'"),
      ("Negotiate, NTLM", "'negotiate', 'ntlm'"), ("Digest realm=\"x\", Basic realm=\"y\"", "Check them"),
    ]
    for (challenge, saying) in cases {
      try await LoopbackServer.run({ _ in .answer(401, ["WWW-Authenticate: \(challenge)"]) }) { server in
        let credentials = try HTTPCredentials.basic(
          user: "ada", password: "secret-1", for: "ada", at: server.url("/"))
        let catalog = HTTPCatalog(server.url("/?token=secret-2"), credentials: [credentials])
        let error = await #expect(throws: CatalogError.self) { try await fetch(catalog) }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.contains(saying) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("secret") == false)
        #expect(server.requests.count == 1)
      }
    }
  }

  @Test func `a 400 to a password is a scheme that can't be done, if a stranger is told so`() async throws {
    let cases: [([LoopbackServer.Step], CatalogError.Code)] = [
      (.answer(401, ["WWW-Authenticate: Digest realm=\"x\", nonce=\"n\""]), .unauthorized),
      (.answer(401, ["WWW-Authenticate: Basic realm=\"x\""]), .badResponse),
      (.answer(200, [], Self.books), .badResponse), (.answer(400), .badResponse),
    ]
    for (stranger, expected) in cases {
      try await LoopbackServer.run({ request in
        request.value("Authorization") == nil ? stranger : .answer(400, [], "Unsupported")
      }) { server in
        let credentials = try HTTPCredentials.basic(
          user: "ada", password: "secret-1", for: "ada", at: server.url("/"))
        let catalog = HTTPCatalog(server.url("/"), credentials: [credentials])
        let error = await #expect(throws: CatalogError.self) { try await fetch(catalog) }
        #expect(error?.code == expected)
        #expect(error?.message.contains("'digest'") == (expected == .unauthorized))
        #expect(server.requests.map { $0.value("Authorization") == nil } == [false, true])
      }
    }
  }

  @Test func `credentials print redacted`() throws {
    let url = try #require(URL(string: "https://Example.org/x?token=secret-2"))
    let credentials = try HTTPCredentials.basic(
      user: "secret-user", password: "secret-1", for: "ada", at: url)
    var dumped = ""
    dump(credentials, to: &dumped)
    for text in ["\(credentials)", String(reflecting: credentials), dumped, "\([credentials])"] {
      #expect(!text.contains("secret"), "\(text)")
      #expect(!text.contains(Data("secret-user:secret-1".utf8).base64EncodedString()))
    }
    #expect("\(credentials)" == "Basic credentials for https://example.org:443")
  }

  @Test func `what can't be sent is refused when it is made`() throws {
    let url = try #require(URL(string: "http://example.org"))
    for (user, password) in [("a:b", "x"), ("a\r\nX: y", "x"), ("a", "b\n")] {
      #expect(throws: CatalogError.self) {
        try HTTPCredentials.basic(user: user, password: password, for: "ada", at: url)
      }
    }
    for token in ["", "a b", "a\r\nX: y", "ä"] {
      #expect(throws: CatalogError.self) { try HTTPCredentials.bearer(token: token, for: "ada", at: url) }
    }
    let file = URL(fileURLWithPath: "/x")
    #expect(throws: CatalogError.self) { try HTTPCredentials.bearer(token: "a", for: "ada", at: file) }
  }
}
