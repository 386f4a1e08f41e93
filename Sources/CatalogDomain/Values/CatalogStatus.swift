/// How a catalog stands for its account: what is known, how old it is, and why it is served or not.
public struct CatalogStatus: Hashable, Sendable {
  /// What the cache knows of the catalog.
  @nonexhaustive
  public enum Presence: Hashable, Sendable {
    /// Nothing was ever loaded, or what was loaded has been discarded. It isn't known what the catalog holds.
    case neverLoaded
    /// It was loaded; "loaded, and there are no books" included.
    case loaded
    /// The account was forgotten; this handle is dead for good.
    case revoked
    /// The cache can't be read, and why.
    case unreadable(CatalogError.Code)
  }

  /// A refresh that failed.
  public struct Failure: Hashable, Sendable {
    /// Why it failed.
    public var code: CatalogError.Code
    /// When it failed.
    public var at: Timestamp

    /// Creates a failure.
    public init(code: CatalogError.Code, at: Timestamp) {
      self.code = code
      self.at = at
    }
  }

  /// What the cache knows of the catalog.
  public var presence: Presence
  /// How many books are held; nil unless loaded.
  public var bookCount: Int?
  /// Whether the rows are all the books there are; a partial answer isn't.
  public var isComplete: Bool
  /// When the rows were last found to be right: the moment the request was sent; nil unless loaded.
  public var savedAt: Timestamp?
  /// What the policy decides now, by which rule, and when that changes.
  public var decision: FreshnessDecision
  /// Whether a refresh is under way in this process.
  public var isRefreshing: Bool
  /// The last refresh that failed since one succeeded; nil if none did.
  public var lastFailure: Failure?
  /// A number that rises with each change of the catalog in this database, in whatever process.
  public var revision: UInt64

  /// Whether the last refresh failed because the remote couldn't be reached or was out of order.
  public var isOffline: Bool { lastFailure?.code.isOutage ?? false }

  /// Creates a status.
  public init(
    presence: Presence, bookCount: Int?, isComplete: Bool, savedAt: Timestamp?, decision: FreshnessDecision,
    isRefreshing: Bool, lastFailure: Failure?, revision: UInt64
  ) {
    self.presence = presence
    self.bookCount = bookCount
    self.isComplete = isComplete
    self.savedAt = savedAt
    self.decision = decision
    self.isRefreshing = isRefreshing
    self.lastFailure = lastFailure
    self.revision = revision
  }
}

/// A catalog's books with what is known about them, all of one moment.
public struct CatalogSnapshot: Sendable {
  /// Where the books came from.
  @nonexhaustive
  public enum Origin: Sendable {
    /// They were held already.
    case saved
    /// They were held already, and are served because a refresh failed.
    case savedAfter(CatalogError)
    /// They were just refreshed.
    case refreshed
    /// They were just fetched, and aren't kept; the code says why.
    case notStored(CatalogError.Code)
  }

  /// The books, by ascending `id`; an empty array means "known to be empty".
  public var books: [BookSummary]
  /// How the catalog stood when the books were read.
  public var status: CatalogStatus
  /// Where the books came from.
  public var origin: Origin
  /// Until when the books stay right if nothing but time passes: the next end of a loan, or the moment from
  /// which they may not be served any more; nil if there is none.
  public var validUntil: Timestamp?

  /// Creates a snapshot.
  public init(books: [BookSummary], status: CatalogStatus, origin: Origin, validUntil: Timestamp? = nil) {
    self.books = books
    self.status = status
    self.origin = origin
    self.validUntil = validUntil
  }
}
