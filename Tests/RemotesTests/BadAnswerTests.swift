import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

/// Answers that are large, endless or deep, or lead where nobody should follow.
@Suite(.timeLimit(.minutes(5)))
struct BadAnswerTests {
  private static func link(_ target: String) -> HTTPField { HTTPField("Link", "<\(target)>; rel=next") }

  private func code(_ remote: some CatalogFetching) async -> CatalogError.Code? {
    do throws(CatalogError) {
      try await fetch(remote)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `neither a redirect nor a next page leads from https to http`() async throws {
    let url = try #require(URL(string: "https://books.example/a"))
    let redirect = ScriptedTransport { _, _ in (302, [HTTPField("Location", "http://books.example/b")], "") }
    #expect(await code(ServerCatalog(url, transport: redirect)) == .badResponse)
    #expect(await redirect.sent == [url])
    for (body, accept) in [
      ("[{\"id\":1,\"title\":\"A\"}]", "plain"),
      (
        OPDSWriter.feed(
          [OPDSWriter.item(CatalogEntry(identifier: .text("1"), title: "A"), .one)], .one,
          links: "<link rel=\"next\" href=\"http://books.example/b\"/>"), "opds"
      ),
    ] {
      let next = ScriptedTransport { _, _ in (200, [Self.link("http://books.example/b")], body) }
      let got = try await fetch(ServerCatalog(url, transport: next))
      guard case .partial(let reason) = got.conclusion else {
        Issue.record("\(accept): \(got.conclusion)")
        continue
      }
      #expect(reason.contains("leads from https to http"))
      #expect(await next.sent == [url])
    }
    let choice = OPDSWriter.feed(
      ["/x", "http://books.example/y"].map {
        "<entry><id>\($0)</id><title>T</title><link href=\"\($0)\" type=\"application/atom+xml\"/></entry>"
      }, .one)
    let chosen = ScriptedTransport { request, _ in
      (200, [], request.url.path == "/a" ? choice : OPDSWriter.feed([], .one))
    }
    _ = try await fetch(ServerCatalog(url, transport: chosen))
    #expect(await chosen.sent.allSatisfy { $0.scheme == "https" })
  }

  @Test func `a search leads from https to http as little`() async throws {
    let url = try #require(URL(string: "https://books.example/"))
    let description =
      "<OpenSearchDescription xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">"
      + "<Url type=\"application/atom+xml\" template=\"http://books.example/s?q={searchTerms}\"/>"
      + "</OpenSearchDescription>"
    let links = [
      "<link rel=\"search\" type=\"application/atom+xml\" href=\"http://books.example/s?q={searchTerms}\"/>",
      "<link rel=\"search\" type=\"application/opensearchdescription+xml\" href=\"http://books.example/d\"/>",
      "<link rel=\"search\" type=\"application/opensearchdescription+xml\" href=\"/d\"/>",
    ]
    for link in links {
      let script = ScriptedTransport { request, _ in
        (200, [], request.url.path == "/d" ? description : OPDSWriter.feed([], .one, links: link))
      }
      let search = OPDSSearch(url, account: "ada", transport: script)
      let error = await #expect(throws: CatalogError.self) { try await search.hits(for: "private words") }
      #expect(error?.code == .badResponse)
      #expect(await script.sent.allSatisfy { $0.scheme == "https" }, "\(link)")
    }
  }

  @Test func `a scheme in capitals is a scheme`() async throws {
    let url = try #require(URL(string: "HTTP://books.example/"))
    let script = ScriptedTransport { _, _ in (200, [], "[{\"id\":1,\"title\":\"A\"}]") }
    #expect(try await fetch(HTTPCatalog(url, transport: script)).entries.count == 1)
    #expect(await script.sent.map(\.scheme) == ["http"])
  }

  @Test func `what a server says is cut short and made plain before an error repeats it`() async throws {
    let long = String(repeating: "x", count: 15_000)
    let url = try #require(URL(string: "https://books.example/"))
    let ways = (0..<2).map {
      "{\"href\":\"/n\($0)\",\"title\":\"\\u001b[31m\\u009b\\u202e\(long)\",\"type\":\"application/opds+json\"}"
    }
    let choice = "{\"metadata\":{\"title\":\"n\"},\"navigation\":[\(ways.joined(separator: ","))]}"
    let flows = "{\"id\":\"x\",\"title\":\"L\",\"authentication\":[{\"type\":\"\\u001b[31m\(long)\"}]}"
    let type = HTTPField("Content-Type", "application/opds-authentication+json")
    let answers: [ScriptedTransport.Answer] = [
      (200, [], choice), (200, [], flows), (401, [type], flows),
      (401, [HTTPField("WWW-Authenticate", "\(long) realm=x")], ""),
      (302, [HTTPField("Location", "/\(long)")], ""),
    ]
    for (number, answer) in answers.enumerated() {
      let script = ScriptedTransport { request, _ in request.url.path == "/" ? answer : (404, [], "") }
      let error = await #expect(throws: CatalogError.self) {
        try await fetch(ServerCatalog(url, transport: script))
      }
      let message = error?.message ?? ""
      #expect(message.utf8.count < 2000, "\(number)")
      #expect(
        message.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) },
        "\(number)")
    }
  }

  @Test func `a million pages are too many, and asked for no further than the bound`() async throws {
    let url = try #require(URL(string: "http://books.example/1"))
    let plain = ScriptedTransport { _, count in
      (200, [Self.link("/\(count + 1)")], "[{\"id\":\(count),\"title\":\"A\"}]")
    }
    #expect(await code(ServerCatalog(url, transport: plain)) == .tooLarge)
    #expect(await plain.sent.count == 10_000)
    let opds = ScriptedTransport { _, count in
      let item = OPDSWriter.item(CatalogEntry(identifier: .text("\(count)"), title: "A"), .one)
      return (200, [], OPDSWriter.feed([item], .one, links: "<link rel=\"next\" href=\"/\(count + 1)\"/>"))
    }
    #expect(await code(ServerCatalog(url, transport: opds)) == .tooLarge)
    #expect(await opds.sent.count == 10_000)
  }

  @Test func `an identifier of a megabyte and ten thousand levels are left out or refused`() async throws {
    let url = try #require(URL(string: "http://books.example/1"))
    let long = String(repeating: "i", count: 1 << 20)
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    let elements = String(repeating: "<a>", count: 10_000) + String(repeating: "</a>", count: 10_000)
    let entry = CatalogEntry(identifier: .text(long), title: "A")
    let good = CatalogEntry(identifier: .text("good"), title: "Good")
    let documents: [(String, isTaken: Bool)] = [
      ("[{\"id\":\"good\",\"title\":\"Good\"},{\"id\":\"\(long)\",\"title\":\"A\"}]", true),
      (OPDSWriter.feed([good, entry].map { OPDSWriter.item($0, .one) }, .one), true),
      (OPDSWriter.feed([good, entry].map { OPDSWriter.item($0, .two) }, .two), true),
      ("[{\"id\":\"good\",\"title\":\"Good\"},{\"id\":1,\"title\":\"A\",\"x\":\(deep)}]", true),
      (OPDSWriter.feed([OPDSWriter.item(good, .one), elements], .one), false),
      ("{\"publications\":[{\"metadata\":{\"title\":\"A\",\"identifier\":\(deep)}}]}", false),
    ]
    for (number, document) in documents.enumerated() {
      let script = ScriptedTransport { _, _ in (200, [], document.0) }
      do throws(CatalogError) {
        let got = try await fetch(ServerCatalog(url, transport: script))
        #expect(document.isTaken, "\(number)")
        #expect(got.entries.map(\.title) == ["Good"], "\(number)")
        #expect(got.rejected.count == 1, "\(number)")
      } catch {
        #expect(!document.isTaken, "\(number): \(error)")
        #expect(error.code == .badResponse, "\(number)")
      }
    }
  }

  @Test func `a control character in a title is taken as it is from JSON, and ends a document of XML`()
    async throws
  {
    let url = try #require(URL(string: "http://books.example/1"))
    let json = ScriptedTransport { _, _ in (200, [], "[{\"id\":1,\"title\":\"a\\u0000\\u001b[31m\"}]") }
    #expect(try await fetch(ServerCatalog(url, transport: json)).entries.map(\.title) == ["a\u{0}\u{1B}[31m"])
    let xml = ScriptedTransport { _, _ in
      (200, [], OPDSWriter.feed(["<entry><id>1</id><title>a\u{1}</title></entry>"], .one))
    }
    #expect(await code(ServerCatalog(url, transport: xml)) == .badResponse)
  }

  @Test func `what refuses or redirects with a long or endless body is followed or given up in time`()
    async throws
  {
    let block = Array(repeating: UInt8(0x20), count: 1 << 16)
    let answers: LoopbackServer.Handler = { request in
      switch request.path {
      // A redirect's body isn't handed over on Linux but kept by the session, and only the deadline bounds it.
      case "/long": [[LoopbackServer.Step].head(302, ["Location: /books"]), .flood(block, count: 64)]
      case "/drip":
        [[LoopbackServer.Step].head(302, ["Location: /books"]), .drip(block, milliseconds: 50)]
      case "/login":
        [
          [LoopbackServer.Step].head(401, ["WWW-Authenticate: Basic realm=\"x\""]),
          .flood(block, count: 200),
        ]
      case "/error": [[LoopbackServer.Step].head(500, []), .flood(block, count: 200)]
      default: .answer(200, [], "[]")
      }
    }
    try await LoopbackServer.run(answers) { server in
      var options = HTTPOptions()
      options.deadline = .seconds(3)
      options.retries = 0
      let expected: KeyValuePairs<String, CatalogError.Code?> = [
        "/long": nil, "/drip": .timedOut, "/login": .unauthorized, "/error": .serverError,
      ]
      for (path, code) in expected {
        let began = ContinuousClock().now
        #expect(await self.code(ServerCatalog(server.url(path), options: options)) == code, "\(path)")
        print("\(path): \(code?.name ?? "followed") after \(ContinuousClock().now - began)")
      }
    }
    print("peak memory of the process: \(try Self.peakInKilobytes()) kB")
  }

  private static func peakInKilobytes() throws -> Int {
    let path = "/proc/self/status"
    // Only Linux has the file.
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    let status = try String(contentsOfFile: path, encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return Int(line?.filter(\.isNumber) ?? "") ?? 0
  }
}
