public import CatalogDomain
internal import CatalogStore
internal import Dispatch

/// One database file with the catalogs of every account.
///
/// There is no way to read without an account: ``catalog(_:for:remote:policy:)`` gives a handle that can see
/// one account's catalog and no other's. Two caches of one path in a process share what they have open.
public final class CatalogCache: Sendable {
  /// How a cache is opened.
  public struct Configuration: Sendable {
    /// What may be done with the database.
    public enum Access: Hashable, Sendable {
      /// It is read and written, and made if it isn't there.
      case readWrite
      /// It is only read: nothing in its folder changes, not even a side file.
      case readOnly
    }

    /// What becomes of a file that can't be read as a database.
    public enum Unreadable: Hashable, Sendable {
      /// Opening fails.
      case fail
      /// It is moved away, with its log, and kept; a new one is made.
      case setAsideAndRebuild
    }

    /// What may be done with the database.
    public var access: Access
    /// How long a write waits for another process.
    public var busyTimeout: Duration
    /// What becomes of a file that can't be read.
    public var unreadable: Unreadable
    /// How many bytes of books are kept in memory, about; it also bounds an answer that may not be stored.
    public var memoryLimitInBytes: Int
    /// Where time comes from.
    public var clock: any WallClock
    /// The reader's languages, best first, as BCP 47 tags, for remotes that have titles in several.
    public var languages: [String]
    /// Told what an app may want to log; called on any thread, and has to return soon.
    public var observe: (@Sendable (CacheEvent) -> Void)?

    /// Creates a configuration: read and write, 5 s, fail, 32 MiB, the system's clocks.
    public init(
      access: Access = .readWrite, busyTimeout: Duration = .seconds(5), unreadable: Unreadable = .fail,
      memoryLimitInBytes: Int = 32 << 20, clock: any WallClock = SystemWallClock(), languages: [String] = [],
      observe: (@Sendable (CacheEvent) -> Void)? = nil
    ) {
      self.access = access
      self.busyTimeout = busyTimeout
      self.unreadable = unreadable
      self.memoryLimitInBytes = memoryLimitInBytes
      self.clock = clock
      self.languages = languages
      self.observe = observe
    }

    var storeOptions: CatalogStore.Options {
      var options = CatalogStore.Options()
      options.access = access == .readOnly ? .readOnly : .readWrite
      options.busyTimeout = busyTimeout
      options.unreadable = unreadable == .fail ? .fail : .setAsideAndRebuild
      options.memoryLimitInBytes = memoryLimitInBytes
      if let observe {
        // Told in order, and from a queue of their own: whoever is told may ask the cache for a new handle, and
        // the store says so while it holds the lock.
        let events = DispatchQueue(label: "OfflineCatalog.events")
        options.observe = { event in
          events.async {
            switch event {
            case .setAside(let path, let reason): observe(.setAside(path: path, reason: reason))
            case .replaced: observe(.replaced)
            case .scrubbed: observe(.scrubbed)
            }
          }
        }
      }
      return options
    }
  }

  let store: CatalogStore
  let configuration: Configuration
  let flights: FlightTable
  private let closing = OnceFlag()

  /// Opens a cache, or makes it.
  ///
  /// - Parameters:
  ///   - path: The file. Its folder exists; beside it there will be `-wal`, `-shm` and `-lock`.
  ///   - configuration: How it is opened.
  /// - Throws: `CatalogError`: `cannotCreate`, `permission`, `notADatabase`, `corrupt`, `tooNew`, `busy`,
  ///   `diskFull`; and for reading only `noSuchDatabase` and `needsMigration`.
  public init(path: String, configuration: Configuration = .init()) throws(CatalogError) {
    self.configuration = configuration
    store = try CatalogStore.open(
      path: path, options: configuration.storeOptions, now: configuration.clock.read())
    flights = FlightTable.shared(for: store)
  }

  private init(inMemory configuration: Configuration) throws(CatalogError) {
    self.configuration = configuration
    store = try CatalogStore.openInMemory(
      options: configuration.storeOptions, now: configuration.clock.read())
    flights = FlightTable.shared(for: store)
  }

  /// Makes a cache in memory, which goes away when it is closed.
  public static func inMemory(configuration: Configuration = .init()) throws(CatalogError) -> CatalogCache {
    try CatalogCache(inMemory: configuration)
  }

  deinit {
    do throws(CatalogError) {
      try close()
    } catch {
      // Nobody is left to be told; the log keeps what wasn't copied, so nothing is lost.
    }
  }

  var languages: [String] { configuration.languages }

  /// The file; nil for a cache in memory.
  public var path: String? { store.path }

