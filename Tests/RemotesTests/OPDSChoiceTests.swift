import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

/// Feeds that lead to several others.
@Suite(.timeLimit(.minutes(5)))
struct OPDSChoiceTests {
  private static func feed(_ ids: [String], next: String? = nil, links: String = "") -> String {
    OPDSWriter.feed(
      ids.map { OPDSWriter.item(CatalogEntry(identifier: .text($0), title: "Book \($0)"), .one) }, .one,
      links: links + link("next", next))
  }

  private static func link(_ relation: String, _ href: String?) -> String {
    href.map { "<link rel=\"\(relation)\" href=\"\($0)\"/>" } ?? ""
  }

  private static func navigation(_ hrefs: [String], next: String? = nil) -> String {
    OPDSWriter.feed(
      hrefs.map {
        "<entry><id>n\($0)</id><title>To \($0)</title><link href=\"\($0)\" type=\"application/atom+xml\"/></entry>"
      }, .one, links: link("next", next))
  }

  private func fetched(
    _ answers: [String: String], credentials: Bool = false
  ) async throws -> (Fetched?, CatalogError?, [String]) {
    var result: (Fetched?, CatalogError?, [String]) = (nil, nil, [])
    try await LoopbackServer.run({ request in
      answers[request.target].map { .answer(200, ["ETag: \"1\""], $0) } ?? .answer(404)
    }) { server in
      let known =
        credentials ? [try HTTPCredentials.bearer(token: "t", for: "ada", at: server.url("/"))] : []
      do throws(CatalogError) {
        result.0 = try await fetch(ServerCatalog(server.url("/"), credentials: known))
      } catch {
        result.1 = error
      }
      result.2 = server.requests.map(\.target)
    }
    return result
  }

  private func titles(_ got: Fetched?) -> [String]? { got?.entries.map(\.title) }

  private func reason(_ got: Fetched?) -> String? {
    if case .partial(let reason)? = got?.conclusion { reason } else { nil }
  }

  @Test func `feeds that hold the same books in other orders are the whole catalog, each book once`()
    async throws
  {
    let (got, _, targets) = try await fetched([
      "/": Self.navigation(["/new", "/title", "/authors", "/"]),
      "/new": Self.feed(["3", "2"], next: "/new2"), "/new2": Self.feed(["1"]),
      "/title": Self.feed(["1", "2"], next: "/title2"), "/title2": Self.feed(["3"]),
      "/authors": Self.navigation(["/a", "/b"]),
    ])
    guard case .complete? = got?.conclusion else {
      Issue.record("\(reason(got) ?? "")")
      return
    }
    #expect(titles(got) == ["Book 3", "Book 2", "Book 1"])
    #expect(targets == ["/", "/new", "/title", "/authors", "/new2", "/title2"])
    #expect(got?.heads.map(\.validators) == [nil])
  }

  @Test(arguments: [
    ["/few": feed(["1"]), "/all": feed(["1", "2"])],
    ["/few": feed(["1"]), "/all": feed(["1"], next: "/gone")],
    ["/few": feed(["1", "2"])],
  ])
  func `what isn't followed may hold more, so that nothing may be removed`(answers: [String: String])
    async throws
  {
    var answers = answers
    answers["/"] = Self.navigation(["/few", "/all", "/authors"])
    answers["/authors"] = Self.navigation(["/a", "/b"])
    let (got, _, _) = try await fetched(answers)
    #expect(reason(got)?.contains("books may be missing") == true)
    #expect(titles(got)?.first == "Book 1")
  }

  @Test func `one empty feed beside ways that weren't followed isn't an empty catalog, and two are`()
    async throws
  {
    let further = ["/authors": Self.navigation(["/a", "/b"])]
    let (one, _, _) = try await fetched(
      further.merging(["/": Self.navigation(["/new", "/authors"]), "/new": Self.feed([])]) { $1 })
    #expect(reason(one)?.contains("books may be missing") == true)
    let (two, _, _) = try await fetched(
      further.merging([
        "/": Self.navigation(["/new", "/title", "/authors"]), "/new": Self.feed([]),
        "/title": Self.feed([], links: Self.link("last", "/title")),
      ]) { $1 })
    #expect(two != nil && reason(two) == nil)
  }

  @Test func `two lists that agree are the whole catalog only if one shows that it has ended`() async throws {
    let total = "<totalResults xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">2</totalResults>"
    for (sign, isWhole) in [
      ("", false), (Self.link("last", "/title?offset=0"), true), (Self.link("first", "/title"), true),
      (total, true), (total.replacing("2", with: "1"), false),
    ] {
      let (got, _, _) = try await fetched([
        "/": Self.navigation(["/picks", "/title", "/authors"]), "/picks": Self.feed(["2", "1"]),
        "/title": Self.feed(["1", "2"], links: sign), "/authors": Self.navigation(["/a", "/b"]),
      ])
      #expect(titles(got) == ["Book 2", "Book 1"])
      #expect((reason(got) == nil) == isWhole, "\(sign)")
    }
  }

