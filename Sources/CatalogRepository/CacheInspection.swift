public import CatalogDomain
internal import CatalogStore

/// What is known of a cache, all of one moment.
public struct CacheInspection: Sendable {
  /// One catalog of one account.
  public struct Catalog: Sendable {
    /// Whose it is.
    public var account: AccountID
    /// The number by which the database knows the account; never used again.
    public var accountNumber: Int
    /// Which of the account's catalogs.
    public var name: CatalogName
    /// How it stands, decided by ``policy``.
    public var status: CatalogStatus
    /// When and on what terms it was last right; nil if it was never loaded.
    public var stamp: CatalogStamp?
    /// The policy of its last refresh; the standard one if none was stored.
    public var policy: FreshnessPolicy
    /// Whether the policy came from the database.
    public var isPolicyStored: Bool
    /// What the next refresh asks "has it changed?" with.
    public var validators: FetchValidators?
  }

  /// The file; nil for a cache in memory.
  public var path: String?
  /// What tells this database from one that takes its place.
  public var instance: String
  /// The version of the schema.
  public var schemaVersion: Int
  /// SQLite's version as a number, such as 3040001.
  public var sqliteVersion: Int
  /// The size of the database's file.
  public var databaseSizeInBytes: Int64
  /// The size of its log.
  public var logSizeInBytes: Int64
  /// Whether bytes of forgotten accounts may still be in the files.
  public var isScrubPending: Bool
  /// The files that couldn't be read and were moved away.
  public var setAsidePaths: [String]
  /// The catalogs, by account and name.
  public var catalogs: [Catalog]

  init(_ stored: StoreInspection, now: ClockReading) {
    path = stored.path
    instance = stored.instance
    schemaVersion = stored.schemaVersion
    sqliteVersion = stored.sqliteVersion
    databaseSizeInBytes = stored.databaseBytes
    logSizeInBytes = stored.logBytes
    isScrubPending = stored.isScrubPending
    setAsidePaths = stored.setAside
    catalogs = stored.catalogs.map { catalog in
      let policy = catalog.record.policy ?? .standard
      return Catalog(
        account: catalog.account, accountNumber: Int(catalog.accountNumber), name: catalog.name,
        status: CatalogStatus(catalog.record, policy: policy, now: now, isRefreshing: false),
        stamp: catalog.record.stamp, policy: policy, isPolicyStored: catalog.record.policy != nil,
        validators: catalog.record.validators)
    }
  }
}

/// How thorough a verification is.
public enum VerificationDepth: Hashable, Sendable {
  /// The pages, and every catalog's seal.
  case quick
  /// The indexes against their tables too.
  case full
}

/// What a verification found.
public struct VerificationReport: Sendable {
  /// One sentence for each thing that isn't as it has to be; accounts by number, titles never.
  ///
  /// Empty: all is well.
  public var problems: [String]
  /// How many catalogs were checked.
  public var catalogs: Int
  /// How many books they hold.
  public var books: Int

  init(problems: [String]) {
    self.problems = problems
    catalogs = 0
    books = 0
  }

  init(_ found: StoreVerification) {
    problems = found.problems
    catalogs = found.catalogs
    books = found.books
  }
}

extension CatalogStatus {
  init(_ record: CatalogRecord, policy: FreshnessPolicy, now: ClockReading, isRefreshing: Bool) {
    self.init(
      presence: record.isLoaded ? .loaded : .neverLoaded, bookCount: record.isLoaded ? record.bookCount : nil,
      isComplete: record.isLoaded && record.isComplete, savedAt: record.stamp?.validatedAt.wall,
      decision: policy.decide(stamp: record.stamp, now: now), isRefreshing: isRefreshing,
      lastFailure: record.failure, revision: record.revision)
  }

  /// The status of a catalog about which nothing can be read.
  init(unreadable presence: Presence, policy: FreshnessPolicy, now: ClockReading, isRefreshing: Bool) {
    var decision = policy.decide(stamp: nil, now: now)
    decision.rule = .unreadable
    self.init(
      presence: presence, bookCount: nil, isComplete: false, savedAt: nil, decision: decision,
      isRefreshing: isRefreshing, lastFailure: nil, revision: 0
    )
  }
}
