import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation

/// The implementations of `CatalogReading` that the boundary's suite runs over.
///
/// A new implementation is a new line here; the suite and the contract stay as they are.
enum BoundarySources {
  static let available: [CatalogReadingSource] = [
    CatalogReadingSource("FixtureCatalog") { books, body in
      try body(FixtureCatalog(values: books))
    },
    CatalogReadingSource("CachedCatalog in memory") { books, body in
      let cache = try CatalogCache.inMemory()
      let catalog = try cache.catalog(for: "ada", remote: remote(books))
      _ = try await catalog.refresh()
      try body(catalog)
    },
    CatalogReadingSource("CachedCatalog on disk") { books, body in
      try await withDatabase { path in
        let cache = try CatalogCache(path: path)
        let catalog = try cache.catalog(for: "ada", remote: remote(books))
        _ = try await catalog.refresh()
        try body(catalog)
        try cache.close()
      }
    },
    CatalogReadingSource("CachedCatalog on disk, reopened, its remote gone") { books, body in
      try await withDatabase { path in
        try await load(books, into: path)
        let cache = try CatalogCache(path: path)
        try body(try cache.catalog(for: "ada", remote: offline))
        try cache.close()
      }
    },
    CatalogReadingSource("CachedCatalog on disk, for reading only") { books, body in
      try await withDatabase { path in
        try await load(books, into: path)
        let cache = try CatalogCache(path: path, configuration: .init(access: .readOnly))
        try body(try cache.catalog(for: "ada", remote: offline))
      }
    },
    CatalogReadingSource("CachedCatalog on disk, stale, after a refresh that failed") { books, body in
      try await withDatabase { path in
        let clock = ManualWallClock()
        let cache = try CatalogCache(path: path, configuration: .init(clock: clock))
        let loading = try cache.catalog(for: "ada", remote: remote(books))
        _ = try await loading.refresh()
        clock.advance(by: .seconds(3600))
        let catalog = try cache.catalog(for: "ada", remote: offline)
        do {
          _ = try await catalog.refresh()
          throw ContractViolation("a refresh from a remote that is down succeeded")
        } catch let error as CatalogError where error.code == .offline {
          try body(catalog)
        }
        try cache.close()
      }
    },
  ]

  static let unavailable: [CatalogReadingSource] = [
    CatalogReadingSource("UnavailableCatalog") { _, body in
      try body(UnavailableCatalog())
    },
    CatalogReadingSource("CachedCatalog never loaded") { _, body in
      let cache = try CatalogCache.inMemory()
      try body(try cache.catalog(for: "ada", remote: offline))
    },
    CatalogReadingSource("CachedCatalog never loaded, beside an account that is") { _, body in
      let cache = try CatalogCache.inMemory()
      _ = try await cache.catalog(for: "ben", remote: remote(some)).refresh()
      try body(try cache.catalog(for: "ada", remote: offline))
    },
    CatalogReadingSource("CachedCatalog discarded") { _, body in
      let cache = try CatalogCache.inMemory()
      let catalog = try cache.catalog(for: "ada", remote: remote(some))
      _ = try await catalog.refresh()
      _ = try await cache.discard(.account("ada"))
      try body(catalog)
    },
    CatalogReadingSource("CachedCatalog expired") { _, body in
      let clock = ManualWallClock()
      let cache = try CatalogCache.inMemory(configuration: .init(clock: clock))
      let catalog = try cache.catalog(for: "ada", remote: remote(some))
      _ = try await catalog.refresh()
      clock.advance(by: .seconds(8 * 86_400))
      try body(catalog)
    },
    CatalogReadingSource("CachedCatalog revoked") { _, body in
      let cache = try CatalogCache.inMemory()
      let catalog = try cache.catalog(for: "ada", remote: remote(some))
      _ = try await catalog.refresh()
      _ = try await cache.forget("ada")
      try body(catalog)
    },
    CatalogReadingSource("CachedCatalog revoked, its account signed in again") { _, body in
      let cache = try CatalogCache.inMemory()
      let catalog = try cache.catalog(for: "ada", remote: remote(some))
      _ = try await cache.forget("ada")
      _ = try await cache.catalog(for: "ada", remote: remote(some)).refresh()
      try body(catalog)
    },
    CatalogReadingSource("CachedCatalog whose file was damaged") { _, body in
      try await withDatabase { path in
        try await load(
          (1...2000).map { BookSummary(id: $0, title: "book \($0)", isBorrowed: false) }, into: path)
        try damage(path)
        let cache = try CatalogCache(path: path)
        try body(try cache.catalog(for: "ada", remote: offline))
      }
    },
    CatalogReadingSource("CachedCatalog whose file was removed") { _, body in
      try await withDatabase { path in
        let cache = try CatalogCache(path: path)
        let catalog = try cache.catalog(for: "ada", remote: remote(some))
        _ = try await catalog.refresh()
        try FileManager.default.removeItem(atPath: path)
        try body(catalog)
      }
    },
    CatalogReadingSource("CachedCatalog closed") { _, body in
      let cache = try CatalogCache.inMemory()
      let catalog = try cache.catalog(for: "ada", remote: remote(some))
      _ = try await catalog.refresh()
      try cache.close()
      try body(catalog)
    },
  ]

  private static let some = [BookSummary(id: 1, title: "By the Sea", isBorrowed: true)]

  private static func remote(_ books: [BookSummary]) -> ScriptedRemote {
    ScriptedRemote.always(
      books.map { book in
        var entry = CatalogEntry(identifier: .number(book.id), title: book.title)
        entry.isBorrowed = book.isBorrowed
        return entry
      })
  }

  private static var offline: ScriptedRemote {
    let remote = ScriptedRemote.always([])
    remote.isOffline = true
    return remote
  }

  private static func load(_ books: [BookSummary], into path: String) async throws {
    let cache = try CatalogCache(path: path)
    _ = try await cache.catalog(for: "ada", remote: remote(books)).refresh()
    try cache.close()
  }

  private static func withDatabase(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("offline-catalog-boundary-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      try await body(folder.appendingPathComponent("catalog.sqlite").path)
    } catch {
      try FileManager.default.removeItem(at: folder)
      throw error
    }
    try FileManager.default.removeItem(at: folder)
  }

  /// Overwrites a few bytes of a title in the middle of the file, where SQLite itself notices nothing.
  private static func damage(_ path: String) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    guard let place = bytes.range(of: Data("book 1234".utf8)) else {
      throw ContractViolation("the title to damage isn't in the file")
    }
    bytes.replaceSubrange(place, with: Data("bark 1234".utf8))
    try bytes.write(to: URL(fileURLWithPath: path))
  }
}
