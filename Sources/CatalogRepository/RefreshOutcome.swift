public import CatalogDomain

/// How a refresh asks.
public enum RefreshMode: Hashable, Sendable {
  /// Only where the policy says that it isn't fresh.
  case ifNeeded
  /// Every time; with validators, so that the answer may be "not modified".
  case always
  /// Every time, and without validators: the whole catalog is fetched. It never joins a refresh that asks less.
  case forced
}

/// How fresh a `load` has to be.
public enum LoadNeed: Hashable, Sendable {
  /// As fresh as the policy asks of what is shown.
  case freshEnough
  /// Fresh; what is stale is refreshed first.
  case fresh
}

/// What a refresh brought.
public enum RefreshOutcome: Sendable {
  /// The rows were compared with the answer, and changed where they differed.
  case updated(RefreshSummary)
  /// What is held is still right; no row was touched.
  case notModified
  /// It is fresh; the remote wasn't asked.
  case notNeeded
  /// A newer decision or answer came first; nothing was written.
  case superseded
  /// The remote forbids keeping its answer, and why.
  case notStored(CatalogError.Code)
}

/// What a refresh did, book by book.
public struct RefreshSummary: Sendable {
  /// How many books are new.
  public var added: Int
  /// How many books changed.
  public var changed: Int
  /// How many books are gone; always 0 unless the answer was complete.
  public var removed: Int
  /// How many books the catalog holds now.
  public var total: Int
  /// How many items repeated a book met before in the same answer; the first won.
  public var repeated: Int
  /// Whether these are all the books there are.
  public var isComplete: Bool
  /// Why the answer isn't complete, as the remote's adapter says; nil if it is.
  public var partialReason: String?
  /// How many items couldn't be taken.
  public var rejectedCount: Int
  /// The items that couldn't be taken: the first thousand.
  public var rejected: [RejectedItem]
}

/// How far a refresh has come.
public struct RefreshProgress: Hashable, Sendable {
  /// Books taken so far.
  public var books: Int
  /// Pages taken so far.
  public var pages: Int
  /// Items that couldn't be taken so far.
  public var rejected: Int
  /// How many books are expected; nil if the remote didn't say.
  public var expectedBooks: Int?
}

/// A change of a loan that the server has accepted.
public enum ConfirmedChange: Hashable, Sendable {
  /// The book with this `id` is on loan, until a moment or without an end.
  case borrowed(id: Int, until: Timestamp?)
  /// The book with this `id` was given back.
  case returned(id: Int)
}

/// Something that happened to a cache that an app may want to log.
@nonexhaustive
public enum CacheEvent: Sendable {
  /// The file couldn't be read, and was moved to a path.
  case setAside(path: String, reason: CatalogError)
  /// The file was moved or replaced while it was open, and is opened anew.
  case replaced
  /// Bytes of forgotten accounts are erased, all of them.
  case scrubbed
  /// A refresh that nobody waits for failed.
  case backgroundRefreshFailed(CatalogError)
}
