import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OPDSCatalogTests {
  private static func feed(_ ids: [String], next: String? = nil, links: String = "") -> String {
    let items = ids.map { OPDSWriter.item(CatalogEntry(identifier: .text($0), title: "Book \($0)"), .one) }
    let link = next.map { "<link rel=\"next\" href=\"\($0)\"/>" } ?? ""
    return OPDSWriter.feed(items, .one, links: link + links)
  }

  private static func navigation(_ hrefs: [String], links: String = "") -> String {
    OPDSWriter.feed(
      hrefs.map {
        "<entry><id>n\($0)</id><title>To \($0)</title><link href=\"\($0)\" type=\"application/atom+xml\"/></entry>"
      }, .one, links: links)
  }

  func fetched(
    _ answers: [String: [LoopbackServer.Step]], start: String = "/", token: String? = nil
  ) async throws -> (Fetched?, CatalogError?, [LoopbackServer.Request]) {
    var got: Fetched?
    var failure: CatalogError?
    var requests: [LoopbackServer.Request] = []
    try await LoopbackServer.run({ answers[$0.target] ?? .answer(404) }) { server in
      var options = HTTPOptions()
      options.retries = 0
      let credentials = try token.map {
        try HTTPCredentials.bearer(token: $0, for: "ada", at: server.url("/"))
      }
      let catalog = OPDSCatalog(
        server.url(start), credentials: credentials.map { [$0] } ?? [], options: options)
      do throws(CatalogError) { got = try await fetch(catalog) } catch { failure = error }
      requests = server.requests
    }
    return (got, failure, requests)
  }

  func reason(_ got: Fetched?) -> String? {
    if case .partial(let reason)? = got?.conclusion { reason } else { nil }
  }

  func isComplete(_ got: Fetched?) -> Bool {
    if case .complete? = got?.conclusion { true } else { false }
  }

  @Test func `pages are walked by next alone, from where each came from`() async throws {
    let (got, _, requests) = try await fetched([
      "/": .answer(302, ["Location: /a/feed?x=1"]),
      "/a/feed?x=1": .answer(
        200, ["ETag: \"1\""],
        Self.feed(["1"], next: "p%202?q=a%2Fb&amp;c=d", links: "<link rel=\"last\" href=\"/9\"/>")),
      "/a/p%202?q=a%2Fb&c=d": .answer(200, [], Self.feed(["2", "1"], next: "/z")),
      "/z": .answer(200, [], Self.feed(["3"])),
    ])
    #expect(isComplete(got))
    #expect(got?.entries.map(\.title) == ["Book 1", "Book 2", "Book 1", "Book 3"])
    #expect(got?.heads.map(\.validators) == [nil])
    #expect(requests.map(\.target) == ["/", "/a/feed?x=1", "/a/p%202?q=a%2Fb&c=d", "/z"])
  }

  @Test(arguments: [
    [LoopbackServer.Step].answer(404, [], "No books found"), .answer(500), .answer(200, [], "<html/>"),
    .answer(200, [], feed(["2"], next: "/")), .answer(200, [], navigation(["/x"])),
    .answer(200, [], feed(["2"]).replacing("urn:feed", with: "urn:other")),
    .answer(200, [], String(feed(["2"]).dropLast(9))),
    .answer(200, [], #"{"publications": [{"metadata": {"identifier": "2", "title": "Book 2"}}]}"#),
  ])
  func `a page that fails, goes in a circle or is another feed's leaves a partial answer`(
    page: [LoopbackServer.Step]
  ) async throws {
    let (got, failure, _) = try await fetched([
      "/": .answer(200, [], Self.feed(["1"], next: "/2")), "/2": page,
    ])
    #expect(failure == nil)
    #expect(reason(got)?.contains("books may be missing") == true)
    #expect(got?.entries.first?.title == "Book 1")
  }

  @Test func `a feed that says it has more books than came is no whole catalog`() async throws {
    func feed(_ ids: [String], next: String? = nil, total: Int) -> String {
      Self.feed(
        ids, next: next,
        links: "<totalResults xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">\(total)</totalResults>")
    }
    for (total, isWhole) in [(3, true), (2, true), (4, false)] {
      let (got, _, _) = try await fetched([
        "/": .answer(200, [], feed(["1", "2"], next: "/2", total: total)),
        "/2": .answer(200, [], feed(["3"], total: total)),
      ])
      #expect(isComplete(got) == isWhole)
      if !isWhole { #expect(reason(got)?.contains("says that it has 4 books, and gave 3") == true) }
      let publications =
        #"{"metadata": {"identifier": "1", "title": "A"}}, {"metadata": {"identifier": "2"}}"#
      let (two, _, _) = try await fetched([
        "/": .answer(
          200, [], #"{"metadata": {"numberOfItems": \#(total - 1)}, "publications": [\#(publications)]}"#)
      ])
      #expect(isComplete(two) == isWhole)
    }
  }

  @Test func `a book that comes twice isn't two of those that were announced`() async throws {
    let (got, _, _) = try await fetched([
      "/": .answer(
        200, [],
        Self.feed(
          ["1", "2"], next: "/2",
          links: "<totalResults xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">4</totalResults>")),
      "/2": .answer(200, [], Self.feed(["2", "3"])),
    ])
    #expect(reason(got)?.contains("says that it has 4 books, and gave 3") == true)
  }

  @Test func `a feed whose books can't be taken, and that leads to others, is no whole catalog`() async throws
  {
    let (got, _, _) = try await fetched([
      "/": .answer(
        200, [],
        Self.feed([]).replacing(
          "</feed>",
          with: "<entry><id>n</id><title>More</title><link rel=\"subsection\" href=\"/more\" "
            + "type=\"application/atom+xml\"/></entry><entry><id>x</id>"
            + "<link rel=\"http://opds-spec.org/acquisition\" href=\"x\"/></entry></feed>"))
    ])
    #expect(got?.rejected.count == 1)
    #expect(reason(got)?.contains("also leads to other feeds") == true)
  }

  @Test func `a next page without an address leaves a partial answer`() async throws {
    let json =
      #"{"metadata": {}, "links": [{"rel": "next"}], "publications": [{"metadata": {"identifier": "1", "title": "Book 1"}}]}"#
    for feed in [Self.feed(["1"], links: "<link rel=\"next\"/>"), json] {
      let (got, _, _) = try await fetched(["/": .answer(200, [], feed)])
      #expect(got?.entries.count == 1)
      #expect(reason(got)?.contains("next page") == true)
    }
  }

  @Test func `a shelf with a loan that can't be told from others is an error`() async throws {
    let shelf = "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>"
    let nameless =
      "<entry><title>N</title><link rel=\"http://opds-spec.org/acquisition\" href=\"x\"/></entry>"
    let loans = Self.feed(["1"]).replacing("</feed>", with: nameless + "</feed>")
    let (got, failure, _) = try await fetched(
      ["/": .answer(200, [], Self.feed(["1", "2"], links: shelf)), "/shelf": .answer(200, [], loans)],
      token: "t")
    #expect(got == nil)
    #expect(failure?.code == .badResponse)
  }

  @Test func `what a shelf only offers isn't a loan, and a loan ends when any way to it does`() async throws {
    let shelf = "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>"
    func record(_ id: String, _ links: String) -> String {
      "<entry><id>\(id)</id><title>\(id)</title>\(links)</entry>"
    }
    func way(_ relation: String, _ availability: String) -> String {
      "<link rel=\"http://opds-spec.org/acquisition\(relation)\" href=\"x\">\(availability)</link>"
    }
    func state(_ state: String, _ more: String = "") -> String {
      "<opds:availability status=\"\(state)\" \(more)/>"
    }
    let end = "until=\"2026-12-24T00:00:00Z\""
    let loans = OPDSWriter.feed(
      [
        record("1", way("/borrow", state("available"))), record("2", way("/borrow", state("unavailable"))),
        record("3", way("/borrow", state("reserved", end))),
        record(
          "4",
          way("", state("available", "since=\"2026-11-24T00:00:00Z\"")) + way("/borrow", state("reserved"))),
        record("5", way("", "") + way("/open-access", state("available", end))), record("6", way("", "")),
        record("7", way("/borrow", "")),
      ], .one)
    let (got, failure, _) = try await fetched(
      [
        "/": .answer(200, [], Self.feed(["1", "2", "3", "4", "5", "6", "7"], links: shelf)),
        "/shelf": .answer(200, [], loans),
      ], token: "t")
    #expect(failure == nil)
    #expect(got?.entries.map(\.isBorrowed) == [false, false, false, true, true, true, true])
    #expect(
      got?.entries.map(\.borrowedUntil?.millisecondsSinceEpoch)
        == [nil, nil, nil, nil, 1_798_070_400_000, nil, nil])
  }

  @Test func `a feed with books that leads to others too is no whole catalog, a shelf of loans aside`()
    async throws
  {
    func mixed(_ relation: String) -> String {
      Self.feed(["1"]).replacing(
        "</feed>",
        with: "<entry><id>n</id><title>More</title><link rel=\"\(relation)\" href=\"/more\" "
          + "type=\"application/atom+xml\"/></entry></feed>")
    }
    let (got, _, requests) = try await fetched(["/": .answer(200, [], mixed("subsection"))])
    #expect(got?.entries.count == 1)
    #expect(reason(got)?.contains("also leads to other feeds") == true)
    #expect(requests.count == 1)
    let (whole, _, _) = try await fetched(["/": .answer(200, [], mixed("http://opds-spec.org/shelf"))])
    #expect(isComplete(whole))
  }

  @Test func `a shelf that leads on is followed where there is no choice`() async throws {
    let (got, _, _) = try await fetched([
      "/": .answer(200, ["ETag: \"1\""], Self.navigation(["/a"])),
      "/a": .answer(200, [], Self.navigation(["/b"])),
      "/b": .answer(200, [], Self.feed(["1"])),
    ])
    #expect(isComplete(got))
    #expect(got?.heads.map(\.validators) == [nil])
    let crawlable = "<link rel=\"http://opds-spec.org/crawlable\" href=\"/all\"/>"
    let (all, _, _) = try await fetched([
      "/": .answer(200, [], Self.navigation(["/a", "/b"], links: crawlable)),
      "/all": .answer(200, [], Self.feed(["1"])),
    ])
    #expect(all?.entries.count == 1)
  }

  @Test func `where there is a choice, the error lists it, without queries`() async throws {
    let (_, failure, _) = try await fetched([
      "/": .answer(200, [], Self.navigation(["/a?token=secret", "/b"]))
    ])
    #expect(failure?.code == .badResponse)
    #expect(failure?.message.contains("'To /b' at 'http://127.0.0.1") == true)
    #expect(failure?.message.contains("/a'") == true)
    let (_, endless, _) = try await fetched([
      "/": .answer(200, [], Self.navigation(["/a"])), "/a": .answer(200, [], Self.navigation(["/"])),
    ])
    #expect(endless?.code == .badResponse)
  }

  @Test func `the shelf says what is on loan, and is asked for only by who has one`() async throws {
    let shelf = "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>"
    var loan = CatalogEntry(identifier: .text("2"), title: "Book 2")
    loan.isBorrowed = true
    loan.borrowedUntil = Timestamp(millisecondsSinceEpoch: 1_796_083_200_000)
    var elsewhere = loan
    elsewhere.identifier = .text("9")
    let loans = OPDSWriter.feed([OPDSWriter.item(loan, .one), OPDSWriter.item(elsewhere, .one)], .one)
    let answers: [String: [LoopbackServer.Step]] = [
      "/": .answer(200, ["ETag: \"1\""], Self.feed(["1", "2"], links: shelf)),
      "/shelf": .answer(200, [], loans),
    ]
    let (got, _, requests) = try await fetched(answers, token: "t")
    #expect(got?.entries.map(\.isBorrowed) == [false, true, true])
    #expect(got?.entries[1].borrowedUntil == loan.borrowedUntil)
    #expect(got?.heads.map(\.validators) == [nil])
    #expect(requests.allSatisfy { $0.value("Authorization") == "Bearer t" })
    let (anonymous, _, asked) = try await fetched(answers)
    #expect(anonymous?.entries.map(\.isBorrowed) == [false, false])
    #expect(asked.count == 1)
    #expect(anonymous?.heads.first?.validators?.entityTag == "\"1\"")
  }

  @Test func `loans that can't be read are an error, never loans that have ended`() async throws {
    let shelf = "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>"
    for status in [500, 401, 404] {
      let (got, failure, _) = try await fetched(
        ["/": .answer(200, [], Self.feed(["1"], links: shelf)), "/shelf": .answer(status)], token: "t")
      #expect(got == nil)
      #expect(failure != nil)
    }
  }

  @Test func `a loan whose record can't be read is a loan all the same`() async throws {
    let shelf = "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>"
    func record(_ id: String, _ state: String) -> String {
      "<entry><id>\(id)</id><link rel=\"http://opds-spec.org/acquisition\" href=\"x\">"
        + "<opds:availability status=\"\(state)\"/></link></entry>"
    }
    let loans = OPDSWriter.feed([record("2", "available"), record("3", "reserved")], .one)
    let good = Self.feed(["4"]).replacing(
      "<entry>", with: "\(record("2", "available"))\(record("3", "ready"))<entry>")
    for loans in [loans, good] {
      let (got, failure, _) = try await fetched(
        [
          "/": .answer(200, [], Self.feed(["1", "2", "3", "4"], links: shelf)),
          "/shelf": .answer(200, [], loans),
        ],
        token: "t")
      #expect(failure == nil)
      #expect(got?.entries.map(\.isBorrowed) == [false, true, false, loans == good])
    }
  }

  @Test func `a shelf that says that it holds more loans than it gives is an error`() async throws {
    let shelf = "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>"
    let loans = Self.feed(
      ["1"], links: "<totalResults xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">2</totalResults>")
    let (got, failure, _) = try await fetched(
      ["/": .answer(200, [], Self.feed(["1", "2"], links: shelf)), "/shelf": .answer(200, [], loans)],
      token: "t")
    #expect(got == nil)
    #expect(failure?.code == .badResponse)
  }

  @Test func `an empty feed is a whole catalog without books`() async throws {
    let (got, _, _) = try await fetched(["/": .answer(200, [], Self.feed([]))])
    #expect(isComplete(got))
    #expect(got?.entries.isEmpty == true)
  }

  @Test func `a feed of Atom in which nothing says OPDS is no catalog, and if it is empty proves nothing`()
    async throws
  {
    func atom(_ parts: String, attributes: String = "") -> String {
      "<feed xmlns=\"http://www.w3.org/2005/Atom\" \(attributes)><id>urn:blog</id>\(parts)</feed>"
    }
    let post =
      "<entry><id>p1</id><title>See http://opds-spec.org and profile=opds-catalog</title>"
      + "<link href=\"/p1\" type=\"text/html\"/></entry>"
    let way =
      "<entry><id>w</id><title>W</title><link href=\"/w\" type=\"application/atom+xml\"/></entry>"
    for items in [post, way] {
      let (got, failure, _) = try await fetched(["/": .answer(200, [], atom(items))])
      #expect(got == nil)
      #expect(failure?.code == .badResponse)
      #expect(failure?.message.contains("nothing in it says") == true)
    }
    let (empty, _, _) = try await fetched(["/": .answer(200, [], atom(""))])
    #expect(reason(empty)?.contains("nothing in it says") == true)
    let profile = "application/atom+xml;profile=opds-catalog"
    let signs = [
      atom(post, attributes: "xmlns:opds=\"http://opds-spec.org/2010/catalog\""),
      atom("<link rel=\"self\" href=\"/\" type=\"\(profile)\"/>" + post),
      atom(post.replacing("<link ", with: "<link rel=\"http://opds-spec.org/acquisition/buy\" ")),
    ]
    for feed in signs {
      let (got, failure, _) = try await fetched(["/": .answer(200, [], feed)])
      #expect(isComplete(got), "\(failure?.message ?? "")")
    }
    let (typed, _, _) = try await fetched(["/": .answer(200, [], atom(""), type: profile)])
    #expect(isComplete(typed))
  }
}
