internal import CSQLite

/// One connection to a database: owned, closed when it goes away, used by one thread at a time.
///
/// Every connection waits for a busy database to its own time limit, is defensive, distrusts the schema, and
/// never checkpoints by itself: neither after a commit nor when it closes.
package struct Connection: ~Copyable, Sendable {
  let handle: ConnectionHandle

  /// How a database is opened.
  package enum Mode: Sendable {
    /// Read and write a file that exists.
    case readWrite
    /// Read a file that exists; SQLite may make its side files.
    case queryOnly
    /// Read a file whose log is absent or empty, touching nothing (`immutable=1`).
    case immutable
    /// Read a file through the log and the index of it that are there, touching nothing.
    case readOnlySharedMemory
    /// Read and write a database in memory, shared by all who name it in this process.
    case memory
  }

  /// Opens a database, and never creates a file.
  ///
  /// - Parameters:
  ///   - path: The file's path, or the name of the database in memory.
  ///   - mode: How it is opened.
  ///   - busyTimeout: How long a statement waits for another connection, before the first of them.
  package init(path: String, mode: Mode, busyTimeout: Duration) throws(SQLiteError) {
    let handle = try ConnectionHandle(
      uri: Self.uri(of: path, mode: mode), flags: Self.flags(mode), busyTimeout: busyTimeout)
    if case .queryOnly = mode { try handle.execute("PRAGMA query_only = 1") }
    self.handle = handle
  }

  /// SQLite's version as a number, such as 3040001.
  package static var libraryVersion: Int32 { sqlite3_libversion_number() }

  private static func flags(_ mode: Mode) -> Int32 {
    let access: Int32 =
      switch mode {
      // A connection for queries may have to recover the log of a process that crashed, so it can write.
      case .readWrite, .queryOnly: SQLITE_OPEN_READWRITE
      case .immutable, .readOnlySharedMemory: SQLITE_OPEN_READONLY
      case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    return access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
  }

  private static func uri(of path: String, mode: Mode) -> String {
    var escaped = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += (digits.count == 1 ? "%0" : "%") + digits
      }
    }
    return switch mode {
    case .readWrite, .queryOnly: "file:\(escaped)?mode=rw"
    case .immutable: "file:\(escaped)?mode=ro&immutable=1"
    case .readOnlySharedMemory: "file:\(escaped)?mode=ro&readonly_shm=1"
    // A name that begins with a slash is shared within the process (sqlite.org/src/file/src/memdb.c).
    case .memory: "file:/\(escaped)?vfs=memdb"
    }
  }

  /// Prepares a statement, or takes the one of the same text that was used before.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(handle: handle, sql: sql)
  }

  /// Runs statements that return no rows and take no values.
  package func execute(_ sql: String) throws(SQLiteError) {
    try handle.execute(sql)
  }

  /// Returns the number in the first column of a statement's first row; nil if there is no row or no number.
  package func number(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step() else { return nil }
    return statement.optionalInteger(0)
  }

  /// How many rows the last statement changed.
  package var changes: Int { Int(unsafe sqlite3_changes64(handle.pointer)) }

  /// Whether no transaction is open.
  package var isIdle: Bool { unsafe sqlite3_get_autocommit(handle.pointer) != 0 }

  /// Sets how long statements wait for another connection.
  package func setBusyTimeout(_ timeout: Duration) {
    handle.setBusyTimeout(timeout)
  }

  /// Sets how many pages the database may grow to at most, so that a test can fill it.
  package func setMaximumPageCount(_ pages: Int) throws(SQLiteError) {
    _ = try number("PRAGMA max_page_count = \(pages)")
  }

  /// Whether the database's file isn't at its path any more (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
  package func hasMoved() -> Bool {
    var moved: Int32 = 0
    let result = unsafe sqlite3_file_control(handle.pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    // A database without a file answers that it doesn't know the question.
    return result == SQLITE_OK && moved != 0
  }

  /// How far a checkpoint goes (sqlite.org/c3ref/wal_checkpoint_v2.html).
  package enum Checkpoint: Sendable {
    case passive, truncate
  }

  /// Copies the log into the database.
  ///
  /// The caller holds the cache's lock.
  ///
  /// - Returns: Whether all of the log was copied, and emptied if that was asked for; false if a reader in an
  ///   old snapshot is in the way.
  package func checkpoint(_ kind: Checkpoint) throws(SQLiteError) -> Bool {
    var framesInLog: Int32 = 0
    var framesCopied: Int32 = 0
    let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    let result = unsafe sqlite3_wal_checkpoint_v2(handle.pointer, nil, mode, &framesInLog, &framesCopied)
    switch result {
    case SQLITE_OK: return kind == .truncate || framesInLog == framesCopied
    case SQLITE_BUSY: return false
    default: throw handle.error(result, sql: "PRAGMA wal_checkpoint")
    }
  }
}

