internal import CSQLite

/// An error of SQLite, or of the file system beneath it.
///
/// Never branch on `message`; a primary code matches its extended ones.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// SQLite's extended result code (sqlite.org/rescode.html).
  package let code: Int32
  /// What SQLite says of it.
  package let message: String
  /// The statement, which holds no values; nil if there was none.
  package let sql: String?
  /// The `errno` behind an I/O error; 0 if there was none.
  package let systemError: Int32

  package init(code: Int32, message: String, sql: String? = nil, systemError: Int32 = 0) {
    self.code = code
    self.message = message
    self.sql = sql
    self.systemError = systemError
  }

  /// The primary result code.
  package var primaryCode: Int32 { code & 0xFF }

  package var description: String {
    "SQLite \(code): \(message)" + (sql.map { " [\($0)]" } ?? "")
      + (systemError == 0 ? "" : " (errno \(systemError))")
  }

  package static let general = SQLITE_ERROR
  package static let busy = SQLITE_BUSY
  package static let locked = SQLITE_LOCKED
  package static let corrupt = SQLITE_CORRUPT
  package static let notADatabase = SQLITE_NOTADB
  package static let full = SQLITE_FULL
  package static let io = SQLITE_IOERR
  package static let readOnly = SQLITE_READONLY
  package static let cannotOpen = SQLITE_CANTOPEN
  package static let permission = SQLITE_PERM
  package static let authorization = SQLITE_AUTH
  package static let outOfMemory = SQLITE_NOMEM
  package static let constraint = SQLITE_CONSTRAINT
  package static let interrupted = SQLITE_INTERRUPT
  package static let readOnlyMoved = SQLITE_READONLY | (4 << 8)
}
