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
  /// A transport that answers as the test says, so that addresses may be any.
  private actor Script: HTTPTransport {
    private let answer: @Sendable (URL, Int) -> (status: Int, fields: [HTTPField], body: String)
    private(set) var sent: [URL] = []

    init(_ answer: @escaping @Sendable (URL, Int) -> (status: Int, fields: [HTTPField], body: String)) {
      self.answer = answer
    }

    func send(_ request: HTTPRequest) async throws(CatalogError) -> HTTPResponse {
      sent.append(request.url)
      let answer = answer(request.url, sent.count)
      let (bytes, end) = AsyncStream<[UInt8]>.makeStream()
      end.yield(Array(answer.body.utf8))
      end.finish()
      return HTTPResponse(
        status: answer.status, fields: answer.fields,
        body: HTTPBody(next: { () async throws(CatalogError) in
          for await chunk in bytes { return chunk }
          return nil
        }))
    }
  }

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
    let redirect = Script { _, _ in (302, [HTTPField("Location", "http://books.example/b")], "") }
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
      let next = Script { _, _ in (200, [Self.link("http://books.example/b")], body) }
      let got = try await fetch(ServerCatalog(url, transport: next))
      guard case .partial(let reason) = got.conclusion else {
        Issue.record("\(accept): \(got.conclusion)")
        continue
      }
      #expect(reason.contains("leaves https"))
      #expect(await next.sent == [url])
    }
    let choice = OPDSWriter.feed(
      ["/x", "http://books.example/y"].map {
        "<entry><id>\($0)</id><title>T</title><link href=\"\($0)\" type=\"application/atom+xml\"/></entry>"
      }, .one)
    let chosen = Script { url, _ in
      (200, [], url.path == "/a" ? choice : OPDSWriter.feed([], .one))
    }
    _ = try await fetch(ServerCatalog(url, transport: chosen))
    #expect(await chosen.sent.allSatisfy { $0.scheme == "https" })
  }

  @Test func `a million pages are too many, and asked for no further than the bound`() async throws {
    let url = try #require(URL(string: "http://books.example/1"))
    let plain = Script { _, count in
      (200, [Self.link("/\(count + 1)")], "[{\"id\":\(count),\"title\":\"A\"}]")
    }
    #expect(await code(ServerCatalog(url, transport: plain)) == .tooLarge)
    #expect(await plain.sent.count == 10_000)
    let opds = Script { _, count in
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
      let script = Script { _, _ in (200, [], document.0) }
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
    let json = Script { _, _ in (200, [], "[{\"id\":1,\"title\":\"a\\u0000\\u001b[31m\"}]") }
    #expect(try await fetch(ServerCatalog(url, transport: json)).entries.map(\.title) == ["a\u{0}\u{1B}[31m"])
    let xml = Script { _, _ in
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
      for path in ["/long", "/drip", "/login", "/error"] {
        let began = ContinuousClock().now
        let code = await code(ServerCatalog(server.url(path), options: options))
        let time = ContinuousClock().now - began
        print("\(path): \(code?.name ?? "followed") after \(time)")
        #expect(time < .seconds(60))
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
