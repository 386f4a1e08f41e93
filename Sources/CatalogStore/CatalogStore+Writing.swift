package import CatalogDomain
internal import CatalogSQLite

/// How sure a commit has to be (sqlite.org/pragma.html#pragma_synchronous).
package enum Durability: Sendable {
  /// It survives a crash of the program; a power cut may undo it, never half of it.
  case normal
  /// It survives a power cut.
  case full
}

/// The cache's turn, held: the lock of a file, or the gate of a database in memory.
struct Turn: ~Copyable {
  private let hold: FileLock.Hold?
  private let gate: FairGate?

  init(_ hold: consuming FileLock.Hold) {
    self.hold = consume hold
    gate = nil
  }

  init(_ gate: FairGate) {
    hold = nil
    self.gate = gate
  }

  deinit { gate?.leave() }

  /// Wakes those who watch the lock file.
  func announce() {
    var generator = SystemRandomNumberGenerator()
    switch hold {
    case .some(let hold): hold.announce(generator.next())
    case .none: return
    }
  }
}

extension CatalogStore {
  /// A log longer than this is copied into the database after a commit.
  private static let longLogInBytes: Int64 = 4 << 20

  /// Waits for the turn and does something in it that isn't one transaction of the writer.
  func exclusively<Result>(_ body: (borrowing Turn) throws -> Result) throws -> Result {
    if let lock {
      let turn = Turn(try lock.hold(.exclusive, waitingAtMost: options.busyTimeout))
      return try body(turn)
    }
    guard memoryGate.enter(waitingAtMost: options.busyTimeout) else { throw FileLock.Failure.busy }
    return try body(Turn(memoryGate))
  }

  /// Runs one write transaction: the turn, `BEGIN IMMEDIATE`, the schema's version, the body, the commit.
  ///
  /// - Parameters:
  ///   - durability: How sure the commit has to be.
  ///   - connection: The connection to use; nil for the writer.
  ///   - finishesScrub: Whether bytes of forgotten accounts that are still there are erased afterwards.
  ///   - now: What the clocks say, for a database that has to be made anew.
  ///   - body: Reads and writes. If it throws, nothing is written.
  func write<Result>(
    _ durability: Durability = .normal, on connection: ConnectionBox? = nil, finishesScrub: Bool = true,
    now: ClockReading, _ body: (borrowing Connection) throws -> Result
  ) throws(CatalogError) -> Result {
    guard options.access == .readWrite else {
      throw CatalogError(
        .permission, "The catalog cache \(location.display) was opened for reading only; open it for writing."
      )
    }
    let result: Result
    var needsScrub = false
    do {
      result = try exclusively { turn in
        try checkOpen()
        let box = try connection ?? currentWriter(now: now)
        if connection != nil, try box.hasMoved(from: location) { throw CatalogError.replaced(location) }
        let result = try transact(durability, on: box.connection) { connection in
          let result = try body(connection)
          needsScrub = try finishesScrub && connection.number("SELECT scrub FROM meta") != 0
          return result
        }
        turn.announce()
        copyLongLog(by: box.connection)
        return result
      }
    } catch {
      throw noting(CatalogError(error, doing: "write to", location))
    }
    changes.signal()
    if needsScrub { finishPendingScrub(now: now) }
    return result
  }

  /// Copies a log that has grown long into the database.
  private func copyLongLog(by connection: borrowing Connection) {
    guard let log = location.logPath else { return }
    do {
      guard try FileSystem.attributes(log)?.sizeInBytes ?? 0 > Self.longLogInBytes else { return }
      _ = try connection.checkpoint(.passive)
    } catch {
      // What was written is committed, and whoever wrote it must not be told otherwise. A full disk or a reader in
      // an old snapshot may be in the way; the next commit tries again.
    }
  }

  private func transact<Result>(
    _ durability: Durability, on connection: borrowing Connection,
    _ body: (borrowing Connection) throws -> Result
  ) throws -> Result {
    // `synchronous` can't be changed inside a transaction.
    if durability == .full { try connection.execute("PRAGMA synchronous = FULL; PRAGMA fullfsync = 1") }
    defer {
      if durability == .full {
        do {
          try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA fullfsync = 0")
        } catch {
          // Staying at FULL costs time, nothing else.
        }
      }
    }
    var transaction = try connection.begin(.write)
    try checkVersion(connection)
    let result = try body(connection)
    try transaction.commit()
    return result
  }

