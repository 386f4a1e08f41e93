package import CatalogDomain
internal import CatalogSQLite

extension CatalogStore {
  /// Returns the ids by which a catalog calls, or will call, what its remote calls so.
  ///
  /// A text that was never met gets the next id now, kept beside those of books that are gone: a refresh that
  /// brings the book gives it that id. Nil where there can be none: for one of the store's own integers, and for
  /// a new text if the database is open for reading only.
  package func ids(
    of key: CatalogKey, _ identifiers: [CatalogEntry.Identifier], now: ClockReading
  ) throws(CatalogError) -> [Int?] {
    let known = try read { connection, _ in
      let record = try record(of: key, connection)
      return try identifiers.map { try givenID($0, key, record, connection) }
    }
    let isNew = zip(identifiers, known).contains { identifier, id in
      if case .text = identifier { id == nil } else { false }
    }
    guard isNew, options.access == .readWrite else { return known }
    return try write(now: now) { connection in
      let record = try record(of: key, connection)
      var next = record.nextTextID
      let keep = try connection.prepare(
        "INSERT INTO retired (account, catalog, identifier, id) VALUES (?, ?, ?, ?)")
      var new: [[UInt8]: Int] = [:]
      let ids = try identifiers.map { identifier -> Int? in
        if let id = try givenID(identifier, key, record, connection) { return id }
        guard case .text(let text) = identifier else { return nil }
        // By bytes, as SQLite compares.
        if let id = new[Array(text.utf8)] { return id }
        guard next < .max else {
          throw CatalogError(.tooLarge, "The catalog has used up every number for text identifiers.")
        }
        try keep.bind(1, key.account.number)
        try keep.bind(2, record.number)
        try keep.bind(3, text)
        try keep.bind(4, next)
        try keep.run()
        new[Array(text.utf8)] = Int(next)
        next += 1
        return Int(next - 1)
      }
      let update = try connection.prepare(
        "UPDATE catalog SET next_text_id = ? WHERE account = ? AND name = ?")
      try update.bind(1, next)
      try update.bind(2, key.account.number)
      try update.bind(3, key.name.rawValue)
      try update.run()
      return ids
    }
  }

  private func givenID(
    _ identifier: CatalogEntry.Identifier, _ key: CatalogKey, _ record: CatalogRecord,
    _ connection: borrowing Connection
  ) throws -> Int? {
    switch identifier {
    case .number(let number):
      return CatalogEntry.reservedIDs.contains(number) ? nil : number
    case .text(let text):
      for table in ["book", "retired"] {
        let find = try connection.prepare(
          "SELECT id FROM \(table) WHERE account = ? AND catalog = ? AND identifier = ?")
        try find.bind(1, key.account.number)
        try find.bind(2, record.number)
        try find.bind(3, text)
        // An id that was never given to a text can't be one's, whatever a damaged page says.
        if try find.step(), find.integer(0) >= Int64(CatalogEntry.reservedIDs.lowerBound),
          find.integer(0) < record.nextTextID
        {
          return Int(find.integer(0))
        }
      }
      return nil
    }
  }
}
