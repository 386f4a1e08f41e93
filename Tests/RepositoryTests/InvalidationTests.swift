import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct InvalidationTests {
  let fixture: Fixture
  let cache: CatalogCache

  init() throws {
    fixture = try Fixture()
    cache = try fixture.open()
  }

  private func loaded(
    _ account: AccountID, _ name: CatalogName = .main, _ titles: String...
  ) async throws -> CachedCatalog {
    let entries = titles.enumerated().map { book($0.offset + 1, $0.element) }
    let catalog = try cache.catalog(name, for: account, remote: ScriptedRemote.always(entries))
    try await catalog.refresh()
    return catalog
  }

  @Test func `each selection touches what it names and nothing else`() async throws {
    let adaMain = try await loaded("ada", .main, "a")
    let adaShelf = try await loaded("ada", "shelf", "b", "c")
    let ben = try await loaded("ben", .main, "d")
    var report = try await cache.markStale(.catalog("shelf", of: "ada"))
    #expect((report.accounts, report.catalogs, report.books) == (1, 1, 2))
    #expect(adaShelf.status().decision.rule == .markedStale)
    #expect([adaMain, ben].allSatisfy { $0.status().decision.freshness == .fresh })

    report = try await cache.discard(.account("ada"))
    #expect((report.accounts, report.catalogs, report.books) == (1, 2, 3))
    #expect([adaMain, adaShelf].allSatisfy { $0.status().presence == .neverLoaded })
    #expect(try ben.books().map(\.title) == ["d"])

    report = try await cache.markStale(.everything)
    #expect((report.accounts, report.catalogs) == (2, 3))
    #expect(ben.status().decision.rule == .markedStale)
  }

  @Test func `validated before, and expired, select by the stamp and the stored policy`() async throws {
    let old = try await loaded("ada", .main, "a")
    fixture.clock.advance(by: .seconds(700))
    let new = try await loaded("ben", .main, "b")
    let report = try cache.preview(.validated(before: fixture.clock.read().wall))
    #expect((report.accounts, report.catalogs) == (1, 1))
    #expect(old.status().decision.rule == .staleWhileRevalidate)

    let strict = try cache.catalog(
      "strict", for: "ada", remote: ScriptedRemote.always([book(1, "s")]),
      policy: FreshnessPolicy(freshFor: .seconds(1), usableOfflineFor: .seconds(2)))
    try await strict.refresh()
    fixture.clock.advance(by: .seconds(2))
    let expired = try await cache.discard(.expired)
    #expect((expired.accounts, expired.catalogs) == (1, 1))
    #expect(strict.status().presence == .neverLoaded)
    #expect(try new.books().count == 1)
  }

  @Test func `an invalidation is idempotent, and one of nothing is no error`() async throws {
    let ada = try await loaded("ada", .main, "a")
    for _ in 0..<2 { try await cache.markStale(.account("ada")) }
    #expect(ada.status().decision.rule == .markedStale)
    for _ in 0..<2 { try await cache.discard(.account("ada")) }
    #expect(ada.status().presence == .neverLoaded)
    let report = try await cache.forget("nobody")
    #expect(report.accounts == 0)
    try await cache.forget("ada")
    try await cache.forget("ada")
    #expect(ada.status().presence == .revoked)
  }

  @Test func `a preview changes nothing`() async throws {
    let ada = try await loaded("ada", .main, "a")
    let before = ada.status().revision
    #expect(try cache.preview(.everything).books == 1)
    #expect(ada.status().revision == before)
  }

  @Test func `accounts whose names differ only in composition are two accounts`() async throws {
    let composed = try AccountID(validating: "Ren\u{E9}")
    let decomposed = try AccountID(validating: "Rene\u{301}")
    let first = try await loaded(composed, .main, "composed")
    let second = try await loaded(decomposed, .main, "decomposed")
    #expect(try first.books().map(\.title) == ["composed"])
    try await cache.forget(composed)
    #expect(first.status().presence == .revoked)
    #expect(try second.books().map(\.title) == ["decomposed"])
  }

  @Test func `after forget no byte of the account is in any file, and the others are unharmed`() async throws
  {
    let adaTitles = (1...400).map { "ada's own title number \($0) with some length to it" }
    let benTitles = (1...400).map { "ben's own title number \($0) with some length to it" }
    let ada = try cache.catalog(
      for: "ada-the-reader",
      remote: ScriptedRemote.always(adaTitles.enumerated().map { text("urn:ada:\($0.offset)", $0.element) }))
    let ben = try cache.catalog(
      for: "ben-the-reader",
      remote: ScriptedRemote.always(benTitles.enumerated().map { text("urn:ben:\($0.offset)", $0.element) }))
    try await ada.refresh()
    try await ben.refresh()
    func traces() throws -> Int {
      try fixture.files().values.reduce(0) { count, bytes in
        count
          + ["ada's own", "urn:ada:", "ada-the-reader"].filter { bytes.range(of: Data($0.utf8)) != nil }.count
      }
    }
    #expect(try traces() > 0)
    let revision = ben.status().revision
    try await cache.forget("ada-the-reader")
    #expect(try traces() == 0)
    #expect(try ben.books().map(\.title) == benTitles)
    #expect(ben.status().revision == revision)
    #expect(try cache.inspect().isScrubPending == false)
    #expect(try cache.verify(.full).problems.isEmpty)
  }
}
