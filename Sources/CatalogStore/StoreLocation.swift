internal import CatalogDomain
internal import CatalogSQLite

/// Where a database is, with the files beside it.
package enum StoreLocation: Sendable {
  /// A file, its path resolved.
  case file(String)
  /// A database in memory, by a name that nobody else in the process has.
  case memory(String)

  var lockPath: String? { side("-lock") }
  var logPath: String? { side("-wal") }
  var sharedMemoryPath: String? { side("-shm") }
  var journalPath: String? { side("-journal") }

  /// What tells the log that is there from another; nil if there is none.
  var logIdentity: FileSystem.Identity? {
    get throws(FileSystemError) {
      guard let logPath else { return nil }
      return try FileSystem.attributes(logPath)?.identity
    }
  }

  /// The path, or the name that SQLite shares a database in memory by.
  var path: String {
    switch self {
    case .file(let path), .memory(let path): path
    }
  }

  /// What error texts call the database.
  var display: String {
    switch self {
    case .file(let path): "'\(path)'"
    case .memory: "in memory"
    }
  }

  var isFile: Bool {
    switch self {
    case .file: true
    case .memory: false
    }
  }

  /// The folder of the file, and the file's name in it.
  var folder: (path: String, name: String)? {
    guard case .file(let path) = self, let slash = path.lastIndex(of: "/") else { return nil }
    let parent = path[..<slash]
    return (parent.isEmpty ? "/" : String(parent), String(path[path.index(after: slash)...]))
  }

  private func side(_ suffix: String) -> String? {
    switch self {
    case .file(let path): path + suffix
    case .memory: nil
    }
  }

  /// Resolves a path as far as it exists, so that two spellings of one file share one lock.
  ///
  /// - Parameters:
  ///   - path: The path as it was given.
  ///   - isMade: Whether the file is made if it isn't there, so that its folder has to be.
  static func resolving(_ path: String, whichIsMade isMade: Bool) throws(CatalogError) -> StoreLocation {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw CatalogError(.noSuchDatabase, "The path of the database is empty or has a NUL in it; give one.")
    }
    do throws(FileSystemError) {
      if let whole = try FileSystem.resolve(path) { return .file(whole) }
      let slash = path.lastIndex(of: "/")
      let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
      let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
      guard !name.isEmpty, name != ".", name != ".." else {
        throw FileSystemError(errno: FileSystemError.isDirectory, operation: "open", path: path)
      }
      guard let folder = try FileSystem.resolve(parent) else {
        throw FileSystemError(errno: FileSystemError.noSuchFile, operation: "open", path: parent)
      }
      return .file(folder == "/" ? "/\(name)" : "\(folder)/\(name)")
    } catch {
      if !isMade, [FileSystemError.noSuchFile, FileSystemError.notADirectory].contains(error.errno) {
        throw CatalogError(
          .noSuchDatabase, "There is no catalog cache at '\(path)', nor a folder to hold it; check the path.",
          cause: error)
      }
      throw CatalogError(fileSystem: error, doing: "find", path)
    }
  }
}
