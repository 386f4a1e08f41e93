import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// A small file of each schema that was ever released: opened and migrated for ever.
///
/// `Fixtures/schema-N.sqlite` was written by the program of that time: accounts "ada" and "ben", catalog "main",
/// ada's loaded with twelve books, half of them with text identifiers, one on loan, three retired by a discard
/// before; ben's never loaded.
@Suite(.timeLimit(.minutes(5)))
struct ReleasedSchemaTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  private func copy(_ version: Int) throws -> Workspace {
    let workspace = try Workspace()
    let bytes = try Data(contentsOf: Self.fixtures.appendingPathComponent("schema-\(version).sqlite"))
    try workspace.write(bytes, to: "")
    return workspace
  }

  private func latestVersion() throws -> Int {
    try CatalogCache.inMemory().inspect().schemaVersion
  }

  @Test(arguments: [1, 2])
  func `a file of a released schema is migrated, with everything in it`(version: Int) async throws {
    let workspace = try copy(version)
    let cache = try workspace.open()
    #expect(try cache.inspect().schemaVersion == latestVersion())
    let ada = try cache.catalog(for: "ada", remote: remote(versioned("ada", 8, books: 20)))
    let books = try ada.books()
    #expect(books.count == 12)
    #expect(books.map(\.title).allSatisfy { $0.hasPrefix("ada-7-") })
    #expect(books.filter(\.isBorrowed).map(\.id) == [4])
    let ids = try [1, 3, 11].map { try ada.entry(identifier: .text("urn:ada:\($0)"))?.id }
    #expect(ids == [1 << 62, 1 << 62 | 1, 1 << 62 | 5])
    #expect(try ada.entry(id: 2)?.authors == ["ada author 2"])
    #expect(try cache.catalog(for: "ben", remote: remote([])).status().presence == .neverLoaded)
    #expect(try cache.verify(.full).problems.isEmpty)

    _ = try await ada.refresh()
    #expect(try ada.books().count == 20)
    // Text identifiers that were retired in the old file have the ids that they had.
    #expect(try ada.entry(identifier: .text("urn:ada:13"))?.id == 1 << 62 | 6)
    #expect(try ada.entry(identifier: .text("urn:ada:17"))?.id == 1 << 62 | 8)
    #expect(try ada.entry(identifier: .text("urn:ada:19"))?.id == 1 << 62 | 9)
    #expect(try cache.verify(.full).problems.isEmpty)
    try cache.close()
  }

  @Test(arguments: [1, 2])
  func `a file of an older schema that is opened for reading only needs a migration, and stays as it is`(
    version: Int
  ) throws {
    let workspace = try copy(version)
    let before = try workspace.files()
    let configuration = CatalogCache.Configuration(access: .readOnly, clock: workspace.clock)
    if version < (try latestVersion()) {
      let error = #expect(throws: CatalogError.self) {
        try CatalogCache(path: workspace.path, configuration: configuration)
      }
      #expect(error?.code == .needsMigration)
    } else {
      let cache = try CatalogCache(path: workspace.path, configuration: configuration)
      #expect(try cache.catalog(for: "ada", remote: remote([])).books().count == 12)
    }
    #expect(try workspace.files() == before)
  }
}