  /// Returns the writer, opened anew if the file was moved, replaced, or has to be rebuilt.
  ///
  /// The caller has the turn.
  func currentWriter(now: ClockReading) throws -> ConnectionBox {
    // Asked with the turn held: an erasure takes many turns, and the cache may be suspended between two of them.
    try checkOpen()
    let mustRebuild = options.unreadable == .setAsideAndRebuild && life.withLock { $0.isDamaged }
    if !mustRebuild, let box = writer.withLock({ $0 }) {
      if try !box.hasMoved(from: location) { return box }
      options.observe?(.replaced)
    }
    letGo()
    let box = try openOrSetAside(now: now)
    writer.withLock { $0 = box }
    return box
  }

  /// Lets go of every connection, without a checkpoint.
  func letGo() {
    writer.withLock { $0 = nil }
    readers.drain()
    memory.removeAll()
  }

  /// Remembers that the file is damaged, for the next write.
  func noting(_ error: CatalogError) -> CatalogError {
    if error.code == .corrupt, error.cause is SQLiteError { life.withLock { $0.isDamaged = true } }
    return error
  }

  /// Draws the next number, which no other decision in this database has or will have.
  func nextNumber(_ connection: borrowing Connection) throws -> Int64 {
    guard let number = try connection.number("UPDATE meta SET seq = seq + 1 WHERE one = 1 RETURNING seq")
    else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "meta has no row")
    }
    return number
  }

  /// Notes the wall time with every catalog that is loaded, so that a clock set back across a reboot is noticed.
  func noteWallTime(_ now: ClockReading, _ connection: borrowing Connection) throws {
    let note = try connection.prepare(
      """
      UPDATE catalog SET latest_wall_seen = ?1
      WHERE is_loaded = 1 AND (latest_wall_seen IS NULL OR latest_wall_seen < ?1 - 30000)
      """)
    try note.bind(1, now.wall.millisecondsSinceEpoch)
    try note.run()
  }

  /// Gives up one use of the store; the last one empties the log into the database and closes it.
  package func leave(now: ClockReading) throws(CatalogError) {
    let isLast = life.withLock { life in
      life.users -= 1
      // At once: who opens the path from here on has to have a store of their own.
      if life.users == 0 { life.state = .closed }
      return life.users == 0
    }
    guard isLast else { return }
    defer {
      letGo()
      // Handles may keep a closed store for long; the system has few watches to give.
      changes.stopWatching()
      changes.signal()
    }
    guard options.access == .readWrite, location.isFile else { return }
    try settle(now: now)
  }

  /// Lets go of the file until `resume()`, so that a suspended process holds no lock on it.
  package func suspend(now: ClockReading) {
    let wasOpen = life.withLock { life in
      guard life.state == .open else { return false }
      life.state = .suspended
      return true
    }
    guard wasOpen else { return }
    if options.access == .readWrite, location.isFile {
      do throws(CatalogError) {
        try settle(now: now)
      } catch {
        // The log keeps what wasn't copied; nothing is lost.
      }
      letGo()
    }
  }

  /// Uses the file again.
  package func resume() {
    life.withLock { if $0.state == .suspended { $0.state = .open } }
    changes.signal()
  }

  private func settle(now: ClockReading) throws(CatalogError) {
    do {
      try exclusively { _ in
        guard let box = writer.withLock({ $0 }), try !box.hasMoved(from: location) else { return }
        // Idle readers would keep the log from being emptied only inside a transaction, and they are in none.
        if try box.connection.number("SELECT count(*) FROM catalog WHERE is_loaded = 1") ?? 0 > 0 {
          try transact(.normal, on: box.connection) { try noteWallTime(now, $0) }
        }
        // A reader in an old snapshot, of another process, may be in the way for as long as it likes, and an app
        // that is about to be suspended has no time: then the log stays, and whoever writes next copies it.
        box.connection.setBusyTimeout(.milliseconds(50))
        defer { box.connection.setBusyTimeout(options.busyTimeout) }
        _ = try box.connection.checkpoint(.truncate)
      }
    } catch {
      throw CatalogError(error, doing: "close", location)
    }
  }

  /// Lets go of what is kept in memory.
  package func releaseMemory() {
    memory.removeAll()
    readers.drain()
  }
}
