package import CatalogDomain
internal import CatalogSQLite

/// Which catalogs an invalidation or an inspection is about.
package enum StoreSelection: Hashable, Sendable {
  case everything
  case account(AccountID)
  case catalog(CatalogName, AccountID)
  /// Last validated before a moment, by the wall clock.
  case validated(before: Timestamp)
  /// Expired by the policy stored with the catalog.
  case expired
}

/// How much an invalidation touched.
package struct StoreReport: Hashable, Sendable {
  package var accounts = 0
  package var catalogs = 0
  package var books = 0
}

/// A catalog with whose it is.
package struct StoredCatalog: Sendable {
  package let account: AccountID
  package let accountNumber: Int64
  package let name: CatalogName
  package let record: CatalogRecord
}

extension CatalogStore {
  /// Reads every catalog that a selection names, by account and name.
  func catalogs(
    in selection: StoreSelection, now: ClockReading, _ connection: borrowing Connection
  ) throws -> [StoredCatalog] {
    let rows = try connection.prepare(
      """
      SELECT a.name, a.number, c.name, \(CatalogRecord.columns.split(separator: ", ").map { "c.\($0)" }.joined(separator: ", "))
      FROM account AS a JOIN catalog AS c ON c.account = a.number ORDER BY a.name, c.name
      """)
    var found: [StoredCatalog] = []
    while try rows.step() {
      let stored = StoredCatalog(
        account: try Self.stored(try rows.text(0), AccountID.init(validating:)),
        accountNumber: rows.integer(1),
        name: try Self.stored(try rows.text(2), CatalogName.init(validating:)),
        record: try CatalogRecord(rows, from: 3))
      let isSelected =
        switch selection {
        case .everything: true
        case .account(let account): stored.account == account
        case .catalog(let name, let account): stored.account == account && stored.name == name
        case .validated(let moment): stored.record.stamp.map { $0.validatedAt.wall < moment } ?? false
        case .expired:
          stored.record.stamp != nil
            && (stored.record.policy ?? .standard).decide(stamp: stored.record.stamp, now: now).freshness
              == .expired
        }
      if isSelected { found.append(stored) }
    }
    return found
  }

  /// Makes a name of what a column holds; one that isn't valid was never written.
  static func stored<Name>(
    _ text: String, _ make: (String) throws(CatalogError) -> Name
  ) throws(SQLiteError) -> Name {
    do throws(CatalogError) {
      return try make(text)
    } catch {
      throw SQLiteError(code: SQLiteError.corrupt, message: "a name that is stored isn't one")
    }
  }

  /// Marks catalogs stale, durably: nothing is fresh until an answer begun after this moment.
  package func markStale(_ selection: StoreSelection, now: ClockReading) throws(CatalogError) -> StoreReport {
    try write(.full, now: now) { connection in
      let selected = try catalogs(in: selection, now: now, connection)
      let mark = try nextNumber(connection)
      let update = try connection.prepare(
        "UPDATE catalog SET stale_mark = ?1 WHERE account = ?2 AND name = ?3")
      for catalog in selected {
        try update.bind(1, mark)
        try update.bind(2, catalog.accountNumber)
        try update.bind(3, catalog.name.rawValue)
        try update.run()
      }
      return report(selected)
    }
  }

  /// Discards the rows and stamps of catalogs, durably; the ids given to text identifiers stay theirs.
  package func discard(_ selection: StoreSelection, now: ClockReading) throws(CatalogError) -> StoreReport {
    try write(.full, now: now) { connection in
      let selected = try catalogs(in: selection, now: now, connection)
      for catalog in selected {
        let floor = try nextNumber(connection)
        for sql in [
          """
          INSERT OR REPLACE INTO retired (account, catalog, identifier, id)
          SELECT account, catalog, identifier, id FROM book
          WHERE account = ? AND catalog = ? AND identifier IS NOT NULL
          """,
          "DELETE FROM book WHERE account = ? AND catalog = ?",
          "DELETE FROM confirmation WHERE account = ? AND catalog = ?",
        ] {
          let statement = try connection.prepare(sql)
          try statement.bind(1, catalog.accountNumber)
          try statement.bind(2, catalog.record.number)
          try statement.run()
        }
        let update = try connection.prepare(
          """
          UPDATE catalog SET version = ?1, floor = ?1, is_loaded = 0, is_complete = 0, book_count = 0,
            read_seal = 0, rest_seal = 0, validated_begun = NULL, validated_wall = NULL,
            validated_continuous = NULL, validated_boot = NULL, initial_age = NULL, latest_wall_seen = NULL,
            server_lifetime = NULL, server_swr = NULL, server_sie = NULL, must_revalidate = 0, no_cache = 0,
            entity_tag = NULL, last_modified = NULL, validator_scope = NULL, answer_digest = NULL,
            failure_code = NULL, failure_at = NULL
          WHERE account = ?2 AND name = ?3
          """)
        try update.bind(1, floor)
        try update.bind(2, catalog.accountNumber)
        try update.bind(3, catalog.name.rawValue)
        try update.run()
      }
      return report(selected)
    }
  }

  /// Says what a selection names, and changes nothing.
  package func preview(_ selection: StoreSelection, now: ClockReading) throws(CatalogError) -> StoreReport {
    try read { connection, _ in report(try catalogs(in: selection, now: now, connection)) }
  }

  private func report(_ catalogs: [StoredCatalog]) -> StoreReport {
    StoreReport(
      accounts: Set(catalogs.map(\.accountNumber)).count, catalogs: catalogs.count,
      books: catalogs.reduce(0) { $0 + $1.record.bookCount })
  }
}
