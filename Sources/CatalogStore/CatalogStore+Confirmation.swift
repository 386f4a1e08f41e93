package import CatalogDomain
internal import CatalogSQLite

extension CatalogStore {
  /// Applies, durably, a change of a loan that the server has accepted.
  ///
  /// It is also kept for answers that were begun before it. Validators and the answer's digest go, so that the
  /// next refresh asks unconditionally.
  package func confirm(
    _ key: CatalogKey, id: Int, isBorrowed: Bool, until end: Timestamp?, now: ClockReading
  ) throws(CatalogError) {
    try write(.full, now: now) { connection in
      let record = try record(of: key, connection)
      let seq = try nextNumber(connection)
      let note = try connection.prepare(
        """
        INSERT OR REPLACE INTO confirmation (account, catalog, id, seq, is_borrowed, borrowed_until)
        VALUES (?, ?, ?, ?, ?, ?)
        """)
      try note.bind(1, key.account.number)
      try note.bind(2, record.number)
      try note.bind(3, Int64(id))
      try note.bind(4, seq)
      try note.bind(5, isBorrowed)
      try note.bind(6, end?.millisecondsSinceEpoch)
      try note.run()

      let delta = try applyLoan(
        key, record, id: Int64(id), isBorrowed: isBorrowed, until: end, connection)
      let update = try connection.prepare(
        """
        UPDATE catalog SET version = ?, read_seal = ?, rest_seal = ?, entity_tag = NULL, last_modified = NULL,
          validator_scope = NULL, answer_digest = NULL
        WHERE account = ? AND name = ?
        """)
      var seal = record.seal
      seal += delta.added
      seal -= delta.removed
      try update.bind(1, seq)
      try update.bind(2, Int64(bitPattern: seal.read))
      try update.bind(3, Int64(bitPattern: seal.rest))
      try update.bind(4, key.account.number)
      try update.bind(5, key.name.rawValue)
      try update.run()
    }
  }

  private func applyLoan(
    _ key: CatalogKey, _ record: CatalogRecord, id: Int64, isBorrowed: Bool, until end: Timestamp?,
    _ connection: borrowing Connection
  ) throws -> (added: RowSeal, removed: RowSeal) {
    let scope = RowScope(account: key.account.number, catalog: record.number)
    var row: BookRow
    do {
      let find = try connection.prepare(
        "SELECT \(BookRow.allColumns) FROM book WHERE account = ? AND catalog = ? AND id = ?")
      try find.bind(1, scope.account)
      try find.bind(2, scope.catalog)
      try find.bind(3, id)
      // A book that isn't held may be in an answer that is on its way: the note waits for it.
      guard try find.step() else { return (RowSeal(), RowSeal()) }
      row = try BookRow(find)
    }
    let removed = row.seal(scope)
    row.entry.isBorrowed = isBorrowed
    row.entry.borrowedUntil = end
    let update = try connection.prepare(
      "UPDATE book SET is_borrowed = ?, borrowed_until = ? WHERE account = ? AND catalog = ? AND id = ?")
    try update.bind(1, isBorrowed)
    try update.bind(2, end?.millisecondsSinceEpoch)
    try update.bind(3, scope.account)
    try update.bind(4, scope.catalog)
    try update.bind(5, id)
    try update.run()
    return (row.seal(scope), removed)
  }
}
