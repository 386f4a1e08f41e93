import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// A folder of its own for a cache, with a clock that the test drives; removed at the end.
final class Workspace {
  let folder: URL
  let clock = ManualWallClock()
  var path: String { folder.appendingPathComponent("catalog.sqlite").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("offline-catalog-durability-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record("The test's folder can't be removed: \(error)")
    }
  }

  func open(_ change: (inout CatalogCache.Configuration) -> Void = { _ in }) throws -> CatalogCache {
    var configuration = CatalogCache.Configuration(clock: clock)
    change(&configuration)
    return try CatalogCache(path: path, configuration: configuration)
  }

  /// Every file of the folder with its bytes, by name.
  func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
    }
    return files
  }

  /// The files in which a text is, by name.
  func filesHolding(_ text: String) throws -> [String] {
    try files().filter { $0.value.range(of: Data(text.utf8)) != nil }.keys.sorted()
  }

  func write(_ bytes: Data, to suffix: String) throws {
    try bytes.write(to: URL(fileURLWithPath: path + suffix))
  }
}

/// A remote that brings these books to every call.
func remote(_ entries: [CatalogEntry]) -> ScriptedRemote { ScriptedRemote.always(entries) }

/// Books whose every title names the account and the version of the catalog, as the worker's do.
func versioned(_ account: String, _ version: Int, books: Int) -> [CatalogEntry] {
  (0..<books).map { number in
    var entry = CatalogEntry(
      identifier: number.isMultiple(of: 2) ? .number(number) : .text("urn:\(account):\(number)"),
      title: "\(account)-\(version)-\(number)")
    entry.authors = ["\(account) author \(number)"]
    return entry
  }
}
