import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// A cache in a folder of its own, with a clock and a remote that the test drives; checked and removed at the end.
final class Fixture: Sendable {
  let folder: URL
  let clock = ManualWallClock()
  var path: String { folder.appendingPathComponent("catalog.sqlite").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("offline-catalog-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record("The test's folder can't be removed: \(error)")
    }
  }

  func open(
    _ change: (inout CatalogCache.Configuration) -> Void = { _ in }
  ) throws -> CatalogCache {
    var configuration = CatalogCache.Configuration(clock: clock)
    change(&configuration)
    return try CatalogCache(path: path, configuration: configuration)
  }

  /// Every file of the folder, by name.
  func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
    }
    return files
  }
}

func book(_ id: Int, _ title: String, isBorrowed: Bool = false, until end: Timestamp? = nil) -> CatalogEntry {
  var entry = CatalogEntry(identifier: .number(id), title: title)
  entry.isBorrowed = isBorrowed
  entry.borrowedUntil = end
  return entry
}

func text(_ identifier: String, _ title: String) -> CatalogEntry {
  CatalogEntry(identifier: .text(identifier), title: title)
}

extension Fixture {
  /// Removes the database's file, as a system does that empties its caches.
  func removeDatabase() throws {
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  /// Overwrites a text in the file by another of the same length, as a bad disk might.
  func damage(_ text: String, _ other: String) throws {
    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    let place = try #require(bytes.range(of: Data(text.utf8)))
    bytes.replaceSubrange(place, with: Data(other.utf8))
    try bytes.write(to: url)
  }
}
