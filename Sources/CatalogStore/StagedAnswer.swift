package import CatalogDomain
internal import CatalogSQLite

/// An answer on its way in: kept on a connection of its own, in a temporary table, so that no write transaction
/// is open while a remote is waited for.
///
/// Adapters may hand over pages side by side, even when the answer has ended; they are taken one after another,
/// since a connection is used by one thread at a time.
package final class StagedAnswer: Sendable {
  struct State: Sendable {
    var head = FetchHead()
    var books = 0
    var repeated = 0
    var rejectedCount = 0
    var rejected: [RejectedItem] = []
    var hasUnreadableIdentifier = false
    var digest = Digest()
  }

  /// Two chained hashes of everything in the answer, in its order.
  struct Digest: Sendable {
    var first: UInt64 = 1
    var second: UInt64 = 2

    mutating func combine(_ row: RowSeal, isKept: Bool) {
      first = Self.chain(first, row.read, isKept)
      second = Self.chain(second, row.rest, isKept)
    }

    private static func chain(_ digest: UInt64, _ word: UInt64, _ isKept: Bool) -> UInt64 {
      var hasher = SealHasher(seed: digest)
      hasher.combine(word)
      hasher.combine(UInt64(isKept ? 1 : 0))
      return hasher.finalize()
    }

    func text(isComplete: Bool) -> String {
      String(first, radix: 16) + "-" + String(second, radix: 16) + (isComplete ? "" : "-partial")
    }
  }

  /// More rejected items than this are counted, not named.
  package static let namedRejections = 1000

  let box: ConnectionBox
  let state = Lock(State())
  private let store: CatalogStore
  private let gate = FairGate()

  fileprivate init(store: CatalogStore, box: ConnectionBox) {
    self.store = store
    self.box = box
  }

  /// Takes the head of the answer.
  package func begin(_ head: FetchHead) {
    state.withLock { $0.head = head }
  }

  /// How many books and rejected items were taken.
  package var counts: (books: Int, repeated: Int, rejected: Int) {
    state.withLock { ($0.books, $0.repeated, $0.rejectedCount) }
  }

  /// The items that couldn't be taken: the first of them, at most ``namedRejections``.
  package var rejected: [RejectedItem] { state.withLock { $0.rejected } }

  /// Whether an item's identifier couldn't be read, so that nothing may be deleted.
  package var hasUnreadableIdentifier: Bool { state.withLock { $0.hasUnreadableIdentifier } }

  /// What the remote said first.
  package var head: FetchHead { state.withLock { $0.head } }

  /// Adds a page.
  ///
  /// A book met before is counted and dropped: the first wins.
  package func accept(_ page: FetchPage) throws(CatalogError) {
    try exclusively { () throws(CatalogError) in try take(page) }
  }

  /// Uses the connection, with nobody else using it.
  func exclusively<Result>(_ body: () throws(CatalogError) -> Result) throws(CatalogError) -> Result {
    // Each page ahead takes milliseconds, so nobody waits that long.
    guard gate.enter(waitingAtMost: .seconds(3600)) else {
      throw CatalogError(.busy, "An answer is being staged, and its next page has waited for an hour.")
    }
    defer { gate.leave() }
    return try body()
  }

  private func take(_ page: FetchPage) throws(CatalogError) {
    do {
      var transaction = try box.connection.begin(.read)
      var next = state.withLock { $0 }
      if let freshness = page.freshness {
        next.head.tighten(by: freshness, initialAge: page.initialAge)
      }
      let insert = try box.connection.prepare(Self.insertion)
      for entry in page.entries { try add(entry, insert, &next) }
      for item in page.rejected { try add(item, insert, &next) }
      try transaction.commit()
      state.withLock { [next] in $0 = next }
    } catch {
      throw CatalogError(error, doing: "stage an answer beside", store.location)
    }
  }

  private static let columns = BookRow.allColumns + ", keep"
  /// A place that is only kept is given to a book of the same identifier that can be read.
  private static let insertion = """
    INSERT INTO temp.staged (\(columns)) VALUES (\(columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")))
    ON CONFLICT DO UPDATE SET (\(columns)) =
      (\(columns.split(separator: ", ").map { "excluded.\($0)" }.joined(separator: ", ")))
    WHERE keep = 1 AND excluded.keep = 0
    """

  private func add(_ entry: CatalogEntry, _ insert: borrowing Statement, _ state: inout State) throws {
    let row: BookRow
    switch entry.identifier {
    case .number(let number):
      if CatalogEntry.reservedIDs.contains(number) {
        return try add(
          RejectedItem(
            position: "book \(state.books + 1)",
            reason: "its integer identifier is 2^62 or more, which the store keeps for text identifiers"),
          insert, &state)
      }
      row = BookRow(id: Int64(number), entry: entry)
    case .text:
      row = BookRow(id: 0, entry: entry)
    }
    try row.bind(to: insert, from: 1)
    if case .text = entry.identifier { try insert.bindNull(1) }
    try insert.bind(BookRow.columnCount + 1, false)
    try insert.run()
    if box.connection.changes == 0 {
      state.repeated += 1
    } else {
      state.books += 1
    }
    state.digest.combine(row.seal(RowScope(account: 0, catalog: 0)), isKept: false)
  }

  private func add(_ item: RejectedItem, _ insert: borrowing Statement, _ state: inout State) throws {
    state.rejectedCount += 1
    if state.rejected.count < Self.namedRejections { state.rejected.append(item) }
    guard let identifier = item.identifier else {
      state.hasUnreadableIdentifier = true
      return
    }
    var id: Int64 = 0
    if case .number(let number) = identifier {
      // No row can have a number of the store's own by that name, and a book's may be just that one.
      guard !CatalogEntry.reservedIDs.contains(number) else { return }
      id = Int64(number)
    }
    let row = BookRow(id: id, entry: CatalogEntry(identifier: identifier, title: ""))
    try row.bind(to: insert, from: 1)
    if case .text = identifier { try insert.bindNull(1) }
    try insert.bind(BookRow.columnCount + 1, true)
    // The row that it had stays as it was; a good one of the same identifier, before or after, wins.
    try insert.run()
    state.digest.combine(row.seal(RowScope(account: 0, catalog: 0)), isKept: true)
  }
}

extension CatalogStore {
  /// Makes room for an answer.
  package func stage() throws(CatalogError) -> StagedAnswer {
    try checkOpen()
    do {
      let box = try openConnection(busyTimeout: options.busyTimeout)
      try box.connection.execute(
        """
        CREATE TEMP TABLE staged AS SELECT \(BookRow.allColumns), 0 AS keep FROM main.book WHERE 0;
        CREATE UNIQUE INDEX temp.staged_by_id ON staged (id);
        CREATE UNIQUE INDEX temp.staged_by_identifier ON staged (identifier) WHERE identifier IS NOT NULL;
        """)
      try box.noteLog(of: location)
      return StagedAnswer(store: self, box: box)
    } catch {
      throw noting(CatalogError(error, doing: "stage an answer beside", location))
    }
  }
}
