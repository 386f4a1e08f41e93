import CatalogDomain
import CatalogMigrations
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// Files as each released schema wrote them, opened and migrated for ever.
@Suite(.timeLimit(.minutes(5)))
struct MigrationTests {
  private func copy(_ name: String, into fixture: Fixture) throws {
    let source = try #require(
      Bundle.module.url(forResource: name, withExtension: "sqlite", subdirectory: "Fixtures"))
    try FileManager.default.copyItem(atPath: source.path, toPath: fixture.path)
  }

  @Test func `every older schema keeps its rows, and its next refresh asks for everything`() async throws {
    for version in 1..<MigrationRegister.latestVersion {
      let fixture = try Fixture()
      try copy("schema-\(version)", into: fixture)
      let cache = try fixture.open()
      #expect(try cache.verify(.full).problems.isEmpty)
      let remote = ScriptedRemote.always([])
      let ada = try cache.catalog(for: "ada", remote: remote)
      #expect(
        try ada.books() == [
          BookSummary(id: 7, title: "Blåbær", isBorrowed: true),
          BookSummary(id: CatalogEntry.reservedIDs.lowerBound, title: "By the Sea", isBorrowed: false),
        ])
      let sea = try ada.entry(identifier: .text("urn:x:1"))?.entry
      #expect(sea?.authors == ["A", "B \"q\""] && sea?.language == "en" && sea?.subtitle == nil)
      #expect(try cache.catalog(for: "ben", remote: remote).books().isEmpty)
      #expect(try cache.catalog("shelf", for: "ben", remote: remote).status().presence == .neverLoaded)
      try await ada.refresh()
      #expect(remote.requests.last?.validators == nil)
    }
  }

  @Test func `an older schema opened for reading only needs migration, and stays as it was`() throws {
    let fixture = try Fixture()
    try copy("schema-1", into: fixture)
    let before = try fixture.files()
    let error = #expect(throws: CatalogError.self) { try fixture.open { $0.access = .readOnly } }
    #expect(error?.code == .needsMigration)
    #expect(try fixture.files() == before)
  }

  @Test func `migrations are registered in order, and their names carry their numbers`() {
    for migration in MigrationRegister.all {
      let digits = String(migration.version)
      #expect(migration.fileName.hasPrefix(String(repeating: "0", count: 4 - digits.count) + digits + "_"))
      #expect(!migration.sql.isEmpty)
    }
  }
}
