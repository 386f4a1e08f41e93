package import CatalogDomain
internal import CatalogMigrations
internal import CatalogSQLite

/// What is known of a database, all of one moment.
package struct StoreInspection: Sendable {
  package let path: String?
  package let instance: String
  package let schemaVersion: Int
  package let sqliteVersion: Int
  package let databaseBytes: Int64
  package let logBytes: Int64
  package let isScrubPending: Bool
  package let setAside: [String]
  package let catalogs: [StoredCatalog]
}

/// What a verification found.
package struct StoreVerification: Sendable {
  /// One sentence for each thing that isn't as it has to be; accounts by number, titles never.
  package var problems: [String] = []
  package var catalogs = 0
  package var books = 0
}

extension CatalogStore {
  /// Reads what is known of the database and of the catalogs that a selection names.
  package func inspect(
    _ selection: StoreSelection, now: ClockReading
  ) throws(CatalogError) -> StoreInspection {
    try read { connection, _ in
      StoreInspection(
        path: path, instance: try instance(connection), schemaVersion: MigrationRegister.latestVersion,
        sqliteVersion: Int(Connection.libraryVersion),
        databaseBytes: try size(of: path, or: connection),
        logBytes: try location.logPath.map { try FileSystem.attributes($0)?.sizeInBytes ?? 0 } ?? 0,
        isScrubPending: try connection.number("SELECT scrub FROM meta") != 0,
        setAside: try setAsideFiles(),
        catalogs: try catalogs(in: selection, now: now, connection))
    }
  }

  private func size(of path: String?, or connection: borrowing Connection) throws -> Int64 {
    if let path { return try FileSystem.attributes(path)?.sizeInBytes ?? 0 }
    let pages = try connection.number("PRAGMA page_count") ?? 0
    return pages * (try connection.number("PRAGMA page_size") ?? 0)
  }

  /// Checks the database: SQLite's own check, then every catalog's seal, and that no row belongs to nobody.
  ///
  /// - Parameter isFull: Whether indexes are compared with their tables too (`integrity_check`).
  package func verify(isFull: Bool, now: ClockReading) throws(CatalogError) -> StoreVerification {
    try read(doing: "verify") { connection, _ in
      var found = StoreVerification()
      let check = try connection.prepare(isFull ? "PRAGMA integrity_check(20)" : "PRAGMA quick_check(20)")
      while try check.step() {
        let line = try check.text(0)
        if line != "ok" { found.problems.append("SQLite: \(line)") }
      }
      for stored in try catalogs(in: .everything, now: now, connection) {
        found.catalogs += 1
        found.books += stored.record.bookCount
        let key = CatalogKey(
          account: AccountKey(instance: try instance(connection), number: stored.accountNumber),
          name: stored.name)
        let name = "catalog \(stored.record.number) of account \(stored.accountNumber)"
        if try !hasSealedRows(key, stored.record, connection) {
          found.problems.append("The rows of \(name) aren't the rows that were written.")
        }
        if !stored.record.isLoaded, stored.record.bookCount != 0 {
          found.problems.append("The \(name) counts books, but was never loaded.")
        }
      }
      for table in ["book", "retired", "confirmation"] {
        let lost = try connection.number(
          """
          SELECT count(*) FROM \(table) AS t
          WHERE t.account NOT IN (SELECT account FROM doomed)
            AND NOT EXISTS (SELECT 1 FROM catalog AS c WHERE c.account = t.account AND c.number = t.catalog)
          """)
        if let lost, lost > 0 { found.problems.append("\(lost) rows of \(table) belong to no catalog.") }
      }
      let reused = try connection.number(
        """
        SELECT count(*) FROM retired AS r JOIN book AS b
          ON b.account = r.account AND b.catalog = r.catalog AND b.id = r.id
        """)
      if let reused, reused > 0 { found.problems.append("\(reused) retired ids are in use.") }
      return found
    }
  }
}
