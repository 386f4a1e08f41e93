internal import CatalogDomain
internal import CatalogSQLite

/// The ordered merge: a cursor over the rows that are held beside one over the staged ones, both by ascending
/// `id`, writing only what differs.
struct Merge {
  /// A change that the server accepted after the answer was begun; it is applied again on top.
  struct Confirmation {
    let isBorrowed: Bool
    let borrowedUntil: Int64?
  }

  struct Result {
    var counts = MergeCounts()
    var seal = RowSeal()
  }

  let confirmations: [Int64: Confirmation]
  /// The next number for a book whose identifier is text.
  let nextTextID: Int64
  private let scope: RowScope
  private let record: CatalogRecord
  private let isComplete: Bool

  /// Finds an `id` for every staged book, and the confirmations to apply.
  init(
    ticket: Ticket, record: CatalogRecord, isComplete: Bool, _ connection: borrowing Connection
  ) throws {
    self.record = record
    self.isComplete = isComplete
    scope = RowScope(account: ticket.key.account.number, catalog: record.number)
    nextTextID = try Self.identify(scope, next: record.nextTextID, connection)
    confirmations = try Self.newerConfirmations(than: ticket.begun, scope, connection)
  }

  /// Gives staged books with text identifiers their ids: the one they have, the one they had, or the next.
  private static func identify(
    _ scope: RowScope, next: Int64, _ connection: borrowing Connection
  ) throws -> Int64 {
    // A second try after a refused commit finds ids that were never given out.
    try connection.execute("UPDATE temp.staged SET id = NULL WHERE identifier IS NOT NULL")
    for table in ["book", "retired"] {
      let find = try connection.prepare(
        """
        UPDATE temp.staged SET id = (
          SELECT t.id FROM main.\(table) AS t
          WHERE t.account = ? AND t.catalog = ? AND t.identifier = staged.identifier)
        WHERE id IS NULL
        """)
      try find.bind(1, scope.account)
      try find.bind(2, scope.catalog)
      try find.run()
    }
    var next = next
    let unknown = try connection.prepare(
      "SELECT rowid FROM temp.staged WHERE id IS NULL AND keep = 0 ORDER BY rowid")
    var rows: [Int64] = []
    while try unknown.step() { rows.append(unknown.integer(0)) }
    let give = try connection.prepare("UPDATE temp.staged SET id = ? WHERE rowid = ?")
    for row in rows {
      guard next < .max else {
        throw CatalogError(.tooLarge, "The catalog has used up every number for text identifiers.")
      }
      try give.bind(1, next)
      try give.bind(2, row)
      try give.run()
      next += 1
    }
    return next
  }

  private static func newerConfirmations(
    than begun: Int64, _ scope: RowScope, _ connection: borrowing Connection
  ) throws -> [Int64: Confirmation] {
    let drop = try connection.prepare(
      "DELETE FROM confirmation WHERE account = ? AND catalog = ? AND seq < ?")
    try drop.bind(1, scope.account)
    try drop.bind(2, scope.catalog)
    try drop.bind(3, begun)
    try drop.run()
    let rows = try connection.prepare(
      "SELECT id, is_borrowed, borrowed_until FROM confirmation WHERE account = ? AND catalog = ?")
    try rows.bind(1, scope.account)
    try rows.bind(2, scope.catalog)
    var confirmations: [Int64: Confirmation] = [:]
    while try rows.step() {
      confirmations[rows.integer(0)] = Confirmation(
        isBorrowed: rows.bool(1), borrowedUntil: rows.optionalInteger(2))
    }
    return confirmations
  }

