package import CatalogDomain
internal import CatalogMigrations
internal import CatalogSQLite
internal import Dispatch

/// One database, as everybody in this process who has it open shares it.
///
/// Reads are synchronous and never wait for a writer. Writes take their turn behind the cache's lock
/// (``FileLock``), wait for it to a deadline, and belong off Swift's cooperative threads: ``inBackground(_:)``.
package final class CatalogStore: Sendable {
  /// What may be done with the database.
  package enum Access: Sendable {
    case readWrite
    /// Nothing in the database's folder is changed, not even a side file.
    case readOnly
  }

  /// What becomes of a file that can't be read as a database.
  package enum Unreadable: Sendable {
    case fail
    /// It is given another name, with its log, and a new one is made.
    case setAsideAndRebuild
  }

  /// How a database is opened.
  package struct Options: Sendable {
    package var access = Access.readWrite
    package var busyTimeout = Duration.seconds(5)
    package var unreadable = Unreadable.fail
    package var memoryLimitInBytes = 32 << 20
    package var observe: (@Sendable (StoreEvent) -> Void)?
    package init() {}
  }

  let location: StoreLocation
  let options: Options
  let lock: FileLock?
  /// Stands in for the lock where there is no file.
  let memoryGate = FairGate()
  /// The one connection that writes, used only by whoever holds the lock; nil while there is none.
  let writer = Lock<ConnectionBox?>(nil)
  let readers = ReaderPool()
  /// The file and the log that were last opened for writing: so a log is known that was left by another file.
  let pair = Lock<FilePair?>(nil)
  let memory: BookMemory
  /// Tells that something in the database may have changed.
  package let changes = ChangeHub()
  let attachment = Lock<(any AnyObject & Sendable)?>(nil)
  let life = Lock(Life())
  private let queue = DispatchQueue(label: "OfflineCatalog.store", attributes: .concurrent)

  /// A database with the log that belongs to it.
  struct FilePair: Sendable {
    let database: FileSystem.Identity
    let log: FileSystem.Identity?
  }

  /// Whether the store may be used.
  struct Life: Sendable {
    enum State: Sendable { case open, suspended, closed }
    var state = State.open
    /// Set when the file turned out to be damaged; the next write rebuilds it if that is configured.
    var isDamaged = false
    /// How many have the store open.
    var users = 0
  }

  init(location: StoreLocation, options: Options, lock: FileLock?) {
    self.location = location
    self.options = options
    self.lock = lock
    memory = BookMemory(limitInBytes: options.memoryLimitInBytes)
  }

  /// The path of the file; nil for a database in memory.
  package var path: String? { location.isFile ? location.path : nil }

  /// What may be done with the database.
  package var access: Access { options.access }

  /// Does blocking work on a thread of its own, so that it never holds up Swift's cooperative threads.
  package func inBackground<Result: Sendable>(
    _ body: @escaping @Sendable () throws(CatalogError) -> Result
  ) async throws(CatalogError) -> Result {
    let outcome = await withCheckedContinuation { continuation in
      queue.async {
        // A typed `do` keeps the error's type through the closure.
        do throws(CatalogError) {
          continuation.resume(returning: Swift.Result<Result, CatalogError>.success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try outcome.get()
  }

  func checkOpen() throws(CatalogError) {
    switch life.withLock({ $0.state }) {
    case .open: return
    case .suspended:
      throw CatalogError(.locked, "The catalog cache \(location.display) is suspended; resume it first.")
    case .closed:
      throw CatalogError(.unavailable, "The catalog cache \(location.display) was closed; open it anew.")
    }
  }

  /// Compares the schema's version inside a transaction: a newer program may have migrated the file since.
  func checkVersion(_ connection: borrowing Connection) throws {
    let version = Int(try connection.number("PRAGMA user_version") ?? 0)
    if version > MigrationRegister.latestVersion {
      throw CatalogError(
        .tooNew,
        "The catalog cache \(location.display) has schema \(version), and this program knows up to "
          + "\(MigrationRegister.latestVersion): a newer program wrote it. Update this program.")
    }
    if version < MigrationRegister.latestVersion {
      throw CatalogError(
        .needsMigration,
        "The catalog cache \(location.display) has schema \(version), and this program reads "
          + "\(MigrationRegister.latestVersion): open it once for writing to migrate it.")
    }
  }
}

/// Something that happened to a database that an app may want to log.
package enum StoreEvent: Sendable {
  /// The file couldn't be read, and was moved away.
  case setAside(path: String, reason: CatalogError)
  /// The file was replaced while it was open, and is opened anew.
  case replaced
  /// Bytes of forgotten accounts are erased, all of them.
  case scrubbed
}