  @Test func `ways that go on on a next page are ways too`() async throws {
    let (all, _, targets) = try await fetched([
      "/": Self.navigation(["/a"], next: "/2"), "/2": Self.navigation(["/b"], next: "/3"),
      "/3": Self.navigation(["/c"]), "/a": Self.feed(["1"]), "/b": Self.feed(["2"]), "/c": Self.feed(["3"]),
    ])
    #expect(titles(all) == ["Book 1", "Book 2", "Book 3"])
    #expect(reason(all) == nil)
    #expect(targets == ["/", "/2", "/3", "/a", "/b", "/c"])
    for page in [nil, Self.feed(["9"]), Self.navigation(["/b"], next: "/")] {
      var answers = [
        "/": Self.navigation(["/a"], next: "/2"), "/a": Self.feed(["1"]), "/b": Self.feed(["2"]),
      ]
      answers["/2"] = page
      let (some, _, _) = try await fetched(answers)
      #expect(titles(some)?.first == "Book 1")
      #expect(reason(some)?.contains("books may be missing") == true)
    }
  }

  @Test func `ways without end are too many`() async throws {
    let url = try #require(URL(string: "http://books.example/1"))
    let script = ScriptedTransport { _, count in
      (200, [], Self.navigation(["/n\(count)"], next: "/\(count + 1)"))
    }
    let error = await #expect(throws: CatalogError.self) {
      try await fetch(OPDSCatalog(url, transport: script))
    }
    #expect(error?.code == .badResponse)
    #expect(await script.sent.count <= 40)
  }

  @Test func `loans are known before the first book, whichever of the ways tells where they are`()
    async throws
  {
    let shelf = Self.link("http://opds-spec.org/shelf", "/shelf")
    let (got, _, targets) = try await fetched(
      [
        "/": Self.navigation(["/a", "/b"]), "/a": Self.feed(["1"]), "/b": Self.feed(["2"], links: shelf),
        "/shelf": Self.feed(["1"]),
      ], credentials: true)
    #expect(got?.entries.map(\.isBorrowed) == [true, false])
    #expect(targets == ["/", "/a", "/b", "/shelf"])
  }

  @Test func `where every way leads to books, all of them together are the catalog`() async throws {
    let (got, _, _) = try await fetched([
      "/": Self.navigation(["/a", "/b"]), "/a": Self.feed(["1", "2"]), "/b": Self.feed(["2", "3"]),
    ])
    #expect(titles(got) == ["Book 1", "Book 2", "Book 3"])
    #expect(reason(got) == nil)
  }

  @Test func `a feed that can't be read leaves a partial answer`() async throws {
    let (got, _, _) = try await fetched(["/": Self.navigation(["/a", "/none"]), "/a": Self.feed(["1"])])
    #expect(reason(got)?.contains("books may be missing") == true)
  }

  @Test func `where no way leads to books, or there are too many, somebody has to choose`() async throws {
    let (_, lost, _) = try await fetched([
      "/": Self.navigation(["/a", "/b"]), "/a": Self.navigation(["/c", "/d"]),
      "/b": Self.navigation(["/e", "/f"]),
    ])
    #expect(lost?.code == .badResponse)
    #expect(lost?.message.contains("'To /a' at 'http://127.0.0.1") == true)
    let (_, many, targets) = try await fetched(["/": Self.navigation((0..<33).map { "/\($0)" })])
    #expect(many?.message.contains("33 other feeds") == true)
    #expect(targets == ["/"])
  }

  @Test func `the reader's shelf isn't one of the ways, and says what is on loan`() async throws {
    let shelf =
      "<entry><id>s</id><title>Loans</title>"
      + "<link href=\"/shelf\" rel=\"http://opds-spec.org/shelf\" type=\"application/atom+xml\"/></entry>"
    var root = Self.navigation(["/a", "/b"])
    root.insert(contentsOf: shelf, at: root.range(of: "<entry>")?.lowerBound ?? root.endIndex)
    let answers = [
      "/": root, "/a": Self.feed(["1", "2"]), "/b": Self.feed(["3"]), "/shelf": Self.feed(["3"]),
    ]
    let (got, _, _) = try await fetched(answers, credentials: true)
    #expect(got?.entries.map(\.isBorrowed) == [false, false, true])
    let (_, _, targets) = try await fetched(answers)
    #expect(targets == ["/", "/a", "/b"])
    var lost = answers
    lost["/shelf"] = nil
    let (nothing, failure, _) = try await fetched(lost, credentials: true)
    #expect(nothing == nil && failure?.code == .notFound, "Loans that can't be read haven't ended.")
  }
}
