/// The port to a remote catalog: a file, a server, a test's script.
public protocol CatalogFetching: Sendable {
  /// Fetches the catalog into a sink: first the head, then pages, as fast as the sink takes them.
  ///
  /// The adapter never sees the store, and stores nothing. It runs off the caller's executor.
  ///
  /// - Parameters:
  ///   - request: Whose catalog is wanted, and what is held already.
  ///   - sink: Takes the answer. An error that it throws ends the fetch and is passed on.
  /// - Returns: How the answer ended. Only ``FetchConclusion/complete`` may delete rows.
  /// - Throws: ``CatalogError``; whatever the sink was given by then has no effect.
  @concurrent func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion
}

/// Takes a remote's answer piece by piece.
public protocol FetchSink: Sendable {
  /// Takes the head of the answer; called once, before the first page.
  func begin(_ head: FetchHead) async throws(CatalogError)

  /// Takes the next books; returns when it is ready for more.
  func accept(_ page: FetchPage) async throws(CatalogError)
}

/// What is wanted of a remote.
public struct FetchRequest: Sendable {
  /// Whose catalog; credentials are chosen by it.
  public var account: AccountID
  /// Which of the account's catalogs.
  public var catalog: CatalogName
  /// What the last answer gave to ask "has it changed?" with; nil asks unconditionally.
  public var validators: FetchValidators?
  /// The reader's languages, best first, as BCP 47 tags; may be empty.
  public var languages: [String]

  /// Creates a request.
  public init(
    account: AccountID, catalog: CatalogName = .main, validators: FetchValidators? = nil,
    languages: [String] = []
  ) {
    self.account = account
    self.catalog = catalog
    self.validators = validators
    self.languages = languages
  }
}

/// What a remote gives to ask "has it changed?" with, byte for byte (RFC 9110 §8.8).
public struct FetchValidators: Hashable, Sendable {
  /// The `ETag`, quotes and `W/` included.
  public var entityTag: String?
  /// The `Last-Modified` date as it was sent.
  public var lastModified: String?
  /// What they are about, in the adapter's own words; nil if it doesn't say.
  ///
  /// An adapter that may be asked with what another one got, or with what it got elsewhere, says here what tells
  /// the one from the other. No secret belongs in it: it is stored.
  public var scope: String?

  /// Creates validators, or nil if there is none.
  public init?(entityTag: String? = nil, lastModified: String? = nil, scope: String? = nil) {
    guard entityTag != nil || lastModified != nil else { return nil }
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.scope = scope
  }

  /// Returns the validators if they may be about a scope: they say so, or don't say.
  public func about(_ scope: String) -> FetchValidators? {
    self.scope == nil || self.scope == scope ? self : nil
  }
}

/// What a remote says before its books.
public struct FetchHead: Sendable {
  /// What to ask "has it changed?" with next time; nil unless the answer is a single document.
  public var validators: FetchValidators?
  /// What may be kept, and for how long it is fresh.
  public var freshness: ServerFreshness
  /// How old the answer already was when it was asked for (RFC 9111 §4.2.3).
  public var initialAge: Duration
  /// How many books are expected, for a progress bar; nil if the remote didn't say.
  public var expectedBooks: Int?
  /// Whether, of a "not modified", the terms of what is held stay; nil keeps them if ``freshness`` says nothing.
  ///
  /// They do if the remote named no terms this time (RFC 9111 §4.3.4): then ``freshness`` can only shorten the
  /// lifetime.
  public var keepsDirectives: Bool?

  /// Creates a head; by default the remote said nothing.
  public init(
    validators: FetchValidators? = nil, freshness: ServerFreshness = .init(), initialAge: Duration = .zero,
    expectedBooks: Int? = nil, keepsDirectives: Bool? = nil
  ) {
    self.validators = validators
    self.freshness = freshness
    self.initialAge = initialAge
    self.expectedBooks = expectedBooks
    self.keepsDirectives = keepsDirectives
  }
}

/// Some of a remote's books.
public struct FetchPage: Sendable {
  /// The books, in the remote's order.
  public var entries: [CatalogEntry]
  /// The items that couldn't be taken.
  public var rejected: [RejectedItem]
  /// What was said of these books, if they came in a document of their own; nil if the head says it.
  ///
  /// The strictest terms of head and pages hold for the whole answer. Only the head can forbid storing it.
  public var freshness: ServerFreshness?
  /// How old that document already was when it was asked for.
  public var initialAge: Duration

  /// Creates a page.
  public init(
    entries: [CatalogEntry], rejected: [RejectedItem] = [], freshness: ServerFreshness? = nil,
    initialAge: Duration = .zero
  ) {
    self.entries = entries
    self.rejected = rejected
    self.freshness = freshness
    self.initialAge = initialAge
  }
}

/// An item of a remote's answer that couldn't be taken; it doesn't fail the others.
public struct RejectedItem: Hashable, Sendable {
  /// Where the item stands in the answer, for a person: "line 12", "item 3".
  public var position: String
  /// What the item is called, if that much could be read: then the row it had stays as it was.
  public var identifier: CatalogEntry.Identifier?
  /// Why it couldn't be taken: one sentence without the item's own text.
  public var reason: String

  /// Creates a rejected item.
  public init(position: String, identifier: CatalogEntry.Identifier? = nil, reason: String) {
    self.position = position
    self.identifier = identifier
    self.reason = reason
  }
}

/// How a remote's answer ended.
public enum FetchConclusion: Sendable {
  /// What the validators stand for is still right; the head brings the new terms. The sink was given nothing.
  case notModified(FetchHead)
  /// These are all the books.
  case complete
  /// Some books are missing, and why: rows are added and changed, none deleted.
  case partial(reason: String)
}
