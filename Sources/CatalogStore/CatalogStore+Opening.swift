package import CatalogDomain
internal import CatalogMigrations
internal import CatalogSQLite

extension CatalogStore {
  /// "OCat", so that another program's database isn't taken for ours (sqlite.org/pragma.html#pragma_application_id).
  static let applicationID: Int64 = 0x4F43_6174

  private final class WeakStore: Sendable {
    private let reference: Lock<() -> CatalogStore?>
    init(_ store: CatalogStore) {
      weak let weakly = store
      reference = Lock { weakly }
    }
    var store: CatalogStore? { reference.withLock { $0() } }
  }

  /// A path that was opened for writing in this process: two opens of it come one after the other, and
  /// share one store, its lock and its turn.
  ///
  /// A place is small, and stays.
  private final class Place: Sendable {
    let opening = FairGate()
    let store = Lock<WeakStore?>(nil)
  }

  private static let places = Lock<[String: Place]>([:])

  private static func place(_ path: String) -> Place {
    places.withLock { places in
      if let known = places[path] { return known }
      let made = Place()
      places[path] = made
      return made
    }
  }

  /// Opens the database of a path, or shares the one that is open in this process already.
  ///
  /// - Throws: `CatalogError`: what is wrong with the file, its folder or its lock.
  package static func open(
    path: String, options: Options, now: ClockReading
  ) throws(CatalogError) -> CatalogStore {
    guard Connection.libraryVersion >= 3_037_000 else {
      throw CatalogError(
        .ioError, "SQLite \(Connection.libraryVersion) is too old; this library needs 3.37.0 (3037000).")
    }
    let location = try StoreLocation.resolving(path, whichIsMade: options.access == .readWrite)
    let store: CatalogStore
    switch options.access {
    case .readOnly:
      store = CatalogStore(location: location, options: options, lock: nil)
      // A mistyped path, a folder or a file of another program is said at once, not at the first read.
      try store.read(doing: "open") { _, _ in }
      _ = store.join(options.access)
    case .readWrite:
      let place = place(location.path)
      guard place.opening.enter(waitingAtMost: options.busyTimeout) else {
        throw CatalogError(lock: .busy, doing: "open", location)
      }
      defer { place.opening.leave() }
      if let shared = place.store.withLock({ $0?.store }), shared.join(options.access) { return shared }
      store = try openForWriting(location, options, now)
      _ = store.join(options.access)
      place.store.withLock { $0 = WeakStore(store) }
    }
    if options.access == .readWrite { store.finishPendingScrub(now: now) }
    return store
  }

  private static func openForWriting(
    _ location: StoreLocation, _ options: Options, _ now: ClockReading
  ) throws(CatalogError) -> CatalogStore {
    do {
      // Looked at before anything is made beside it.
      if let file = try FileSystem.attributes(location.path), !file.isRegularFile {
        throw CatalogError(
          .notADatabase, "Unable to open \(location.display): it isn't a file; give the path of a cache.")
      }
      let lock = try FileLock(path: location.path + "-lock", mayCreate: true)
      let store = CatalogStore(location: location, options: options, lock: lock)
      try store.exclusively { _ in
        let box = try store.openOrSetAside(now: now)
        store.writer.withLock { $0 = box }
      }
      store.changes.watch(lock.path)
      return store
    } catch {
      throw CatalogError(error, doing: "open", location)
    }
  }

  /// Opens a new database in memory.
  package static func openInMemory(options: Options, now: ClockReading) throws(CatalogError) -> CatalogStore {
    let location = StoreLocation.memory("offline-catalog-\(randomText())")
    let store = CatalogStore(location: location, options: options, lock: nil)
    do {
      try store.exclusively { _ in
        let box = try store.openWriter(now: now)
        store.writer.withLock { $0 = box }
      }
    } catch {
      throw CatalogError(error, doing: "open", location)
    }
    _ = store.join(options.access)
    return store
  }

  /// Counts another user of the store; false if it can't be shared.
  ///
  /// Who asked for reading only must not be able to write through somebody else's store.
  private func join(_ access: Access) -> Bool {
    life.withLock { life in
      guard life.state == .open, access == options.access else { return false }
      life.users += 1
      return true
    }
  }

  static func randomText() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Opens the file for writing; if it can't be read and that is configured, moves it away and makes another.
  func openOrSetAside(now: ClockReading) throws -> ConnectionBox {
    let isDamaged = life.withLock { life in
      defer { life.isDamaged = false }
      return life.isDamaged
    }
    if isDamaged, options.unreadable == .setAsideAndRebuild {
      return try rebuild(
        because: CatalogError(.corrupt, "The catalog cache \(location.display) is damaged."), now: now)
    }
    do {
      return try openWriter(now: now)
    } catch {
      let reason = CatalogError(error, doing: "open", location)
      guard options.unreadable == .setAsideAndRebuild, [.corrupt, .notADatabase].contains(reason.code),
        try FileSystem.attributes(location.path)?.isRegularFile == true
      else { throw reason }
      return try rebuild(because: reason, now: now)
    }
  }

  /// Moves the file away and makes another, which owes the erasure that the old one owed.
  private func rebuild(because reason: CatalogError, now: ClockReading) throws -> ConnectionBox {
    readers.drain()
    writer.withLock { $0 = nil }
    let owesErasure = oldFileOwesErasure()
    try setAside(because: reason)
    let box = try openWriter(now: now)
    if owesErasure {
      var transaction = try box.connection.begin(.write)
      try oweErasure(box.connection)
      try transaction.commit()
    }
    return box
  }

