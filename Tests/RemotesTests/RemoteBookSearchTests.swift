import CatalogDomain
import CatalogRemotes
import CatalogRepository
import CatalogTesting
import Foundation
import TestServer
import Testing

/// A server's search behind the app's own boundary, with the cache to fall back to.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct RemoteBookSearchTests {
  private nonisolated static func feed(_ ids: [String]) -> String {
    OPDSWriter.feed(
      ids.map { OPDSWriter.item(CatalogEntry(identifier: .text($0), title: "Sea \($0)"), .one) }, .one,
      links: "<link type=\"application/atom+xml\" rel=\"search\" href=\"/find/{searchTerms}\"/>")
  }

  /// What a session showed, and who was said to have answered.
  private func shown(
    _ query: String, _ url: URL, _ catalog: CachedCatalog, fallsBack: Bool
  ) async -> (phase: SearchPhase, origins: [SearchOrigin]) {
    var options = HTTPOptions()
    options.retries = 0
    let opds = OPDSSearch(url, account: "ada", options: options)
    let search = RemoteBookSearch(mode: OPDSSearch.mode, orCached: fallsBack ? catalog : nil) { query in
      try await opds.books(matching: query, ids: catalog.ids)
    }
    var origins: [SearchOrigin] = []
    let service = AsyncBookSearch(search) { origins.append($0) }
    #expect(service.mode == .serverDefined("opds"))
    let session = SearchSession(service: service)
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      session.changed = { phase in
        if case .loading = phase { return }
        done.resume()
      }
      session.search(query)
    }
    return (session.phase, origins)
  }

  @Test func `the server answers by its rule, and offline the cache by its own, and each says so`()
    async throws
  {
    let cache = try CatalogCache.inMemory()
    var catalog: CachedCatalog?
    var url: URL?
    try await LoopbackServer.run({ request in
      switch request.path {
      case "/", "/find/sea": .answer(200, [], Self.feed(["1", "2"]))
      case "/find/down": .answer(503)
      case "/find/no": .answer(403)
      default: .answer(404)
      }
    }) { server in
      url = server.url("/")
      let held = try cache.catalog(for: "ada", remote: ServerCatalog(server.url("/")))
      catalog = held
      try await held.refresh()
      let found = await shown("sea", server.url("/"), held, fallsBack: true)
      guard case .loaded(let books) = found.phase else {
        Issue.record("\(found.phase)")
        return
      }
      #expect(books.map(\.title) == ["Sea 1", "Sea 2"])
      #expect(found.origins == [SearchOrigin(source: .remote, mode: .serverDefined("opds"))])
      let none = await shown("nothing", server.url("/"), held, fallsBack: true)
      #expect(none.phase == .loaded([]) && none.origins.map(\.source) == [.remote])
      let down = await shown("down", server.url("/"), held, fallsBack: true)
      #expect(down.phase == .loaded([]))
      #expect(
        down.origins
          == [SearchOrigin(source: .cache, mode: .titleSubstring, remoteFailure: .serverError)])
      // Refused isn't offline: the cache doesn't answer for a server that says no.
      let refused = await shown("no", server.url("/"), held, fallsBack: true)
      #expect(refused.phase == .failed("Search is unavailable.") && refused.origins.isEmpty)
    }
    let held = try #require(catalog)
    let gone = try #require(url)
    let cached = await shown("ea 2", gone, held, fallsBack: true)
    guard case .loaded(let books) = cached.phase else {
      Issue.record("\(cached.phase)")
      return
    }
    #expect(books.map(\.title) == ["Sea 2"])
    #expect(cached.origins.first?.remoteFailure == .offline)
    let alone = await shown("sea", gone, held, fallsBack: false)
    #expect(alone.phase == .failed("Search is unavailable.") && alone.origins.isEmpty)
    let empty = try cache.catalog(for: "eve", remote: ServerCatalog(gone))
    let unknown = await shown("sea", gone, empty, fallsBack: true)
    #expect(unknown.phase == .failed("Search is unavailable."), "Unavailable is never empty.")
  }

  @Test func `a search that was cancelled says nothing of who answered`() async throws {
    let (started, begun) = AsyncStream<Void>.makeStream()
    let (released, release) = AsyncStream<Void>.makeStream()
    let (ended, ending) = AsyncStream<Void>.makeStream()
    var origins: [SearchOrigin] = []
    let search = RemoteBookSearch(mode: .serverDefined("x")) { _ in
      begun.finish()
      for await _ in released {}
      ending.finish()
      return [SearchBook(id: 1, title: "Late")]
    }
    let service = AsyncBookSearch(search) { origins.append($0) }
    let token = service.search("sea") { _ in Issue.record("Nothing comes after cancel().") }
    for await _ in started {}
    token.cancel()
    release.finish()
    for await _ in ended {}
    // What the service does with the answer comes before this on the main actor, or never.
    for _ in 0..<20 { await Task.yield() }
    #expect(origins.isEmpty)
  }
}
