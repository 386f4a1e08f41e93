package import CatalogDomain
internal import CatalogSQLite

extension CatalogStore {
  /// Reads one book of a catalog by its `id`; nil if there is none.
  package func entry(
    of key: CatalogKey, id: Int, mayServe: (CatalogRecord) throws(CatalogError) -> Void
  ) throws(CatalogError) -> BookRow? {
    try read { connection, _ in
      let record = try record(of: key, connection)
      try mayServe(record)
      return try sealedRow(of: key, record, connection) { connection in
        let row = try connection.prepare(
          "SELECT \(BookRow.allColumns) FROM book WHERE account = ? AND catalog = ? AND id = ?")
        try row.bind(1, key.account.number)
        try row.bind(2, record.number)
        try row.bind(3, Int64(id))
        return try row.step() ? try BookRow(row) : nil
      }
    }
  }

  /// Reads one book of a catalog by what the remote calls it; nil if there is none.
  package func entry(
    of key: CatalogKey, identifier: CatalogEntry.Identifier,
    mayServe: (CatalogRecord) throws(CatalogError) -> Void
  ) throws(CatalogError) -> BookRow? {
    switch identifier {
    case .number(let number):
      // An id that the store gave to a text identifier isn't what the remote calls the book.
      guard !CatalogEntry.reservedIDs.contains(number) else {
        _ = try entry(of: key, id: number, mayServe: mayServe)
        return nil
      }
      return try entry(of: key, id: number, mayServe: mayServe)
    case .text(let text):
      return try read { connection, _ in
        let record = try record(of: key, connection)
        try mayServe(record)
        return try sealedRow(of: key, record, connection) { connection in
          let row = try connection.prepare(
            "SELECT \(BookRow.allColumns) FROM book WHERE account = ? AND catalog = ? AND identifier = ?")
          try row.bind(1, key.account.number)
          try row.bind(2, record.number)
          try row.bind(3, text)
          let found = try row.step() ? try BookRow(row) : nil
          try requireIndexed(found, text, key, record, connection)
          return found
        }
      }
    }
  }

  /// Makes sure of what the index on identifiers said, since the seal is over the rows alone.
  private func requireIndexed(
    _ found: BookRow?, _ text: String, _ key: CatalogKey, _ record: CatalogRecord,
    _ connection: borrowing Connection
  ) throws {
    if let found {
      guard found.entry.identifier != .text(text) else { return }
    } else {
      // The plus keeps the index out of it (sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_).
      let walk = try connection.prepare(
        "SELECT 1 FROM book WHERE account = ? AND catalog = ? AND +identifier = ?")
      try walk.bind(1, key.account.number)
      try walk.bind(2, record.number)
      try walk.bind(3, text)
      guard try walk.step() else { return }
    }
    throw SQLiteError(code: SQLiteError.corrupt, message: "the index on identifiers isn't that of the rows")
  }

  /// Reads every book with all its columns, by ascending `id`.
  package func entries(
    of key: CatalogKey, mayServe: (CatalogRecord) throws(CatalogError) -> Void
  ) throws(CatalogError) -> [BookRow] {
    try read { connection, _ in
      let record = try record(of: key, connection)
      try mayServe(record)
      var books: [BookRow] = []
      var seal = RowSeal()
      let isInOrder = try forEachRow(of: key, record, connection) { row, rowSeal in
        seal += rowSeal
        books.append(try BookRow(row))
      }
      guard isInOrder, seal == record.seal, books.count == record.bookCount else {
        throw CatalogError.sealBroken(location)
      }
      return books
    }
  }

  /// Reads one row of a catalog whose rows are all the rows that were written.
  ///
  /// That is found out once for each version of the catalog that this process sees.
  private func sealedRow(
    of key: CatalogKey, _ record: CatalogRecord, _ connection: borrowing Connection,
    _ body: (borrowing Connection) throws -> BookRow?
  ) throws -> BookRow? {
    try requireSeal(of: key, record, connection)
    return try body(connection)
  }

  func requireSeal(of key: CatalogKey, _ record: CatalogRecord, _ connection: borrowing Connection) throws {
    let memoryKey = BookMemory.Key(account: key.account.number, catalog: record.number)
    guard !memory.isSealed(memoryKey, version: record.version) else { return }
    guard try hasSealedRows(key, record, connection) else {
      memory.noteBroken(memoryKey, version: record.version)
      throw CatalogError.sealBroken(location)
    }
    memory.noteSealed(memoryKey, version: record.version)
  }

  /// Whether the rows of a catalog are the rows that were written.
  func hasSealedRows(
    _ key: CatalogKey, _ record: CatalogRecord, _ connection: borrowing Connection
  ) throws -> Bool {
    var seal = RowSeal()
    var count = 0
    let isInOrder = try forEachRow(of: key, record, connection) { _, rowSeal in
      seal += rowSeal
      count += 1
    }
    return isInOrder && seal == record.seal && count == record.bookCount
  }

  /// Walks the rows of a catalog.
  ///
  /// - Returns: Whether they came in ascending order. Pages that changed places have the right rows in the wrong
  ///   order, and then a search by key misses rows that are there.
  private func forEachRow(
    of key: CatalogKey, _ record: CatalogRecord, _ connection: borrowing Connection,
    _ body: (borrowing Statement, RowSeal) throws -> Void
  ) throws -> Bool {
    let scope = RowScope(account: key.account.number, catalog: record.number)
    let rows = try connection.prepare(
      "SELECT \(BookRow.allColumns) FROM book WHERE account = ? AND catalog = ? ORDER BY id")
    try rows.bind(1, scope.account)
    try rows.bind(2, scope.catalog)
    var isInOrder = true
    // No row has come yet; the lowest number is an id like another.
    var last: Int64?
    while try rows.step() {
      let id = rows.integer(0)
      if let last, id <= last { isInOrder = false }
      last = id
      try body(rows, BookRow.seal(rows, scope))
    }
    return isInOrder
  }
}
