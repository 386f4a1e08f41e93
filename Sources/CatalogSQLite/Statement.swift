internal import CSQLite

/// A prepared statement: owned, reset and kept for the next use when it goes away.
///
/// It keeps its connection.
///
/// Parameters count from 1, columns from 0, as in SQLite.
@safe package struct Statement: ~Copyable {
  private let handle: ConnectionHandle
  private let pointer: OpaquePointer
  private let sql: String

  init(handle: ConnectionHandle, sql: String) throws(SQLiteError) {
    unsafe pointer = try handle.take(sql)
    self.handle = handle
    self.sql = sql
  }

  deinit {
    unsafe handle.giveBack(pointer, sql: sql)
  }

  /// Runs the statement to its next row.
  ///
  /// - Returns: Whether there is one.
  package func step() throws(SQLiteError) -> Bool {
    let result = unsafe sqlite3_step(pointer)
    switch result {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw handle.error(result, sql: sql)
    }
  }

  /// Runs a statement that returns no rows, and makes it ready to run again.
  package func run() throws(SQLiteError) {
    while try step() {}
    unsafe sqlite3_reset(pointer)
  }

  /// Makes the statement ready to run again; the values stay bound.
  package func reset() {
    unsafe sqlite3_reset(pointer)
  }

  package func bind(_ index: Int32, _ number: Int64) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_int64(pointer, index, number))
  }

  package func bind(_ index: Int32, _ number: Int64?) throws(SQLiteError) {
    guard let number else { return try bindNull(index) }
    try bind(index, number)
  }

  package func bind(_ index: Int32, _ flag: Bool) throws(SQLiteError) {
    try bind(index, flag ? 1 : 0 as Int64)
  }

  package func bind(_ index: Int32, _ text: String?) throws(SQLiteError) {
    guard var text else { return try bindNull(index) }
    let result = text.withUTF8 { bytes in
      // An empty buffer may have no address, and SQLite takes no address for NULL.
      guard let start = bytes.baseAddress else {
        return unsafe catalog_bind_text_copied(pointer, index, "", 0)
      }
      return unsafe UnsafeRawPointer(start).withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        unsafe catalog_bind_text_copied(pointer, index, $0, UInt64(bytes.count))
      }
    }
    try check(result)
  }

  package func bindNull(_ index: Int32) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_null(pointer, index))
  }

  package func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(pointer, column) == SQLITE_NULL
  }

  package func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(pointer, column)
  }

  package func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  package func bool(_ column: Int32) -> Bool {
    integer(column) != 0
  }

  /// Returns a column's text, which may be empty and may have a NUL in it.
  ///
  /// - Throws: `SQLITE_CORRUPT` if it is NULL or isn't UTF-8.
  package func text(_ column: Int32) throws(SQLiteError) -> String {
    guard let text = try optionalText(column) else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "column \(column) has no text", sql: sql)
    }
    return text
  }

  package func optionalText(_ column: Int32) throws(SQLiteError) -> String? {
    guard let bytes = unsafe bytes(column) else { return nil }
    guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "column \(column) isn't UTF-8", sql: sql)
    }
    return text
  }

  /// Hashes a column's text as ``SealHasher`` hashes a `String?` of the same bytes.
  package func combineText(_ column: Int32, into hasher: inout SealHasher) {
    guard let bytes = unsafe bytes(column) else { return hasher.combineAbsent() }
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
  }

  /// Valid until the statement is stepped or reset; nil for NULL.
  private func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
    guard let start = unsafe sqlite3_column_text(pointer, column) else { return nil }
    return unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
  }

  private func check(_ result: Int32) throws(SQLiteError) {
    guard result == SQLITE_OK else { throw handle.error(result, sql: sql) }
  }
}
