internal import CatalogDomain
internal import CatalogSQLite

/// The one place where errors of SQLite and of the file system become the catalog's.
extension CatalogError {
  init(sqlite error: SQLiteError, doing what: String, _ location: StoreLocation) {
    let whereIs = location.display
    let (code, message): (Code, String) =
      switch error.primaryCode {
      case SQLiteError.busy, SQLiteError.locked:
        (.busy, "Unable to \(what) the catalog cache \(whereIs): somebody else is using it; try again.")
      case SQLiteError.notADatabase:
        (
          .notADatabase,
          "Unable to \(what) the catalog cache \(whereIs): the file isn't a database; "
            + "give the path of a cache, or move the file away."
        )
      // Our statements keep every constraint and name what there is, so one that breaks a constraint or misses a
      // column means that rows or the schema aren't what was written.
      case SQLiteError.corrupt, SQLiteError.constraint, SQLiteError.general:
        (
          .corrupt,
          "Unable to \(what) the catalog cache \(whereIs): the file is damaged (\(error.message)); "
            + "move it away, or delete it with the files beside it, and refresh."
        )
      case SQLiteError.full:
        (
          .diskFull,
          "Unable to \(what) the catalog cache \(whereIs): the disk is full; make room and try again."
        )
      case _
      where FileSystemError.isNoRoom(error.systemError):
        (
          .diskFull,
          "Unable to \(what) the catalog cache \(whereIs): the disk is full; make room and try again."
        )
      case _ where error.code == SQLiteError.readOnlyMoved:
        (.replaced, Self.replacedMessage(location))
      case SQLiteError.readOnly, SQLiteError.permission, SQLiteError.authorization:
        (
          .permission,
          "Unable to \(what) the catalog cache \(whereIs): the file may only be read; permit writing."
        )
      case SQLiteError.cannotOpen
      where error.systemError == FileSystemError.accessDenied
        || error.systemError == FileSystemError.notPermitted
        || error.systemError == FileSystemError.readOnlyFileSystem:
        (
          .permission,
          "Unable to \(what) the catalog cache \(whereIs): permission denied; permit access to it."
        )
      default:
        (
          .ioError,
          "Unable to \(what) the catalog cache \(whereIs): \(error.message) (SQLite code \(error.code))."
        )
      }
    self.init(code, message, cause: error)
  }

  init(fileSystem error: FileSystemError, doing what: String, _ path: String) {
    let (code, reason): (Code, String) =
      switch error.errno {
      case _ where FileSystemError.isNoRoom(error.errno): (.diskFull, "the disk is full; make room")
      case FileSystemError.accessDenied, FileSystemError.notPermitted:
        (.permission, "permission denied; permit access to it")
      case FileSystemError.readOnlyFileSystem: (.permission, "the file system may only be read")
      case FileSystemError.noSuchFile:
        (.cannotCreate, "there is no folder to hold it; create the folder first")
      case FileSystemError.notADirectory: (.cannotCreate, "a part of the path isn't a folder")
      case FileSystemError.isDirectory: (.notADatabase, "it is a folder; give the path of a file in it")
      case FileSystemError.exists: (.cannotCreate, "a link or a file that can't be followed is in its place")
      case FileSystemError.tooManyLinks: (.permission, "it is a symbolic link where none may be")
      case FileSystemError.nameTooLong: (.cannotCreate, "the name is too long")
      default: (.ioError, "\(error)")
      }
    self.init(code, "Unable to \(what) '\(path)': \(reason).", cause: error)
  }

  init(lock failure: FileLock.Failure, doing what: String, _ location: StoreLocation) {
    switch failure {
    case .busy:
      self.init(
        .busy,
        "Unable to \(what) the catalog cache \(location.display): somebody else is writing to it; try again.")
    case .missing:
      self.init(.noSuchDatabase, "There is no lock beside the catalog cache \(location.display).")
    case .system(let error):
      self.init(fileSystem: error, doing: "lock", error.path)
    }
  }

  /// Makes any error that store code throws the catalog's.
  init(_ error: any Error, doing what: String, _ location: StoreLocation) {
    switch error {
    case let error as CatalogError: self = error
    case let error as SQLiteError: self.init(sqlite: error, doing: what, location)
    case let error as FileSystemError: self.init(fileSystem: error, doing: what, error.path)
    case let error as FileLock.Failure: self.init(lock: error, doing: what, location)
    default:
      self.init(.ioError, "Unable to \(what) the catalog cache \(location.display): \(error).", cause: error)
    }
  }

  static func replacedMessage(_ location: StoreLocation) -> String {
    "The catalog cache \(location.display) was moved, removed or replaced while it was open; "
      + "ask the cache for a new handle."
  }

  static func replaced(_ location: StoreLocation) -> CatalogError {
    CatalogError(.replaced, replacedMessage(location))
  }

  static let accountRevoked = CatalogError(
    .revoked, "The account was forgotten; this handle is dead. Ask the cache for a new one after sign-in.")

  static func sealBroken(_ location: StoreLocation) -> CatalogError {
    CatalogError(
      .corrupt,
      "The rows of a catalog in the cache \(location.display) aren't the rows that were written; "
        + "refresh the catalog to replace them.")
  }
}
