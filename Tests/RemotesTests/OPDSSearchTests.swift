import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OPDSSearchTests {
  private static func feed(_ ids: [String], links: String = "") -> String {
    OPDSWriter.feed(
      ids.map { OPDSWriter.item(CatalogEntry(identifier: .text($0), title: "Book \($0)"), .one) }, .one,
      links: links)
  }

  private func hits(
    _ answers: [String: [LoopbackServer.Step]], query: String = "a b+c/é&{x}", hitLimit: Int = 100
  ) async throws -> (ids: [CatalogEntry.Identifier]?, failure: CatalogError?, targets: [String]) {
    var ids: [CatalogEntry.Identifier]?
    var failure: CatalogError?
    var targets: [String] = []
    try await LoopbackServer.run({ answers[$0.target] ?? .answer(404, [], "No books found") }) { server in
      var options = HTTPOptions()
      options.retries = 0
      let search = OPDSSearch(server.url("/"), account: "ada", hitLimit: hitLimit, options: options)
      do throws(CatalogError) {
        ids = try await search.hits(for: query).map(\.identifier)
        _ = try await search.hits(for: query)
      } catch {
        failure = error
      }
      targets = server.requests.map(\.target)
    }
    return (ids, failure, targets)
  }

  private static let escaped = "a%20b%2Bc%2F%C3%A9%26%7Bx%7D"
  private static let inline =
    "<link type=\"application/atom+xml\" rel=\"search\" href=\"/opds/search/{searchTerms}?library_id=lib\"/>"

  @Test func `a template in the feed is filled in, and found only once`() async throws {
    let target = "/opds/search/\(Self.escaped)?library_id=lib"
    let (ids, failure, targets) = try await hits([
      "/": .answer(200, [], Self.feed([], links: Self.inline)),
      target: .answer(200, [], Self.feed(["2", "1"], links: "<link rel=\"next\" href=\"/p2\"/>")),
      "/p2": .answer(200, [], Self.feed(["1", "3"])),
    ])
    #expect(failure == nil)
    #expect(ids == [.text("2"), .text("1"), .text("3")])
    #expect(targets == ["/", target, "/p2", target, "/p2"])
  }

  @Test func `calibre's 404 is a search without hits, and that of a feed is an error`() async throws {
    let none = try await hits(["/": .answer(200, [], Self.feed([], links: Self.inline))])
    #expect(none.ids == [])
    #expect(none.failure == nil)
    #expect(try await hits([:]).failure?.code == .notFound)
  }

  @Test func `a page that isn't found isn't a search without hits, and a template in JSON has none by 404`()
    async throws
  {
    let target = "/opds/search/\(Self.escaped)?library_id=lib"
    let page = try await hits([
      "/": .answer(200, [], Self.feed([], links: Self.inline)),
      target: .answer(404, ["Content-Type: text/html"], "<html>Not found</html>"),
    ])
    #expect(page.failure?.code == .notFound)
    let json =
      #"{"metadata": {}, "publications": [], "links": [{"rel": "search", "href": "/s/{searchTerms}"}]}"#
    let other = try await hits(["/": .answer(200, [], json)])
    #expect(other.failure?.code == .notFound)
  }

  /// A server that is gone after some requests: it has nothing any more.
  private actor Vanishing: HTTPTransport {
    private var left: Int

    init(after count: Int) {
      left = count
    }

    func send(_ request: HTTPRequest) async throws(CatalogError) -> HTTPResponse {
      left -= 1
      let isRoot = request.url.path == "/" && left >= 0
      let text = isRoot ? OPDSSearchTests.feed([], links: OPDSSearchTests.inline) : "No books found"
      let (bytes, end) = AsyncStream<[UInt8]>.makeStream()
      end.yield(Array(text.utf8))
      end.finish()
      return HTTPResponse(
        status: isRoot ? 200 : 404, fields: [],
        body: HTTPBody(next: { () async throws(CatalogError) in
          for await chunk in bytes { return chunk }
          return nil
        }))
    }
  }

  @Test func `a server that is gone isn't one without hits`() async throws {
    let url = try #require(URL(string: "http://books.example/"))
    let search = OPDSSearch(url, account: "ada", transport: Vanishing(after: 4))
    #expect(try await search.hits(for: "a").isEmpty)
    #expect(try await search.hits(for: "a").isEmpty, "It is asked whether it is still there.")
    let error = await #expect(throws: CatalogError.self) { try await search.hits(for: "a") }
    #expect(error?.code == .notFound)
  }

  @Test func `hits that can't be read, or lead elsewhere, aren't a search without hits`() async throws {
    let target = "/opds/search/\(Self.escaped)?library_id=lib"
    let unread = OPDSWriter.feed(
      ["<entry><id>1</id><link rel=\"http://opds-spec.org/acquisition\" href=\"x\"/></entry>"], .one)
    let choices = OPDSWriter.feed(
      ["<entry><id>1</id><title>T</title><link href=\"/x\" type=\"application/atom+xml\"/></entry>"], .one)
    for answer in [unread, choices] {
      let found = try await hits([
        "/": .answer(200, [], Self.feed([], links: Self.inline)), target: .answer(200, [], answer),
      ])
      #expect(found.ids == nil)
      #expect(found.failure?.code == .badResponse)
    }
  }

  @Test func `an OpenSearch description is followed to its feed`() async throws {
    let description = """
      <?xml version="1.0"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
      <Url type="text/html" template="/html?q={searchTerms}"/>
      <Url type="application/atom+xml;profile=opds-catalog" template="find?q={searchTerms}&amp;page={startPage?}"/>
      </OpenSearchDescription>
      """
    let link = "<link type=\"application/opensearchdescription+xml\" rel=\"search\" href=\"/os/d.xml\"/>"
    let target = "/os/find?q=\(Self.escaped)&page="
    let answers: [String: [LoopbackServer.Step]] = [
      "/": .answer(200, [], Self.feed([], links: link)), "/os/d.xml": .answer(200, [], description),
      target: .answer(200, [], Self.feed(["1"])),
    ]
    #expect(try await hits(answers).ids == [.text("1")])
    var broken = answers
    broken["/os/d.xml"] = .answer(200, [], String(description.dropLast(10)))
    #expect(try await hits(broken).failure?.code == .badResponse)
    broken = answers
    broken[target] = nil
    #expect(try await hits(broken).failure?.code == .notFound)
  }

  @Test func `an OPDS 2 template is filled in, and an empty feed is no hits`() async throws {
    let link =
      "{\"rel\":\"search\",\"href\":\"/r{?query,author}\",\"templated\":true,\"type\":\"application/opds+json\"}"
    let target = "/r?query=\(Self.escaped)"
    var answers: [String: [LoopbackServer.Step]] = [
      "/": .answer(200, [], OPDSWriter.feed([], .two, links: link)),
      target: .answer(
        200, [],
        OPDSWriter.feed([OPDSWriter.item(CatalogEntry(identifier: .number(7), title: "T"), .two)], .two)),
    ]
    #expect(try await hits(answers).ids == [.number(7)])
    answers[target] = .answer(200, [], OPDSWriter.feed([], .two))
    #expect(try await hits(answers).ids == [])
  }

  @Test func `a blank query asks nobody, and hits are bounded`() async throws {
    let blank = try await hits([:], query: " \n")
    #expect(blank.ids == [] && blank.targets.isEmpty)
    let target = "/opds/search/x?library_id=lib"
    let answers: [String: [LoopbackServer.Step]] = [
      "/": .answer(200, [], Self.feed([], links: Self.inline)),
      target: .answer(200, [], Self.feed(["1", "2", "3"])),
    ]
    #expect(try await hits(answers, query: "x", hitLimit: 2).ids?.count == 2)
  }

  @Test func `a server without a search, and no server, are errors`() async throws {
    #expect(try await hits(["/": .answer(200, [], Self.feed(["1"]))]).failure?.code == .badResponse)
    var closed: URL?
    try await LoopbackServer.run({ _ in [] }) { closed = $0.url("/") }
    let search = OPDSSearch(try #require(closed), account: "ada")
    let error = await #expect(throws: CatalogError.self) { try await search.hits(for: "x") }
    #expect(error?.code == .offline)
    #expect(OPDSSearch.mode == .serverDefined("opds"))
  }

  @Test func `hits become books by the store's numbers, and others are left out`() async throws {
    let target = "/opds/search/x?library_id=lib"
    let answers: [String: [LoopbackServer.Step]] = [
      "/": .answer(200, [], Self.feed([], links: Self.inline)),
      target: .answer(200, [], Self.feed(["1", "2"])),
    ]
    try await LoopbackServer.run({ answers[$0.target] ?? .answer(404) }) { server in
      let search = OPDSSearch(server.url("/"), account: "ada")
      let books = try await search.books(matching: "x") { identifiers throws(CatalogError) in
        identifiers.map { $0 == .text("2") ? 42 : nil }
      }
      #expect(books == [SearchBook(id: 42, title: "Book 2")])
    }
  }
}
