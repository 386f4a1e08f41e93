package import CatalogDomain
internal import CatalogSQLite

/// Which connection read, and under which `data_version`: what a kept array is guarded by.
struct ReadMark: Sendable {
  let reader: Int
  let dataVersion: Int64
}

/// What is known of a catalog, and its books if they were asked for: of one read transaction.
package struct CatalogView: Sendable {
  package let record: CatalogRecord
  /// By ascending `id`; nil if they weren't asked for.
  package let books: [BookSummary]?
  /// When time alone next changes the books; nil if it doesn't.
  package let nextLoanEnd: Timestamp?
  /// Whether these rows were found before not to be what was written.
  package let isBroken: Bool
}

extension CatalogStore {
  /// How long a reader waits: another process may be recovering the log after a crash, under a lock.
  private static let readerTimeout = Duration.milliseconds(50)

  /// Runs one read transaction.
  ///
  /// No output, callback or waiting inside it: it would pin the log.
  func read<Result>(
    doing what: String = "read", _ body: (borrowing Connection, ReadMark) throws -> Result
  ) throws(CatalogError) -> Result {
    try checkOpen()
    do {
      guard options.access == .readWrite else {
        return try ReadOnlySession.with(location, options) { try transact($0, reader: 0, body) }
      }
      let reader = try currentReader()
      let result = try transact(reader.box.connection, reader: reader.number, body)
      // After an error the reader is let go instead.
      readers.giveBack(reader)
      return result
    } catch {
      throw noting(CatalogError(error, doing: what, location))
    }
  }

  private func transact<Result>(
    _ connection: borrowing Connection, reader: Int,
    _ body: (borrowing Connection, ReadMark) throws -> Result
  ) throws -> Result {
    let transaction = try connection.begin(.read)
    // The first statement takes the snapshot, and the version belongs to it.
    if try connection.number("PRAGMA application_id") != Self.applicationID {
      throw CatalogError(
        .notADatabase,
        "The file \(location.display) isn't a catalog cache; give the path of one.")
    }
    try checkVersion(connection)
    let dataVersion = try connection.number("PRAGMA data_version") ?? 0
    let result = try body(connection, ReadMark(reader: reader, dataVersion: dataVersion))
    _ = consume transaction
    return result
  }

  private func currentReader() throws -> Reader {
    if let reader = readers.take() {
      if try !reader.box.hasMoved(from: location) { return reader }
      readers.drain()
      memory.removeAll()
    }
    guard location.isFile else {
      let box = ConnectionBox(
        try Connection(path: location.path, mode: .memory, busyTimeout: options.busyTimeout))
      try box.connection.execute("PRAGMA query_only = 1")
      return readers.adopt(box)
    }
    guard let attributes = try FileSystem.attributes(location.path), attributes.isRegularFile else {
      throw CatalogError.replaced(location)
    }
    // Whoever writes next removes it.
    if try isLogOfAnotherFile() { throw CatalogError.replaced(location) }
    let box = ConnectionBox(
      try Connection(path: location.path, mode: .queryOnly, busyTimeout: Self.readerTimeout))
    try box.noteLog(of: location)
    return readers.adopt(box)
  }

