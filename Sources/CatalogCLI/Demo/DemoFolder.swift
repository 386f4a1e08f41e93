import Foundation

/// The tour's temporary folder, which goes away with it.
final class DemoFolder {
  private let url: URL
  /// Where the library's files are.
  let library: URL
  private let cacheFolder: URL

  init() throws(CommandFailure) {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "catalogctl-demo-\(UUID().uuidString)")
    library = url.appendingPathComponent("library")
    cacheFolder = url.appendingPathComponent("cache")
    let folders = [library, cacheFolder]
    try Self.translating {
      for folder in folders {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
    }
  }

  deinit {
    // What is left is in the folder for temporary files, and is nobody's but the tour's.
    try? FileManager.default.removeItem(at: url)  // see above
  }

  /// The database.
  var database: String { cacheFolder.appendingPathComponent("catalog.sqlite").path }

  /// A file of the library.
  func file(_ name: String) -> URL { library.appendingPathComponent(name) }

  /// Writes a file of the library.
  func write(_ text: String, to name: String) throws(CommandFailure) {
    let file = file(name)
    try Self.translating { try Data(text.utf8).write(to: file) }
  }

  /// Moves a file of the library away, or back.
  func move(_ name: String, to other: String) throws(CommandFailure) {
    let (source, target) = (file(name), file(other))
    try Self.translating { try FileManager.default.moveItem(at: source, to: target) }
  }

  /// Returns which of some texts are in the bytes of the cache's files, and how many files there are.
  func traces(of texts: [String]) throws(CommandFailure) -> (found: [String], files: Int) {
    let folder = cacheFolder
    return try Self.translating {
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      let contents = try files.map { try Data(contentsOf: $0) }
      let found = texts.filter { text in contents.contains { $0.range(of: Data(text.utf8)) != nil } }
      return (found, files.count)
    }
  }

  private static func translating<Result>(_ body: () throws -> Result) throws(CommandFailure) -> Result {
    do {
      return try body()
    } catch {
      throw .failed(
        .inputOutput,
        "The tour's temporary folder can't be used: \(InputFile.reason(error)). Check TMPDIR and its disk.")
    }
  }
}
