package import CatalogDomain
internal import CatalogSQLite

extension CatalogStore {
  /// How many rows are deleted between two truncations, so that a nearly full disk is enough.
  private static let rowsAPiece = 1000

  /// Revokes an account, durably, before anything else is tried; from then on nobody reaches its rows.
  ///
  /// Its bytes are still on disk: ``erase(now:)`` comes next, here or in whatever process opens the database.
  ///
  /// - Returns: How much was revoked; nothing if there is no such account.
  package func revoke(_ account: AccountID, now: ClockReading) throws(CatalogError) -> StoreReport {
    let report = try write(.full, finishesScrub: false, now: now) { connection in
      guard let number = try accountNumber(account, connection) else {
        // A database that was set aside may hold the account all the same, and can't be asked.
        if try !setAsideFiles().isEmpty { try oweErasure(connection) }
        return StoreReport()
      }
      let catalogs = try connection.prepare(
        "SELECT count(*), coalesce(sum(min(max(book_count, 0), \(CatalogRecord.largestCount))), 0) FROM catalog WHERE account = ?"
      )
      try catalogs.bind(1, number)
      var report = StoreReport(accounts: 1)
      if try catalogs.step() {
        report.catalogs = Int(catalogs.integer(0))
        report.books = Int(catalogs.integer(1))
      }
      for sql in ["DELETE FROM account WHERE number = ?", "INSERT INTO doomed (account) VALUES (?)"] {
        let statement = try connection.prepare(sql)
        try statement.bind(1, number)
        try statement.run()
      }
      try oweErasure(connection)
      return report
    }
    memory.removeAll()
    return report
  }

  /// Notes that bytes of a forgotten account may be in the files.
  ///
  /// The number tells this sign-out from a later one, whose bytes an earlier erasure hasn't erased.
  func oweErasure(_ connection: borrowing Connection) throws {
    let scrub = try nextNumber(connection)
    try connection.execute("UPDATE meta SET scrub = \(scrub)")
  }

  /// Whether bytes of forgotten accounts may still be in the files.
  package func isScrubPending() throws(CatalogError) -> Bool {
    try read { connection, _ in try connection.number("SELECT scrub FROM meta") != 0 }
  }

  /// Erases the bytes of forgotten accounts from every named file of the folder.
  ///
  /// `secure_delete` and a truncating checkpoint don't: rebalancing leaves text in the gaps of index pages. So
  /// the rows are deleted, the file is vacuumed, the log is emptied, and the files that were set aside go.
  ///
  /// - Throws: `CatalogError` with code `bytesRemain` that says where, if something is in the way; whoever
  ///   writes next tries again.
  package func erase(
    waitingForReadersAtMost limit: Duration = .seconds(5), now: ClockReading
  ) throws(CatalogError) {
    do throws(CatalogError) {
      let pending = try read { connection, _ in try connection.number("SELECT scrub FROM meta") ?? 0 }
      guard pending != 0 else { return }
      try deleteDoomedRows(now: now)
      do {
        // Whoever writes in passing tries once: while a reader is in the way a vacuum would be for nothing.
        if limit == .zero, try !truncateLog(now: now, waitingAtMost: .zero) { throw readerInTheWay() }
        try exclusively { _ in
          let box = try currentWriter(now: now)
          try checkVersion(box.connection)
          try box.connection.execute("VACUUM")
        }
        guard try truncateLog(now: now, waitingAtMost: limit) else { throw readerInTheWay() }
        for path in try setAsideFiles() { try FileSystem.remove(path) }
      } catch {
        throw CatalogError(error, doing: "erase the bytes of a forgotten account from", location)
      }
      try write(.full, finishesScrub: false, now: now) { connection in
        try connection.execute("UPDATE meta SET scrub = 0 WHERE scrub = \(pending)")
      }
      _ = try truncated(now: now)
      options.observe?(.scrubbed)
    } catch {
      throw error.code == .bytesRemain
        ? error : bytesRemain("in the database's files (\(error.message))", cause: error)
    }
  }

  /// Erases what is pending, if it can be done now; else it stays pending.
  func finishPendingScrub(now: ClockReading) {
    do throws(CatalogError) {
      try erase(waitingForReadersAtMost: .zero, now: now)
    } catch {
      // It stays pending, and is said by `inspect`; whoever writes next tries again.
    }
  }

  private func readerInTheWay() -> CatalogError {
    bytesRemain("in the log and the database, because a reader is in an old snapshot", cause: nil)
  }

  private func bytesRemain(_ where: String, cause: CatalogError?) -> CatalogError {
    CatalogError(
      .bytesRemain,
      "The account is revoked, but bytes of it remain \(`where`) of the catalog cache \(location.display); "
        + "close other readers and scrub.", cause: cause)
  }

  private func deleteDoomedRows(now: ClockReading) throws(CatalogError) {
    while true {
      let isDone = try write(finishesScrub: false, now: now) { connection in
        guard let account = try connection.number("SELECT account FROM doomed LIMIT 1") else { return true }
        for (table, key) in [
          ("book", "catalog, id"), ("retired", "catalog, identifier"), ("confirmation", "catalog, id"),
        ] {
          let delete = try connection.prepare(
            """
            DELETE FROM \(table) WHERE account = ?1 AND (\(key)) IN (
              SELECT \(key) FROM \(table) WHERE account = ?1 LIMIT \(Self.rowsAPiece))
            """)
          try delete.bind(1, account)
          try delete.run()
          if connection.changes > 0 { return false }
        }
        for table in ["catalog", "doomed"] {
          let delete = try connection.prepare("DELETE FROM \(table) WHERE account = ?")
          try delete.bind(1, account)
          try delete.run()
        }
        return false
      }
      if isDone { return }
      _ = try truncated(now: now)
    }
  }

  private func truncated(now: ClockReading) throws(CatalogError) -> Bool {
    do {
      return try truncateLog(now: now, waitingAtMost: .zero)
    } catch {
      throw CatalogError(error, doing: "empty the log of", location)
    }
  }

  /// Empties the log, trying again while a reader is in an old snapshot.
  private func truncateLog(now: ClockReading, waitingAtMost limit: Duration) throws -> Bool {
    guard location.isFile else { return true }
    let deadline = ContinuousClock.now + limit
    while true {
      let isEmpty = try exclusively { _ in
        let box = try currentWriter(now: now)
        box.connection.setBusyTimeout(.milliseconds(20))
        defer { box.connection.setBusyTimeout(options.busyTimeout) }
        return try box.connection.checkpoint(.truncate)
      }
      if isEmpty { return true }
      if ContinuousClock.now >= deadline { return false }
    }
  }
}
