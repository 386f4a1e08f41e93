package import CatalogDomain
internal import CatalogSQLite

/// An account as one database knows it: the database's instance, and a number that is never used again.
package struct AccountKey: Hashable, Sendable {
  package let instance: String
  package let number: Int64
}

/// One catalog of one account, as a handle remembers it.
package struct CatalogKey: Hashable, Sendable {
  package let account: AccountKey
  package let name: CatalogName

  package init(account: AccountKey, name: CatalogName) {
    self.account = account
    self.name = name
  }
}

/// What is stored of a catalog beside its books.
package struct CatalogRecord: Sendable {
  package let number: Int64
  package let version: Int64
  package let floor: Int64
  package let answered: Int64
  package let staleMark: Int64
  package let isLoaded: Bool
  package let isComplete: Bool
  package let bookCount: Int
  let seal: RowSeal
  package let nextTextID: Int64
  package let stamp: CatalogStamp?
  package let validators: FetchValidators?
  package let digest: String?
  package let failure: CatalogStatus.Failure?
  package let policy: FreshnessPolicy?

  /// A number that rises with each change, the marks of invalidations included.
  package var revision: UInt64 { UInt64(clamping: max(version, staleMark, floor)) }

  static let largestCount: Int64 = 1 << 40

  static let columns = """
    number, version, floor, answered, stale_mark, is_loaded, is_complete, book_count, read_seal, rest_seal, \
    next_text_id, validated_begun, validated_wall, validated_continuous, validated_boot, initial_age, \
    latest_wall_seen, server_lifetime, server_swr, server_sie, must_revalidate, no_cache, entity_tag, \
    last_modified, answer_digest, failure_code, failure_at, policy_lifetime, policy_swr, policy_sie, \
    policy_within_from, policy_within_to, policy_is_relaxed, policy_tolerance, \
    validator_scope
    """

  /// Reads a row of `columns`, which begin at a column.
  init(_ row: borrowing Statement, from first: Int32 = 0) throws(SQLiteError) {
    number = row.integer(first)
    version = row.integer(first + 1)
    floor = row.integer(first + 2)
    answered = row.integer(first + 3)
    staleMark = row.integer(first + 4)
    isLoaded = row.bool(first + 5)
    isComplete = row.bool(first + 6)
    // A count that can't be right must not trap a sum; it doesn't match its rows in any case.
    bookCount = Int(min(max(0, row.integer(first + 7)), Self.largestCount))
    seal = RowSeal(
      read: UInt64(bitPattern: row.integer(first + 8)), rest: UInt64(bitPattern: row.integer(first + 9)))
    nextTextID = row.integer(first + 10)
    if isLoaded {
      var stamp = CatalogStamp(
        validatedAt: ClockReading(
          wall: Timestamp(millisecondsSinceEpoch: row.integer(first + 12)),
          continuous: .nanoseconds(row.integer(first + 13)), boot: try row.optionalText(first + 14)),
        initialAge: .milliseconds(row.integer(first + 15)),
        directives: ServerFreshness(
          lifetime: row.optionalInteger(first + 17).map { .milliseconds($0) },
          staleWhileRevalidate: row.optionalInteger(first + 18).map { .milliseconds($0) },
          staleIfError: row.optionalInteger(first + 19).map { .milliseconds($0) },
          mustRevalidate: row.bool(first + 20), noCache: row.bool(first + 21)),
        isMarkedStale: row.integer(first + 11) < row.integer(first + 4))
      stamp.latestWallSeen = row.optionalInteger(first + 16).map { Timestamp(millisecondsSinceEpoch: $0) }
      self.stamp = stamp
    } else {
      stamp = nil
    }
    validators = FetchValidators(
      entityTag: try row.optionalText(first + 22), lastModified: try row.optionalText(first + 23),
      scope: try row.optionalText(first + 34))
    digest = try row.optionalText(first + 24)
    if let name = try row.optionalText(first + 25) {
      failure = CatalogStatus.Failure(
        // A code that a newer version invented is still a failure.
        code: CatalogError.Code(name: name) ?? .unavailable,
        at: Timestamp(millisecondsSinceEpoch: row.integer(first + 26)))
    } else {
      failure = nil
    }
    if let lifetime = row.optionalInteger(first + 27) {
      var policy = FreshnessPolicy()
      policy.lifetime = .milliseconds(lifetime)
      policy.staleWhileRevalidate = .milliseconds(row.integer(first + 28))
      policy.staleIfError = .milliseconds(row.integer(first + 29))
      if let from = row.optionalInteger(first + 30), let to = row.optionalInteger(first + 31), from <= to {
        policy.serverLifetimes = .honoured(within: .milliseconds(from) ... .milliseconds(to))
      } else {
        policy.serverLifetimes = .ignored
      }
      policy.serverProhibitions = row.bool(first + 32) ? .relaxedOffline : .obeyed
      policy.futureTolerance = .milliseconds(row.integer(first + 33))
      self.policy = policy
    } else {
      policy = nil
    }
  }
}

extension FreshnessPolicy {
  static let assignments = """
    policy_lifetime = ?, policy_swr = ?, policy_sie = ?, policy_within_from = ?, policy_within_to = ?, \
    policy_is_relaxed = ?, policy_tolerance = ?
    """

  /// Binds the parameters of `assignments`, which begin at one of them.
  func bind(to statement: borrowing Statement, from first: Int32) throws(SQLiteError) {
    try statement.bind(first, lifetime.wholeMilliseconds)
    try statement.bind(first + 1, staleWhileRevalidate.wholeMilliseconds)
    try statement.bind(first + 2, staleIfError.wholeMilliseconds)
    switch serverLifetimes {
    case .ignored:
      try statement.bindNull(first + 3)
      try statement.bindNull(first + 4)
    case .honoured(let bounds):
      try statement.bind(first + 3, bounds.lowerBound.wholeMilliseconds)
      try statement.bind(first + 4, bounds.upperBound.wholeMilliseconds)
    }
    try statement.bind(first + 5, serverProhibitions == .relaxedOffline)
    try statement.bind(first + 6, futureTolerance.wholeMilliseconds)
  }
}

extension FetchHead {
  static let assignments = """
    initial_age = ?, server_lifetime = ?, server_swr = ?, server_sie = ?, must_revalidate = ?, no_cache = ?
    """

  /// Binds the parameters of `assignments`, which begin at one of them.
  func bind(to statement: borrowing Statement, from first: Int32) throws(SQLiteError) {
    try statement.bind(first, initialAge.wholeMilliseconds)
    try statement.bind(first + 1, freshness.lifetime?.wholeMilliseconds)
    try statement.bind(first + 2, freshness.staleWhileRevalidate?.wholeMilliseconds)
    try statement.bind(first + 3, freshness.staleIfError?.wholeMilliseconds)
    try statement.bind(first + 4, freshness.mustRevalidate)
    try statement.bind(first + 5, freshness.noCache)
  }
}

extension Duration {
  /// The span in whole nanoseconds; saturates.
  var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
