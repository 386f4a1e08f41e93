import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPCatalogContractTests {
  @Test(arguments: CatalogFetchingContract.cases)
  func `a catalog in an array over HTTP keeps the contract of a remote`(
    promise: CatalogFetchingContract.Case
  ) async throws {
    #expect(try await promise.run(over: Self.source("one array", pages: 1)) == .staged)
  }

  @Test(arguments: CatalogFetchingContract.cases)
  func `a catalog on pages over HTTP keeps the contract of a remote`(
    promise: CatalogFetchingContract.Case
  ) async throws {
    switch try await promise.run(over: Self.source("pages", pages: 3)) {
    case .staged: break
    case .impossible(let reason): #expect(reason == Self.onePageOnly)
    }
  }

  private static let onePageOnly = "several pages can't be validated, and break off into a partial answer"

  private static func source(_ description: String, pages: Int) -> CatalogFetchingSource {
    CatalogFetchingSource(description) { scenario, body in
      func lend(_ items: [String], limits: DocumentLimits = .init()) async throws {
        try await serve(items, pages: pages) { server in
          try await body(StagedRemote(HTTPCatalog(server.url("/1"), limits: limits, options: patient)))
        }
      }
      func items(_ entries: [CatalogEntry]) -> [String] { entries.map(PlainCatalogWriter.line(for:)) }
      func inserting(_ item: String, in entries: [CatalogEntry]) -> [String] {
        items(Array(entries.prefix(1))) + [item] + items(Array(entries.dropFirst()))
      }
      switch scenario {
      case .books(let entries): try await lend(items(entries))
      case .unchanging(let entries):
        if pages > 1 { return .impossible(onePageOnly) }
        try await lend(items(entries))
      case .badItem(.text(let id), let entries): try await lend(inserting("{\"id\":\"\(id)\"}", in: entries))
      case .badItem(.number(let id), let entries): try await lend(inserting("{\"id\":\(id)}", in: entries))
      case .unreadableItem(let entries): try await lend(inserting("{\"title\":\"of no book\"}", in: entries))
      case .cutOff(let entries):
        if pages > 1 { return .impossible(onePageOnly) }
        let text = String(array(items(entries)).dropLast(12))
        try await LoopbackServer.run({ _ in .answer(200, [], text) }) { server in
          try await body(StagedRemote(HTTPCatalog(server.url("/"), options: patient)))
        }
      case .tooLarge:
        var limits = DocumentLimits()
        limits.bytes = 20
        try await lend(items([CatalogEntry(identifier: .number(1), title: "Long")]), limits: limits)
      case .unreachable:
        var url: URL?
        try await LoopbackServer.run({ _ in [] }) { url = $0.url("/") }
        try await body(StagedRemote(HTTPCatalog(try #require(url), options: patient)))
      case .stalled:
        let half = Array("[{\"id\":1,".utf8)
        let steps = [[LoopbackServer.Step].head(200, []), .send(half), .stall]
        try await LoopbackServer.run({ _ in steps }) { server in
          try await body(
            StagedRemote(HTTPCatalog(server.url("/"), options: patient)) { await server.untilStalled() })
        }
      }
      return .staged
    }
  }

  /// Serves items in arrays of about equal length, each page with a link to the next.
  private static func serve(
    _ items: [String], pages: Int, _ body: (LoopbackServer) async throws -> Void
  ) async throws {
    let size = max(1, (items.count + pages - 1) / pages)
    let parts = (0..<pages).map { page in Array(items.dropFirst(page * size).prefix(size)) }
    try await LoopbackServer.run({ request in
      guard let page = Int(request.path.dropFirst()), (1...pages).contains(page) else { return .answer(404) }
      let text = array(parts[page - 1])
      let tag = "\"\(text.utf8.reduce(into: 5381) { $0 = $0 &* 33 &+ Int($1) })\""
      if request.value("If-None-Match") == tag { return [[LoopbackServer.Step].head(304, ["ETag: \(tag)"])] }
      let next = page < pages ? ["Link: <\(page + 1)>; rel=\"next\""] : []
      return .answer(200, ["ETag: \(tag)"] + next, text, type: "application/json")
    }) { server in try await body(server) }
  }

  private static func array(_ items: [String]) -> String { "[" + items.joined(separator: ",\n") + "]\n" }

  private static let patient: HTTPOptions = {
    var options = HTTPOptions()
    options.retries = 0
    return options
  }()
}
