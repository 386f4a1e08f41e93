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
          WHERE t.account = ? AND t.catalog = ? AND t.identifier = staged.identifier
            AND t.id >= ? AND t.id < ?)
        WHERE id IS NULL
        """)
      try find.bind(1, scope.account)
      try find.bind(2, scope.catalog)
      // An id that was never given to a text can't be one's, whatever a damaged page says.
      try find.bind(3, Int64(CatalogEntry.reservedIDs.lowerBound))
      try find.bind(4, next)
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
    // No seal is over these rows, so what can't be one of them isn't taken for one: a page of another table in
    // their place would lend books out, and keep books that are gone.
    let rows = try connection.prepare(
      """
      SELECT id, is_borrowed, borrowed_until FROM confirmation
      WHERE account = ? AND catalog = ? AND typeof(seq) = 'integer'
        AND seq > ? AND seq <= (SELECT seq FROM meta) AND is_borrowed IN (0, 1)
        AND typeof(borrowed_until) IN ('integer', 'null')
      """)
    try rows.bind(1, scope.account)
    try rows.bind(2, scope.catalog)
    try rows.bind(3, begun)
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
    try overlayConfirmations(connection)
    var difference = try walk(connection, overDamagedRows: false)
    if difference == nil {
      try deleteEverything(connection)
      difference = try walk(connection, overDamagedRows: true)
    }
    guard let difference else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "rows are left after all were deleted")
    }
    try write(difference, connection)
    // In a file with damaged pages what is written isn't always what is read.
    guard try holds(difference.result, connection) else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "rows that were just written aren't there")
    }
    return difference.result
  }

  private func holds(_ result: Result, _ connection: borrowing Connection) throws -> Bool {
    let rows = try connection.prepare(
      "SELECT \(BookRow.allColumns) FROM main.book WHERE account = ? AND catalog = ? ORDER BY id")
    try rows.bind(1, scope.account)
    try rows.bind(2, scope.catalog)
    var seal = RowSeal()
    var count = 0
    var last: Int64?
    while try rows.step() {
      if let last, rows.integer(0) <= last { return false }
      last = rows.integer(0)
      seal += BookRow.seal(rows, scope)
      count += 1
    }
    return seal == result.seal && count == result.counts.total
  }

  /// Applies the confirmations to the staged books.
  private func overlayConfirmations(_ connection: borrowing Connection) throws {
    let update = try connection.prepare(
      "UPDATE temp.staged SET is_borrowed = ?, borrowed_until = ? WHERE id = ? AND keep = 0")
    for (id, confirmation) in confirmations {
      try update.bind(1, confirmation.isBorrowed)
      try update.bind(2, confirmation.borrowedUntil)
      try update.bind(3, id)
      try update.run()
    }
  }

  /// Deletes rows that aren't what was written.
  ///
  /// The index may disagree with them, and then a delete fails, so it is made anew.
  private func deleteEverything(_ connection: borrowing Connection) throws {
    var index: String?
    do {
      let find = try connection.prepare("SELECT sql FROM sqlite_schema WHERE name = 'book_by_identifier'")
      if try find.step() { index = try find.text(0) }
    }
    if index != nil { try connection.execute("DROP INDEX book_by_identifier") }
    let delete = try connection.prepare("DELETE FROM main.book WHERE account = ? AND catalog = ?")
    try delete.bind(1, scope.account)
    try delete.bind(2, scope.catalog)
    try delete.run()
    if let index { try connection.execute(index) }
  }

  /// What differs between the rows held and the staged ones, by id, and what comes of it.
  private struct Difference {
    var result = Result()
    var added: [Int64] = []
    var changed: [Int64] = []
    var removed: [Int64] = []
  }

  /// Walks both tables and writes nothing: a row that is changed under a cursor may be met again.
  ///
  /// - Returns: What differs; nil if the rows held don't match their seal.
  private func walk(_ connection: borrowing Connection, overDamagedRows: Bool) throws -> Difference? {
    let old = try connection.prepare(
      "SELECT \(BookRow.allColumns) FROM main.book WHERE account = ? AND catalog = ? ORDER BY id")
    try old.bind(1, scope.account)
    try old.bind(2, scope.catalog)
    let new = try connection.prepare(
      "SELECT \(BookRow.allColumns), keep FROM temp.staged WHERE id IS NOT NULL ORDER BY id")

    var difference = Difference()
    var oldSeal = RowSeal()
    var oldCount = 0
    var isInOrder = true
    var lastOld: Int64?
    var hasOld = try old.step()
    var hasNew = try new.step()
    while hasOld || hasNew {
      let takesOld = hasOld && (!hasNew || old.integer(0) <= new.integer(0))
      let takesNew = hasNew && (!hasOld || new.integer(0) <= old.integer(0))
      var oldRow: RowSeal?
      if takesOld {
        let seal = BookRow.seal(old, scope)
        oldRow = seal
        oldSeal += seal
        oldCount += 1
        if let lastOld, old.integer(0) <= lastOld { isInOrder = false }
        lastOld = old.integer(0)
      }
      if takesNew, !new.bool(BookRow.columnCount) {
        take(BookRow.seal(new, scope), new.integer(0), over: oldRow, &difference)
      } else if let oldRow {
        // There but unreadable: the row it had stays as it was. Not there: a loan that the server has accepted
        // since the answer was begun isn't given up for it.
        if isComplete, !takesNew, confirmations[old.integer(0)] == nil {
          difference.removed.append(old.integer(0))
        } else {
          difference.result.seal += oldRow
          difference.result.counts.total += 1
        }
      }
      if takesOld { hasOld = try old.step() }
      if takesNew { hasNew = try new.step() }
    }
    let areSound = isInOrder && oldSeal == record.seal && oldCount == record.bookCount
    guard overDamagedRows ? oldCount == 0 : areSound else { return nil }
    difference.result.counts.added = difference.added.count
    difference.result.counts.changed = difference.changed.count
    difference.result.counts.removed = difference.removed.count
    return difference
  }

  private func take(_ seal: RowSeal, _ id: Int64, over old: RowSeal?, _ difference: inout Difference) {
    difference.result.seal += seal
    difference.result.counts.total += 1
    switch old {
    case nil: difference.added.append(id)
    case seal: return
    case .some: difference.changed.append(id)
    }
  }

  private func write(_ difference: Difference, _ connection: borrowing Connection) throws {
    // An identifier that moves from one id to another isn't possible, so the order doesn't matter to the index.
    try forEach(
      difference.removed, connection,
      """
      INSERT OR REPLACE INTO main.retired (account, catalog, identifier, id)
      SELECT account, catalog, identifier, id FROM main.book
      WHERE account = ?1 AND catalog = ?2 AND id = ?3 AND identifier IS NOT NULL
      """, "DELETE FROM main.book WHERE account = ?1 AND catalog = ?2 AND id = ?3")
    let columns = BookRow.allColumns.split(separator: ", ")
    try forEach(
      difference.changed, connection,
      """
      UPDATE main.book SET (\(BookRow.allColumns)) = (
        SELECT \(columns.map { "s.\($0)" }.joined(separator: ", ")) FROM temp.staged AS s WHERE s.id = ?3)
      WHERE account = ?1 AND catalog = ?2 AND id = ?3
      """)
    try forEach(
      difference.added, connection,
      """
      INSERT INTO main.book (account, catalog, \(BookRow.allColumns))
      SELECT ?1, ?2, \(BookRow.allColumns) FROM temp.staged WHERE id = ?3
      """)
    try forEach(
      difference.added.filter { $0 >= CatalogEntry.reservedIDs.lowerBound }, connection,
      """
      DELETE FROM main.retired WHERE account = ?1 AND catalog = ?2
        AND identifier = (SELECT identifier FROM temp.staged WHERE id = ?3)
      """)
  }

  private func forEach(
    _ ids: [Int64], _ connection: borrowing Connection, _ statements: String...
  ) throws {
    guard !ids.isEmpty else { return }
    for sql in statements {
      let statement = try connection.prepare(sql)
      try statement.bind(1, scope.account)
      try statement.bind(2, scope.catalog)
      for id in ids {
        try statement.bind(3, id)
        try statement.run()
      }
    }
  }
}