  /// Merges; if the rows held turn out not to be the rows that were written, drops them and begins again, since
  /// none of them may be kept.
  func run(_ connection: borrowing Connection) throws -> Result {
    try connection.execute("SAVEPOINT merge")
    if let result = try pass(connection, overDamagedRows: false) {
      try connection.execute("RELEASE merge")
      return result
    }
    try connection.execute("ROLLBACK TO merge; RELEASE merge")
    try deleteEverything(connection)
    guard let result = try pass(connection, overDamagedRows: true) else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "rows are left after all were deleted")
    }
    return result
  }

  private func deleteEverything(_ connection: borrowing Connection) throws {
    let delete = try connection.prepare("DELETE FROM book WHERE account = ? AND catalog = ?")
    try delete.bind(1, scope.account)
    try delete.bind(2, scope.catalog)
    try delete.run()
  }

  /// One walk.
  ///
  /// Nil if the old rows don't match their seal.
  private func pass(_ connection: borrowing Connection, overDamagedRows: Bool) throws -> Result? {
    let old = try connection.prepare(
      "SELECT \(BookRow.allColumns) FROM main.book WHERE account = ? AND catalog = ? ORDER BY id")
    try old.bind(1, scope.account)
    try old.bind(2, scope.catalog)
    let new = try connection.prepare(
      "SELECT \(BookRow.allColumns), keep FROM temp.staged WHERE id IS NOT NULL ORDER BY id")
    let writes = try Writes(connection, scope)

    var result = Result()
    var oldSeal = RowSeal()
    var oldCount = 0
    var hasOld = try old.step()
    var hasNew = try new.step()
    while hasOld || hasNew {
      let oldID = hasOld ? old.integer(0) : .max
      let newID = hasNew ? new.integer(0) : .max
      let takesOld = hasOld && oldID <= newID
      let takesNew = hasNew && newID <= oldID

      var oldRow = RowSeal()
      if takesOld {
        oldRow = BookRow.seal(old, scope)
        oldSeal += oldRow
        oldCount += 1
      }
      if takesNew, !new.bool(BookRow.columnCount) {
        try take(new, over: takesOld ? oldRow : nil, writes, &result)
      } else if takesOld {
        // There but unreadable: the row it had stays as it was. Not there: a loan that the server has accepted
        // since the answer was begun isn't given up for it.
        if isComplete, !takesNew, confirmations[oldID] == nil {
          try writes.remove(old)
          result.counts.removed += 1
        } else {
          result.seal += oldRow
          result.counts.total += 1
        }
      }
      if takesOld { hasOld = try old.step() }
      if takesNew { hasNew = try new.step() }
    }
    guard overDamagedRows || (oldSeal == record.seal && oldCount == record.bookCount) else { return nil }
    return result
  }

  private func take(
    _ new: borrowing Statement, over old: RowSeal?, _ writes: borrowing Writes, _ result: inout Result
  ) throws {
    result.counts.total += 1
    var seal = BookRow.seal(new, scope)
    let confirmation = confirmations[new.integer(0)]
    if confirmation == nil, seal == old {
      result.seal += seal
      return
    }
    var row = try BookRow(new)
    if let confirmation {
      row.entry.isBorrowed = confirmation.isBorrowed
      row.entry.borrowedUntil = confirmation.borrowedUntil.map { .init(millisecondsSinceEpoch: $0) }
      seal = row.seal(scope)
    }
    result.seal += seal
    guard seal != old else { return }
    if old == nil {
      try writes.add(row)
      result.counts.added += 1
    } else {
      try writes.change(row)
      result.counts.changed += 1
    }
  }

  /// The statements that write.
  private struct Writes: ~Copyable {
    private let scope: RowScope
    private let insert: Statement
    private let update: Statement
    private let delete: Statement
    private let retire: Statement
    private let revive: Statement

    init(_ connection: borrowing Connection, _ scope: RowScope) throws(SQLiteError) {
      let columns = BookRow.allColumns.split(separator: ", ")
      // Each in a constant first: a value that can't be copied has to be made whole at once.
      let insert = try connection.prepare(
        """
        INSERT INTO main.book (account, catalog, \(BookRow.allColumns))
        VALUES (?, ?, \(columns.map { _ in "?" }.joined(separator: ", ")))
        """)
      let update = try connection.prepare(
        """
        UPDATE main.book SET \(columns.map { "\($0) = ?" }.joined(separator: ", "))
        WHERE account = ? AND catalog = ? AND id = ?
        """)
      let delete = try connection.prepare(
        "DELETE FROM main.book WHERE account = ? AND catalog = ? AND id = ?")
      let retire = try connection.prepare(
        "INSERT OR REPLACE INTO main.retired (account, catalog, identifier, id) VALUES (?, ?, ?, ?)")
      let revive = try connection.prepare(
        "DELETE FROM main.retired WHERE account = ? AND catalog = ? AND identifier = ?")
      self.scope = scope
      self.insert = insert
      self.update = update
      self.delete = delete
      self.retire = retire
      self.revive = revive
    }

    func add(_ row: BookRow) throws(SQLiteError) {
      try insert.bind(1, scope.account)
      try insert.bind(2, scope.catalog)
      try row.bind(to: insert, from: 3)
      try insert.run()
      guard case .text(let identifier) = row.entry.identifier else { return }
      try revive.bind(1, scope.account)
      try revive.bind(2, scope.catalog)
      try revive.bind(3, identifier)
      try revive.run()
    }

    func change(_ row: BookRow) throws(SQLiteError) {
      try row.bind(to: update, from: 1)
      try update.bind(BookRow.columnCount + 1, scope.account)
      try update.bind(BookRow.columnCount + 2, scope.catalog)
      try update.bind(BookRow.columnCount + 3, row.id)
      try update.run()
    }

    func remove(_ row: borrowing Statement) throws(SQLiteError) {
      let id = row.integer(0)
      if let identifier = try row.optionalText(4) {
        try retire.bind(1, scope.account)
        try retire.bind(2, scope.catalog)
        try retire.bind(3, identifier)
        try retire.bind(4, id)
        try retire.run()
      }
      try delete.bind(1, scope.account)
      try delete.bind(2, scope.catalog)
      try delete.bind(3, id)
      try delete.run()
    }
  }
}