  /// Reads what is known of a catalog and, if the record says so, its books.
  ///
  /// - Parameters:
  ///   - key: Which catalog of which account.
  ///   - now: The moment at which loans are judged.
  ///   - wantsBooks: Decides by the record, inside the transaction, whether the books are read.
  /// - Throws: `CatalogError`: `revoked`, `replaced`, `corrupt`, or why the file can't be read.
  package func view(
    of key: CatalogKey, now: Timestamp, wantsBooks: (CatalogRecord) -> Bool
  ) throws(CatalogError) -> CatalogView {
    try read { connection, mark in
      let record = try record(of: key, connection)
      let memoryKey = BookMemory.Key(account: key.account.number, catalog: record.number)
      guard record.isLoaded, wantsBooks(record) else {
        return CatalogView(
          record: record, books: nil, nextLoanEnd: nil,
          isBroken: memory.isBroken(memoryKey, version: record.version))
      }
      if let kept = memory.entry(memoryKey),
        kept.isRight(for: mark.reader, dataVersion: mark.dataVersion, version: record.version, now: now)
      {
        return CatalogView(record: record, books: kept.books, nextLoanEnd: kept.nextLoanEnd, isBroken: false)
      }
      let entry = try readBooks(of: key, record, now: now, mark, connection)
      memory.keep(entry, for: memoryKey)
      memory.noteSound(memoryKey)
      return CatalogView(record: record, books: entry.books, nextLoanEnd: entry.nextLoanEnd, isBroken: false)
    }
  }

  /// Reads a catalog's row, and finds out whether the handle is still that account's.
  func record(of key: CatalogKey, _ connection: borrowing Connection) throws -> CatalogRecord {
    let meta = try connection.prepare("SELECT instance FROM meta")
    guard try meta.step(), try meta.text(0) == key.account.instance else {
      throw CatalogError.replaced(location)
    }
    let row = try connection.prepare(
      """
      SELECT a.number IS NOT NULL, \(CatalogRecord.columns.split(separator: ", ").map { "c.\($0)" }.joined(separator: ", "))
      FROM account AS a LEFT JOIN catalog AS c ON c.account = a.number AND c.name = ?2 WHERE a.number = ?1
      """)
    try row.bind(1, key.account.number)
    try row.bind(2, key.name.rawValue)
    guard try row.step() else { throw CatalogError.accountRevoked }
    guard !row.isNull(1) else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "a catalog that was registered has no row")
    }
    return try CatalogRecord(row, from: 1)
  }

  private func readBooks(
    of key: CatalogKey, _ record: CatalogRecord, now: Timestamp, _ mark: ReadMark,
    _ connection: borrowing Connection
  ) throws -> BookMemory.Entry {
    let scope = RowScope(account: key.account.number, catalog: record.number)
    let rows = try connection.prepare(
      "SELECT \(BookRow.readColumns) FROM book WHERE account = ? AND catalog = ? ORDER BY id")
    try rows.bind(1, scope.account)
    try rows.bind(2, scope.catalog)
    var books: [BookSummary] = []
    books.reserveCapacity(min(max(0, record.bookCount), 1 << 20))
    var seal: UInt64 = 0
    var bytes = 0
    var nextLoanEnd: Timestamp?
    var isInOrder = true
    while try rows.step() {
      if let last = books.last, rows.integer(0) <= last.id { isInOrder = false }
      seal &+= BookRow.readSeal(rows, scope)
      let title = try rows.text(1)
      let isOnLoan = rows.bool(2)
      let end = rows.optionalInteger(3).map { Timestamp(millisecondsSinceEpoch: $0) }
      let isBorrowed = CatalogEntry.isBorrowed(isOnLoan, until: end, at: now)
      if isBorrowed, let end { nextLoanEnd = min(end, nextLoanEnd ?? end) }
      books.append(BookSummary(id: Int(rows.integer(0)), title: title, isBorrowed: isBorrowed))
      bytes += MemoryLayout<BookSummary>.stride + (title.utf8.count > 15 ? title.utf8.count + 32 : 0)
    }
    // "No error" isn't "right": a page that was overwritten makes SQLite return invented rows without one.
    guard isInOrder, books.count == record.bookCount, seal == record.seal.read else {
      memory.noteBroken(
        BookMemory.Key(account: scope.account, catalog: scope.catalog), version: record.version)
      throw CatalogError.sealBroken(location)
    }
    return BookMemory.Entry(
      books: books, version: record.version, dataVersions: [mark.reader: mark.dataVersion], judgedAt: now,
      nextLoanEnd: nextLoanEnd, sizeInBytes: bytes)
  }
}
