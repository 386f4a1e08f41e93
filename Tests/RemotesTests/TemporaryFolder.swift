import CatalogDocuments
import CatalogDomain
import Foundation

/// A folder that is there while a test runs.
struct TemporaryFolder {
  let url: URL

  /// Lends a new folder, and removes it.
  static func with<Value>(_ body: (TemporaryFolder) async throws -> Value) async throws -> Value {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("catalog-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let result: Result<Value, any Error>
    do {
      result = .success(try await body(TemporaryFolder(url: url)))
    } catch {
      result = .failure(error)
    }
    try FileManager.default.removeItem(at: url)
    return try result.get()
  }

  /// Writes a file, and says that it was last modified some seconds ago.
  func write(_ text: String, to name: String = "catalog.jsonl", secondsAgo: Double = 3600) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -secondsAgo)], ofItemAtPath: file.path)
    return file
  }

  /// Makes a named pipe.
  func makePipe() throws -> URL {
    let pipe = url.appendingPathComponent("pipe")
    let process = try Process.run(URL(fileURLWithPath: "/usr/bin/mkfifo"), arguments: [pipe.path])
    process.waitUntilExit()
    return pipe
  }
}

/// Opens a pipe for writing, which waits until somebody reads, and writes to it; the pipe ends when the handle
/// is let go of.
func write(_ text: String, toPipe pipe: URL) async throws -> FileHandle {
  let (handles, continuation) = AsyncStream<Result<FileHandle, any Error>>.makeStream()
  DispatchQueue.global().async {
    continuation.yield(
      Result {
        let handle = try FileHandle(forWritingTo: pipe)
        try handle.write(contentsOf: Data(text.utf8))
        return handle
      })
    continuation.finish()
  }
  for await handle in handles { return try handle.get() }
  throw CancellationError()
}

/// The lines of books, each with its line end.
func lines(_ entries: [CatalogEntry]) -> String {
  entries.map { PlainCatalogWriter.line(for: $0) + "\n" }.joined()
}
