/// A transaction: rolled back when it goes away, unless it was committed.
package struct Transaction: ~Copyable {
  private let handle: ConnectionHandle
  private var isOpen = true

  /// How a transaction begins (sqlite.org/lang_transaction.html).
  package enum Kind: Sendable {
    /// For reading one snapshot.
    case read
    /// For writing. A read transaction that turns into a write can be busy at once, without the busy handler,
    /// so every write begins as one; see sqlite.org/c3ref/busy_handler.html.
    case write
  }

  init(handle: ConnectionHandle, kind: Kind) throws(SQLiteError) {
    self.handle = handle
    let begin = try Statement(handle: handle, sql: kind == .read ? "BEGIN" : "BEGIN IMMEDIATE")
    try begin.run()
  }

  deinit {
    if isOpen { Self.rollback(handle) }
  }

  /// Makes the changes durable as far as the connection's `synchronous` says.
  package mutating func commit() throws(SQLiteError) {
    let commit = try Statement(handle: handle, sql: "COMMIT")
    try commit.run()
    isOpen = false
  }

  private static func rollback(_ handle: ConnectionHandle) {
    // SQLite rolls back by itself after some errors; then there is nothing left to do, and saying so again
    // would be an error of its own. If the rollback fails, closing the connection is what undoes the rest.
    do {
      try Statement(handle: handle, sql: "ROLLBACK").run()
    } catch {
      return
    }
  }
}

extension Connection {
  /// Begins a transaction.
  package func begin(_ kind: Transaction.Kind) throws(SQLiteError) -> Transaction {
    try Transaction(handle: handle, kind: kind)
  }
}