/// What a connection and its statements share; it closes when the last of them goes away.
@safe final class ConnectionHandle: @unchecked Sendable {
  // Sendable because a connection is used by one thread at a time: it can't be copied, and its owner lends it.
  let pointer: OpaquePointer
  private var idleStatements: [String: OpaquePointer] = unsafe [:]

  init(uri: String, flags: Int32, busyTimeout: Duration) throws(SQLiteError) {
    var opened: OpaquePointer?
    let result = unsafe sqlite3_open_v2(uri, &opened, flags, nil)
    guard let opened = unsafe opened else {
      throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory")
    }
    unsafe pointer = opened
    guard result == SQLITE_OK else { throw error(result, sql: nil) }
    // First of all, since even the first pragma can find the database busy.
    setBusyTimeout(busyTimeout)
    unsafe sqlite3_extended_result_codes(pointer, 1)
    unsafe sqlite3_wal_autocheckpoint(pointer, 0)
    for (option, isOn) in [
      (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ] {
      let configured = unsafe catalog_db_config_flag(pointer, Int32(option), isOn ? 1 : 0)
      guard configured == SQLITE_OK else { throw error(configured, sql: nil) }
    }
  }

  deinit {
    while let idle = unsafe idleStatements.popFirst() { unsafe sqlite3_finalize(idle.value) }
    // Statements hold this object, so none is left and the connection closes at once.
    unsafe sqlite3_close_v2(pointer)
  }

  func execute(_ sql: String) throws(SQLiteError) {
    let result = unsafe sqlite3_exec(pointer, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result, sql: sql) }
  }

  func setBusyTimeout(_ timeout: Duration) {
    let milliseconds = min(max(timeout, .zero), .seconds(86_400)) / .milliseconds(1)
    unsafe sqlite3_busy_timeout(pointer, Int32(milliseconds))
  }

  func error(_ code: Int32, sql: String?) -> SQLiteError {
    SQLiteError(
      code: code == SQLITE_ERROR ? unsafe sqlite3_extended_errcode(pointer) : code,
      message: unsafe String(cString: unsafe sqlite3_errmsg(pointer)), sql: sql,
      systemError: code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN || code & 0xFF == SQLITE_FULL
        ? unsafe sqlite3_system_errno(pointer) : 0)
  }

  /// Takes an idle statement of this text, or compiles one.
  ///
  /// One that is in use isn't idle, so a statement can be used inside itself.
  func take(_ sql: String) throws(SQLiteError) -> OpaquePointer {
    if let idle = unsafe idleStatements.removeValue(forKey: sql) { return unsafe idle }
    var compiled: OpaquePointer?
    let result = unsafe sqlite3_prepare_v3(
      pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
    guard result == SQLITE_OK, let compiled = unsafe compiled else {
      throw error(result == SQLITE_OK ? SQLITE_MISUSE : result, sql: sql)
    }
    return unsafe compiled
  }

  func giveBack(_ statement: OpaquePointer, sql: String) {
    // The result of a reset is the error that the step has thrown already.
    unsafe sqlite3_reset(statement)
    unsafe sqlite3_clear_bindings(statement)
    if unsafe idleStatements[sql] == nil {
      unsafe idleStatements[sql] = statement
    } else {
      unsafe sqlite3_finalize(statement)
    }
  }
}
