package import CatalogDomain
internal import CatalogSQLite

extension CatalogStore {
  /// Registers an account and one of its catalogs, if they aren't yet, and returns the handle's identity.
  ///
  /// The account's number is drawn anew after a sign-out, so a handle from before it is another account's.
  package func register(
    _ account: AccountID, _ catalog: CatalogName, now: ClockReading
  ) throws(CatalogError) -> CatalogKey {
    if let known = try knownKey(account, catalog) { return known }
    return try write(now: now) { connection in
      let number: Int64
      if let known = try accountNumber(account, connection) {
        number = known
      } else {
        number = try nextNumber(connection)
        let insert = try connection.prepare("INSERT INTO account (number, name) VALUES (?, ?)")
        try insert.bind(1, number)
        try insert.bind(2, account.rawValue)
        try insert.run()
      }
      if try !hasCatalog(number, catalog, connection) {
        let catalogNumber = try nextNumber(connection)
        let insert = try connection.prepare(
          """
          INSERT INTO catalog (account, name, number, version, next_text_id) VALUES (?1, ?2, ?3, ?3, ?4)
          """)
        try insert.bind(1, number)
        try insert.bind(2, catalog.rawValue)
        try insert.bind(3, catalogNumber)
        try insert.bind(4, Int64(CatalogEntry.reservedIDs.lowerBound))
        try insert.run()
      }
      return CatalogKey(
        account: AccountKey(instance: try instance(connection), number: number), name: catalog)
    }
  }

  /// Returns the identity of an account's catalog if both are registered; never writes.
  package func knownKey(
    _ account: AccountID, _ catalog: CatalogName
  ) throws(CatalogError) -> CatalogKey? {
    do {
      return try read { connection, _ in
        guard let number = try accountNumber(account, connection),
          try hasCatalog(number, catalog, connection)
        else { return nil }
        return CatalogKey(
          account: AccountKey(instance: try instance(connection), number: number), name: catalog)
      }
    } catch {
      // What was replaced or damaged is made anew by the write that follows.
      guard options.access == .readWrite, [.replaced, .corrupt, .notADatabase].contains(error.code) else {
        throw error
      }
      return nil
    }
  }

  func instance(_ connection: borrowing Connection) throws -> String {
    let meta = try connection.prepare("SELECT instance FROM meta")
    guard try meta.step() else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "meta has no row")
    }
    return try meta.text(0)
  }

  func accountNumber(_ account: AccountID, _ connection: borrowing Connection) throws -> Int64? {
    let find = try connection.prepare("SELECT number FROM account WHERE name = ?")
    try find.bind(1, account.rawValue)
    guard try find.step() else { return nil }
    let number = find.integer(0)
    // The index has said it; whose number it is, the row has to say, since an account's rows hang on it.
    let confirm = try connection.prepare("SELECT name FROM account WHERE number = ?")
    try confirm.bind(1, number)
    guard try confirm.step(), try Self.stored(confirm.text(0), AccountID.init(validating:)) == account else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "the index on accounts isn't that of the rows")
    }
    return number
  }

  private func hasCatalog(
    _ account: Int64, _ catalog: CatalogName, _ connection: borrowing Connection
  ) throws -> Bool {
    let find = try connection.prepare("SELECT 1 FROM catalog WHERE account = ? AND name = ?")
    try find.bind(1, account)
    try find.bind(2, catalog.rawValue)
    return try find.step()
  }
}