  /// Gives a handle to an account's catalog, and registers the account.
  ///
  /// A handle of an account that is forgotten is dead for good; after the next sign-in, ask again.
  ///
  /// - Parameters:
  ///   - name: Which of the account's catalogs.
  ///   - account: Whose.
  ///   - remote: Where the catalog comes from.
  ///   - policy: How old it may be for what; stored with each refresh.
  /// - Throws: `CatalogError`: `invalidPolicy`, `busy`, `diskFull` and the like. Of a cache for reading only:
  ///   `neverLoaded` if the account or the catalog isn't known.
  public func catalog(
    _ name: CatalogName = .main, for account: AccountID, remote: any CatalogFetching,
    policy: FreshnessPolicy = .standard
  ) throws(CatalogError) -> CachedCatalog {
    try policy.validate()
    let key: CatalogKey
    if configuration.access == .readOnly {
      guard let known = try store.knownKey(account, name) else {
        throw CatalogError(
          .neverLoaded, "The cache knows no such account or no such catalog of it; refresh it first.")
      }
      key = known
    } else {
      key = try store.register(account, name, now: configuration.clock.read())
    }
    return CachedCatalog(
      cache: self, key: key, account: account, name: name, remote: remote, policy: policy)
  }

  /// Marks catalogs stale, durably: their rows stay, and nothing is fresh until a refresh begun after this
  /// moment succeeds.
  @discardableResult
  public func markStale(_ selection: CacheSelection) async throws(CatalogError) -> InvalidationReport {
    try await invalidate { store, now throws(CatalogError) in
      try store.markStale(selection.stored, now: now)
    }
  }

  /// Discards the rows and stamps of catalogs, durably: their handles live on and say `neverLoaded`.
  @discardableResult
  public func discard(_ selection: CacheSelection) async throws(CatalogError) -> InvalidationReport {
    try await invalidate { store, now throws(CatalogError) in
      try store.discard(selection.stored, now: now)
    }
  }

  /// Says what an invalidation of a selection would touch, and changes nothing.
  public func preview(_ selection: CacheSelection) throws(CatalogError) -> InvalidationReport {
    InvalidationReport(try store.preview(selection.stored, now: configuration.clock.read()))
  }

  /// Signs an account out: its handles are revoked, durably, and then its bytes leave the disk.
  ///
  /// Revocation comes first: whatever happens next, nobody reads or writes the account through an old handle.
  /// The promise is that no byte of the account is in any named file of the folder; not promised are files
  /// without a name, freed blocks of the disk, backups and memory.
  ///
  /// - Throws: `CatalogError`: with code `bytesRemain` the account is revoked, but some of its bytes are still
  ///   on disk; ``scrub()`` or the next write tries again. With any other code nothing has happened.
  @discardableResult
  public func forget(_ account: AccountID) async throws(CatalogError) -> InvalidationReport {
    let report = try await invalidate { store, now throws(CatalogError) in
      try store.revoke(account, now: now)
    }
    try await scrub()
    return report
  }

  /// Erases the bytes of forgotten accounts that are still on disk.
  ///
  /// - Throws: `CatalogError` with code `bytesRemain` that says where, if something is in the way.
  public func scrub() async throws(CatalogError) {
    let clock = configuration.clock
    try await store.inBackground { [store] () throws(CatalogError) in try store.erase(now: clock.read()) }
  }

  private func invalidate(
    _ body: @escaping @Sendable (CatalogStore, ClockReading) throws(CatalogError) -> StoreReport
  ) async throws(CatalogError) -> InvalidationReport {
    let clock = configuration.clock
    let report = try await store.inBackground { [store] () throws(CatalogError) in
      try body(store, clock.read())
    }
    return InvalidationReport(report)
  }

  /// Returns what is known of the cache and of the catalogs that a selection names.
  public func inspect(_ selection: CacheSelection = .everything) throws(CatalogError) -> CacheInspection {
    let now = configuration.clock.read()
    return CacheInspection(try store.inspect(selection.stored, now: now), now: now)
  }

  /// Checks the cache; what it finds is in the report, and is no error.
  public func verify(_ depth: VerificationDepth = .quick) throws(CatalogError) -> VerificationReport {
    do throws(CatalogError) {
      return VerificationReport(
        try store.verify(isFull: depth == .full, now: configuration.clock.read()))
    } catch {
      // A file that is too damaged to be checked is a finding like another.
      guard error.code == .corrupt else { throw error }
      return VerificationReport(problems: [error.message])
    }
  }

  /// Lets go of the file until ``resume()``, so that a suspended app holds no lock on it.
  ///
  /// Reads are unavailable meanwhile, and writes fail with code `locked`. A refresh that is under way keeps the
  /// file open until it ends; it stores nothing.
  public func suspend() {
    store.suspend(now: configuration.clock.read())
  }

  /// Uses the file again.
  public func resume() {
    store.resume()
  }

  /// Lets go of what is kept in memory.
  public func releaseMemory() {
    store.releaseMemory()
  }

  /// Closes the cache; the last cache of a path empties the log into the database.
  ///
  /// Closing again does nothing.
  ///
  /// - Throws: `CatalogError` if the log couldn't be emptied; nothing is lost, and the cache is closed.
  public func close() throws(CatalogError) {
    guard closing.set() else { return }
    try store.leave(now: configuration.clock.read())
  }
}
