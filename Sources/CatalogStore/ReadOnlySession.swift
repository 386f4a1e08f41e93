internal import CatalogDomain
internal import CatalogSQLite

/// Reads a database without leaving a trace: no byte in its folder changes, and nothing is made there, so it
/// also works in a folder that the user can't write to.
///
/// Our lock is held shared meanwhile, if there is one, since a connection that ignores the log mustn't see it
/// copied half-way; whoever copies it holds the lock exclusively.
enum ReadOnlySession {
  static func with<Result>(
    _ location: StoreLocation, _ options: CatalogStore.Options,
    _ body: (borrowing Connection) throws -> Result
  ) throws -> Result {
    let lock: FileLock?
    do throws(FileLock.Failure) {
      lock = try FileLock(path: location.path + "-lock", mayCreate: false)
    } catch .missing {
      // Nobody has opened it for writing since it came here, so nobody writes.
      lock = nil
    }
    guard let lock else { return try open(location, options, body) }
    let hold = try lock.hold(.shared, waitingAtMost: options.busyTimeout)
    let result = try open(location, options, body)
    _ = consume hold
    return result
  }

  private static func open<Result>(
    _ location: StoreLocation, _ options: CatalogStore.Options,
    _ body: (borrowing Connection) throws -> Result
  ) throws -> Result {
    let path = location.path
    guard let file = try FileSystem.attributes(path) else {
      throw CatalogError(
        .noSuchDatabase,
        "There is no catalog cache at \(location.display); check the path, or refresh into it.")
    }
    guard file.isRegularFile else {
      throw CatalogError(
        .notADatabase, "Unable to open \(location.display): it isn't a file; give the path of a cache.")
    }
    guard file.sizeInBytes > 0 else {
      throw CatalogError(
        .notADatabase, "The file \(location.display) is empty; give the path of a cache, or refresh into it.")
    }
    let logSize = try location.logPath.map { try FileSystem.attributes($0)?.sizeInBytes ?? 0 } ?? 0
    let hasIndex = try location.sharedMemoryPath.map { try FileSystem.attributes($0) != nil } ?? false
    let journalSize = try location.journalPath.map { try FileSystem.attributes($0)?.sizeInBytes ?? 0 } ?? 0

    if logSize == 0, journalSize == 0 {
      return try body(try Connection(path: path, mode: .immutable, busyTimeout: options.busyTimeout))
    }
    if journalSize == 0, hasIndex {
      do {
        let connection = try Connection(
          path: path, mode: .readOnlySharedMemory, busyTimeout: options.busyTimeout)
        // The index may be of another boot, or be waiting for a recovery that would write to it.
        _ = try connection.number("SELECT count(*) FROM sqlite_schema")
        return try body(connection)
      } catch let error as SQLiteError
        where error.primaryCode == SQLiteError.readOnly || error.primaryCode == SQLiteError.cannotOpen
        || error.primaryCode == SQLiteError.busy
      {
        return try withPrivateCopy(of: path, options, body)
      }
    }
    return try withPrivateCopy(of: path, options, body)
  }

  /// Copies the database with its log where only this user can read it, and lets SQLite recover the copy.
  private static func withPrivateCopy<Result>(
    of path: String, _ options: CatalogStore.Options, _ body: (borrowing Connection) throws -> Result
  ) throws -> Result {
    let folder = try FileSystem.makeTemporaryFolder()
    let copy = folder + "/copy"
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] {
        do throws(FileSystemError) {
          try FileSystem.remove(copy + suffix)
        } catch {
          // What can't be removed is in a folder that only this user can read.
        }
      }
      do throws(FileSystemError) {
        try FileSystem.removeFolder(folder)
      } catch {
        // As above.
      }
    }
    for suffix in ["", "-wal", "-journal"] where try FileSystem.attributes(path + suffix) != nil {
      try FileSystem.copy(path + suffix, to: copy + suffix)
    }
    return try body(try Connection(path: copy, mode: .readWrite, busyTimeout: options.busyTimeout))
  }
}
