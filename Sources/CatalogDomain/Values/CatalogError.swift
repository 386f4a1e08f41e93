/// An error of the catalog: what happened, where, and what to do about it.
///
/// ``message`` and ``description`` never hold titles, account names, tokens or a URL's query.
public struct CatalogError: Error, Sendable {
  /// What kind of error it is; more kinds may be added.
  public struct Code: Hashable, Sendable {
    private enum Kind: String, Sendable, CaseIterable {
      case neverLoaded, unavailable, revoked, superseded
      case offline, timedOut, serverError, unauthorized, forbidden, notFound, gone, throttled, badResponse
      case tooLarge
      case busy, corrupt, notADatabase, tooNew, needsMigration, replaced, diskFull, permission, locked
      case bytesRemain
      case invalidName, invalidPolicy, cancelled, notStored, ioError, noSuchDatabase, cannotCreate
    }

    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// The code's stable name, as the command line and the database write it.
    public var name: String { kind.rawValue }

    /// Creates the code of a name, or nil if no code has it.
    public init?(name: String) {
      guard let kind = Kind(rawValue: name) else { return nil }
      self.kind = kind
    }

    /// Whether the remote couldn't be reached or is out of order, so that a policy may serve old rows:
    /// no connection, time-out, DNS, HTTP 500, 502, 503 and 504; never 401, 403, 404 or 410.
    public var isOutage: Bool {
      switch kind {
      case .offline, .timedOut, .serverError: true
      case .neverLoaded, .unavailable, .revoked, .superseded, .unauthorized, .forbidden, .notFound, .gone,
        .throttled, .badResponse, .tooLarge, .busy, .corrupt, .notADatabase, .tooNew, .needsMigration,
        .replaced, .diskFull, .permission, .locked, .bytesRemain, .invalidName, .invalidPolicy, .cancelled,
        .notStored, .ioError, .noSuchDatabase, .cannotCreate:
        false
      }
    }

    /// Nothing was ever loaded for this account and catalog.
    public static let neverLoaded = Code(.neverLoaded)
    /// What is held may not be served now.
    public static let unavailable = Code(.unavailable)
    /// The account was forgotten; this handle is dead for good.
    public static let revoked = Code(.revoked)
    /// A newer decision or a newer answer came first; nothing was written.
    public static let superseded = Code(.superseded)
    /// There is no connection to the remote, or its name can't be resolved.
    public static let offline = Code(.offline)
    /// The remote didn't answer in time.
    public static let timedOut = Code(.timedOut)
    /// The remote is out of order: HTTP 500, 502, 503 or 504.
    public static let serverError = Code(.serverError)
    /// The remote doesn't know who asks: HTTP 401, or a scheme that can't be done here.
    public static let unauthorized = Code(.unauthorized)
    /// The remote refuses: HTTP 403.
    public static let forbidden = Code(.forbidden)
    /// The remote has no such thing: HTTP 404, or no such file.
    public static let notFound = Code(.notFound)
    /// The remote has it no longer: HTTP 410.
    public static let gone = Code(.gone)
    /// The remote asks to be left alone for a while: HTTP 429.
    public static let throttled = Code(.throttled)
    /// The remote's answer can't be understood.
    public static let badResponse = Code(.badResponse)
    /// What came from outside is over a bound.
    public static let tooLarge = Code(.tooLarge)
    /// Somebody else is using the database; try again.
    public static let busy = Code(.busy)
    /// The database, or the rows read from it, are damaged.
    public static let corrupt = Code(.corrupt)
    /// The file isn't a database, or is another program's.
    public static let notADatabase = Code(.notADatabase)
    /// The database was written by a newer version of this library.
    public static let tooNew = Code(.tooNew)
    /// The database was written by an older version, and was opened for reading only.
    public static let needsMigration = Code(.needsMigration)
    /// The database file was moved or replaced while it was open.
    public static let replaced = Code(.replaced)
    /// The disk, or the user's share of it, is full.
    public static let diskFull = Code(.diskFull)
    /// The file system doesn't permit it.
    public static let permission = Code(.permission)
    /// The lock beside the database couldn't be taken.
    public static let locked = Code(.locked)
    /// An account is revoked, but some of its bytes are still on disk.
    public static let bytesRemain = Code(.bytesRemain)
    /// A name isn't valid.
    public static let invalidName = Code(.invalidName)
    /// A policy isn't valid.
    public static let invalidPolicy = Code(.invalidPolicy)
    /// The caller gave up.
    public static let cancelled = Code(.cancelled)
    /// The remote forbids keeping its answer (`no-store`).
    public static let notStored = Code(.notStored)
    /// Reading or writing the disk failed.
    public static let ioError = Code(.ioError)
    /// There is no database at that path, and reading creates none.
    public static let noSuchDatabase = Code(.noSuchDatabase)
    /// The database, or the folder for it, can't be made there.
    public static let cannotCreate = Code(.cannotCreate)
  }

  /// What kind of error it is.
  public var code: Code
  /// What happened, where, and what to do about it: one or two sentences.
  public var message: String
  /// How long the remote asks to be left alone; nil if it said nothing.
  public var retryAfter: Duration?
  /// The error below this one; its text may hold what ``description`` may not.
  public var cause: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, retryAfter: Duration? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
    self.cause = cause
  }
}

extension CatalogError.Code: CustomStringConvertible {
  /// The code's name.
  public var description: String { name }
}

extension CatalogError: CustomStringConvertible {
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}
