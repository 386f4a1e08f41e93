import CatalogRemotes
import CatalogTesting
import Foundation
import OfflineCatalog
import Testing

// README: the lines between the marks stand in the README, letter for letter.

// example: embedding
func readOffline(_ account: AccountID, catalogFile: URL, folder: URL) async throws -> [String] {
  let cache = try CatalogCache(at: .file(folder.appending(path: "catalog.sqlite")))
  let policy = FreshnessPolicy(freshFor: .seconds(600), usableOfflineFor: .seconds(7 * 86_400))
  let catalog = try cache.catalog(for: account, remote: FileCatalog(catalogFile), policy: policy)
  let shown = try await catalog.load()  // as fresh as the policy asks
  print(shown.books.count, shown.origin, shown.status.decision.rule)  // what, whence, and why
  let titles = try CatalogQuery(source: catalog).titles(matching: "sea")  // now, from disk, never the network
  let search = SearchSession(service: CachedBookSearch(catalog))  // the same boundary, for a screen
  search.search("sea")
  try await cache.forget(account)  // sign-out: revoked, then erased
  return titles
}
// end of example

// example: server
func openLibrary(_ account: AccountID, password: String, at url: URL, _ cache: CatalogCache) throws
  -> (catalog: CachedCatalog, search: RemoteBookSearch)
{
  let shown = try HTTPCredentials.basic(user: "ada", password: password, for: account, at: url)
  let catalog = try cache.catalog(for: account, remote: ServerCatalog(url, credentials: [shown]))
  let server = OPDSSearch(url, account: account, credentials: [shown])
  let search = RemoteBookSearch(mode: OPDSSearch.mode, orCached: catalog) { query in
    try await server.books(matching: query, ids: catalog.ids)  // the cache's ids for the server's hits
  }
  return (catalog, search)  // for a screen: SearchSession(service: AsyncBookSearch(search) { origin in … })
}
// end of example

@Suite(.timeLimit(.minutes(5)))
struct DocumentationExamples {
  private static let top = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func expectInReadme(_ name: String) throws {
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let begin = try #require(source.range(of: "// example: \(name)\n"))
    let end = try #require(
      source.range(of: "// end of example", range: begin.upperBound..<source.endIndex))
    let readme = try String(contentsOf: Self.top.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains(source[begin.upperBound..<end.lowerBound]))
  }

  @Test func `the README's server is this one, and says that it is offline`() async throws {
    try expectInReadme("server")
    let cache = try CatalogCache.inMemory()
    // Nobody listens there.
    let url = try #require(URL(string: "http://127.0.0.1:9/opds"))
    let (catalog, search) = try openLibrary("ada", password: "word", at: url, cache)
    let error = await #expect(throws: CatalogError.self) { try await catalog.load() }
    #expect(error?.code == .offline)
    _ = search
  }

  @Test func `the README's example is this one, and works`() async throws {
    try expectInReadme("embedding")
    let folder = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let file = folder.appending(path: "catalog.jsonl")
    try Data(#"{"id": 1, "title": "By the Sea"}"#.utf8).write(to: file)
    #expect(try await readOffline("ada", catalogFile: file, folder: folder) == ["By the Sea"])
  }

  @Test @MainActor func `the search on a server that the docs show compiles, and falls back to the cache`()
    async throws
  {
    let cache = try CatalogCache.inMemory()
    let remote = ScriptedRemote.always([CatalogEntry(identifier: .number(1), title: "By the Sea")])
    let catalog = try cache.catalog(for: "ada", remote: remote)
    try await catalog.refresh()
    // Nobody listens there.
    let url = try #require(URL(string: "http://127.0.0.1:9/opds"))
    let opds = OPDSSearch(url, account: "ada")
    let search = RemoteBookSearch(mode: OPDSSearch.mode, orCached: catalog) { query in
      try await opds.books(matching: query, ids: catalog.ids)
    }
    var caption = ""
    let service = AsyncBookSearch(search) { origin in caption = origin.source == .cache ? "offline" : "" }
    let session = SearchSession(service: service)
    let (answers, answer) = AsyncStream<SearchPhase>.makeStream()
    session.changed = { phase in
      if phase != .loading("sea") { answer.yield(phase) }
    }
    session.search("sea")
    for await phase: SearchPhase in answers {
      #expect(phase == .loaded([SearchBook(id: 1, title: "By the Sea")]))
      break
    }
    #expect(caption == "offline")
    session.stop()
  }

  @Test func `the article's policy is decided as it says`() {
    let policy = FreshnessPolicy(freshFor: .seconds(600), usableOfflineFor: .seconds(7 * 86_400))
    let loaded = ClockReading(wall: Timestamp(millisecondsSinceEpoch: 0), continuous: .zero, boot: "first")
    let later = ClockReading(
      wall: loaded.wall + .seconds(3600), continuous: loaded.continuous + .seconds(3600), boot: "first")
    let decision = policy.decide(stamp: CatalogStamp(validatedAt: loaded), now: later)
    #expect(decision.rule == .staleWhileRevalidate)
  }

  @Test func `the article's switch over presence compiles, and names what it shows`() async throws {
    let cache = try CatalogCache.inMemory()
    let catalog = try cache.catalog(for: "ada", remote: ScriptedRemote.always([]))
    var shown = ""
    switch catalog.status().presence {
    case .loaded: shown = "\(try catalog.snapshot().books.count) books"
    case .neverLoaded: shown = "first load"
    case .revoked: shown = "sign in"
    case .unreadable(let code): shown = code.name
    @unknown default: shown = "unavailable"
    }
    #expect(shown == "first load")
  }
}
