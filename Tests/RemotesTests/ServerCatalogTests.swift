import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServerCatalogTests {
  private static let feed =
    "{\"metadata\":{\"title\":\"F\"},\"links\":[],\"publications\":[{\"metadata\":{\"identifier\":1,\"title\":\"A\"}}]}"

  private func count(_ text: String, type: String? = nil, limits: DocumentLimits = .init()) async throws
    -> Int
  {
    var count = 0
    try await LoopbackServer.run({ _ in .answer(200, [], text, type: type) }) { server in
      count = try await fetch(ServerCatalog(server.url("/"), limits: limits)).entries.count
    }
    return count
  }

  @Test(arguments: [
    "{\"id\":1,\"title\":\"A\"}", "\n {\"x\":{\"links\":[]},\"y\":\"metadata\",\"title\":\"A\",\"id\":1}",
    "[{\"id\":1,\"title\":\"A\"}]", "\u{FEFF}[{\"id\":1,\"title\":\"A\"}]",
    "{\"\\\"links\":1,\"id\":1,\"title\":\"A\"}", feed, " " + feed,
    feed.replacing("{\"meta", with: "{\"x\":[{\"id\":2}],\"meta"),
    OPDSWriter.feed([OPDSWriter.item(CatalogEntry(identifier: .text("1"), title: "A"), .one)], .one),
  ])
  func `the first bytes tell what it is`(text: String) async throws {
    for type in [nil, "text/plain", "text/html; charset=utf-8"] {
      #expect(try await count(text, type: type) == 1, "\(text)")
    }
  }

  @Test func `a member beyond what is looked at doesn't keep a catalog waiting`() async throws {
    let padding = String(repeating: "x", count: 200_000)
    #expect(try await count("{\"padding\":\"\(padding)\",\"id\":1,\"title\":\"A\"}") == 1)
  }

  @Test func `the media type of a feed is believed, and a bound of one feed holds`() async throws {
    #expect(try await count(Self.feed, type: "application/opds+json; charset=utf-8") == 1)
    var limits = DocumentLimits()
    limits.bytes = 60
    for text in [Self.feed, "[{\"id\":1,\"title\":\"\(String(repeating: "x", count: 100))\"}]"] {
      let error = await #expect(throws: CatalogError.self) { try await count(text, limits: limits) }
      #expect(error?.code == .tooLarge)
    }
  }

  @Test func `a 304 needs no body to be told`() async throws {
    try await LoopbackServer.run({ _ in [[LoopbackServer.Step].head(304, ["ETag: \"a\""])] }) { server in
      let got = try await fetch(
        ServerCatalog(server.url("/")), validators: FetchValidators(entityTag: "\"a\""))
      guard case .notModified = got.conclusion else {
        Issue.record("\(got.conclusion)")
        return
      }
    }
  }

  @Test func `a meter counts documents and bytes`() async throws {
    try await LoopbackServer.run({ request in
      request.path == "/" ? .answer(302, ["Location: /x"], "moved") : .answer(200, [], "[]")
    }) { server in
      let meter = HTTPMeter()
      try await fetch(ServerCatalog(server.url("/"), transport: meter))
      #expect(meter.reading.documents == 1)
      #expect(meter.reading.bytes == 2)
    }
  }
}