  private func oldFileOwesErasure() -> Bool {
    do {
      let box = try openConnection(busyTimeout: options.busyTimeout)
      return try box.connection.number("SELECT scrub FROM meta") ?? 0 != 0
    } catch {
      // Of a file that can't be read at all nobody knows; the next sign-out erases it in any case.
      return false
    }
  }

  /// Moves a database that can't be read away, with the files beside it.
  ///
  /// The caller holds the lock.
  private func setAside(because reason: CatalogError) throws {
    readers.drain()
    writer.withLock { $0 = nil }
    memory.removeAll()
    var number = 1
    while try FileSystem.attributes("\(location.path)\(Self.setAsideMark)\(number)") != nil { number += 1 }
    let target = "\(location.path)\(Self.setAsideMark)\(number)"
    // The database goes first: a crash between leaves a log without its database, which is removed before a new
    // one is made. The other way round an older state would be opened, without what only the log knows: a
    // sign-out, perhaps.
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try FileSystem.move(location.path + suffix, to: target + suffix)
    }
    options.observe?(.setAside(path: target, reason: reason))
  }

  static let setAsideMark = "-set-aside-"

  /// The files that were set aside, by path.
  func setAsideFiles() throws -> [String] {
    guard let folder = location.folder else { return [] }
    return try FileSystem.names(inFolder: folder.path)
      .filter { $0.hasPrefix(folder.name + Self.setAsideMark) }
      .sorted().map { "\(folder.path)/\($0)" }
  }

  /// Opens the database for writing, making and migrating it as need be.
  ///
  /// The caller holds the lock.
  func openWriter(now: ClockReading) throws -> ConnectionBox {
    if location.isFile, try FileSystem.attributes(location.path) == nil {
      // Made before any connection opens it, so that nobody else can read it, nor the files beside it, which
      // take its mode.
      try removeLeftovers()
      do throws(FileSystemError) {
        try FileSystem.createExclusively(location.path)
      } catch {
        throw CatalogError(fileSystem: error, doing: "create", location.path)
      }
    }
    if location.isFile, try FileSystem.attributes(location.path)?.isDirectory == true {
      throw CatalogError(
        .notADatabase, "Unable to open \(location.display): it is a folder; give the path of a file in it.")
    }
    if try isLogOfAnotherFile() { try removeLeftovers() }
    let box = try openConnection(busyTimeout: options.busyTimeout)
    try prepare(box.connection, now: now)
    try box.noteLog(of: location)
    if location.isFile, let file = try FileSystem.attributes(location.path) {
      let log = try location.logIdentity
      pair.withLock { $0 = FilePair(database: file.identity, log: log) }
    }
    return box
  }

  /// Whether the file was replaced, but the log beside it is still the one of the file before it.
  ///
  /// SQLite would take it for the new file's, and the rows that were in it would come back.
  func isLogOfAnotherFile() throws(FileSystemError) -> Bool {
    guard let pair = pair.withLock({ $0 }), let log = pair.log else { return false }
    guard try FileSystem.attributes(location.path)?.identity != pair.database else { return false }
    return try location.logIdentity == log
  }

  /// A log without its database would be taken for the new database's.
  private func removeLeftovers() throws {
    for path in [location.logPath, location.sharedMemoryPath, location.journalPath] {
      if let path { try FileSystem.remove(path) }
    }
  }

  func openConnection(busyTimeout: Duration) throws(SQLiteError) -> ConnectionBox {
    let connection = try Connection(
      path: location.path, mode: location.isFile ? .readWrite : .memory, busyTimeout: busyTimeout)
    try connection.execute("PRAGMA synchronous = NORMAL")
    return ConnectionBox(connection)
  }

  private func useLog(_ connection: borrowing Connection) throws {
    let mode = try connection.prepare("PRAGMA journal_mode = WAL")
    guard try mode.step(), try mode.text(0) == "wal" else {
      throw CatalogError(
        .ioError,
        "The catalog cache \(location.display) is on a file system where processes can't share memory, which its "
          + "log needs; put it on a local disk.")
    }
  }

  private func prepare(_ connection: borrowing Connection, now: ClockReading) throws {
    let version = Int(try connection.number("PRAGMA user_version") ?? 0)
    let program = try connection.number("PRAGMA application_id") ?? 0
    if program != Self.applicationID {
      let tables = try connection.number("SELECT count(*) FROM sqlite_schema") ?? 0
      guard program == 0, version == 0, tables == 0 else {
        throw CatalogError(
          .notADatabase,
          "Unable to open the catalog cache \(location.display): the file is another program's database; "
            + "give the path of a cache.")
      }
    }
    if version > MigrationRegister.latestVersion { try checkVersion(connection) }
    if location.isFile { try useLog(connection) }
    for migration in MigrationRegister.all where migration.version > version {
      var transaction = try connection.begin(.write)
      try connection.execute(migration.sql)
      if migration.version == 1 {
        let meta = try connection.prepare("INSERT INTO meta (one, instance, seq, scrub) VALUES (1, ?, 0, 0)")
        try meta.bind(1, Self.randomText())
        try meta.run()
      }
      let record = try connection.prepare(
        "INSERT INTO migration (version, name, applied_at) VALUES (?, ?, ?)")
      try record.bind(1, Int64(migration.version))
      try record.bind(2, migration.fileName)
      try record.bind(3, now.wall.millisecondsSinceEpoch)
      try record.run()
      try connection.execute("PRAGMA application_id = \(Self.applicationID)")
      try connection.execute("PRAGMA user_version = \(migration.version)")
      try transaction.commit()
    }
  }
}
