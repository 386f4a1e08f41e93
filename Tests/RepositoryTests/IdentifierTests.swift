import CatalogDomain
import CatalogRepository
import CatalogTesting
import Testing

/// The ids that the cache gives to what a remote calls by a text, for books that it doesn't hold too.
@Suite(.timeLimit(.minutes(5)))
struct IdentifierTests {
  private let fixture: Fixture
  private let cache: CatalogCache
  private let remote = ScriptedRemote.always([])
  private let catalog: CachedCatalog

  init() throws {
    fixture = try Fixture()
    cache = try fixture.open()
    catalog = try cache.catalog(for: "ada", remote: remote)
  }

  private func text(_ id: String) -> CatalogEntry {
    CatalogEntry(identifier: .text(id), title: "Title of \(id)")
  }

  @Test func `a text that was never met gets an id, which the book keeps when it comes`() async throws {
    let first = try catalog.ids(of: [.text("a"), .number(7), .text("b"), .text("a")])
    let (a, b) = (try #require(first[0]), try #require(first[2]))
    #expect(first == [a, 7, b, a])
    #expect(a != b && [a, b].allSatisfy(CatalogEntry.reservedIDs.contains))
    #expect(try catalog.ids(of: [.text("b"), .text("a")]) == [b, a])
    #expect(catalog.status().presence == .neverLoaded, "A number is no book.")

    remote.script(.entries([text("c"), text("b")]))
    try await catalog.refresh()
    #expect(try catalog.entry(identifier: .text("b"))?.id == b)
    let c = try #require(try catalog.entry(identifier: .text("c"))?.id)
    #expect(c != a && c != b)
    #expect(try catalog.ids(of: [.text("a"), .text("b"), .text("c")]) == [a, b, c])
    remote.script(.entries([text("a")]))
    try await catalog.refresh()
    #expect(try catalog.books().map(\.id) == [a])
    #expect(try catalog.ids(of: [.text("c")]) == [c])
    #expect(try cache.verify(.full).problems.isEmpty)
  }

  @Test func `two spellings of one text are two texts, and the store's own integers are nobody's`() throws {
    let ids = try catalog.ids(of: [
      .text("Zoe\u{301}"), .text("Zo\u{E9}"), .number(CatalogEntry.reservedIDs.lowerBound),
    ])
    #expect(ids[0] != nil && ids[1] != nil && ids[0] != ids[1] && ids[2] == nil)
  }

  @Test func `ids are told whether or not anything may be served, and survive a discard and a restart`()
    async throws
  {
    remote.script(.entries([text("held")]))
    try await catalog.refresh()
    let held = try catalog.books().first?.id
    let new = try #require(try catalog.ids(of: [.text("new")])[0])
    fixture.clock.advance(by: .seconds(90 * 86_400))
    #expect(throws: CatalogFailure.self) { try catalog.books() }
    #expect(try catalog.ids(of: [.text("held"), .text("new")]) == [held, new])
    try await cache.discard(.account("ada"))
    #expect(try catalog.ids(of: [.text("held"), .text("new")]) == [held, new])
    try cache.close()
    let again = try fixture.open().catalog(for: "ada", remote: remote)
    #expect(try again.ids(of: [.text("new"), .text("held")]) == [new, held])
  }

  @Test func `a cache that only reads knows the old ones and gives no new one`() async throws {
    let old = try catalog.ids(of: [.text("old")])
    try cache.close()
    let reading = try fixture.open { $0.access = .readOnly }
    let held = try reading.catalog(for: "ada", remote: remote)
    #expect(try held.ids(of: [.text("old"), .text("new"), .number(3)]) == old + [nil, 3])
  }

  @Test func `another account has its own, and a forgotten one none`() async throws {
    let ben = try cache.catalog(for: "ben", remote: remote)
    _ = try catalog.ids(of: [.text("a"), .text("b")])
    let bens = try ben.ids(of: [.text("b")])
    try await cache.forget("ada")
    let error = #expect(throws: CatalogError.self) { try catalog.ids(of: [.text("a")]) }
    #expect(error?.code == .revoked)
    #expect(try ben.ids(of: [.text("b")]) == bens)
    let next = try cache.catalog(for: "ada", remote: remote)
    #expect(try next.ids(of: [.text("z")]) == [CatalogEntry.reservedIDs.lowerBound])
  }
}
