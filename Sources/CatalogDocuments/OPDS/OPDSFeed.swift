public import CatalogDomain

/// One document of an OPDS catalog, whichever version it is written in.
public struct OPDSFeed: Sendable {
  /// A link of a feed or of an item; its address as it stands there.
  public struct Link: Hashable, Sendable {
    /// The address, relative to the document; a template if ``isTemplate``.
    public var href: String
    /// What the target is, in small letters.
    public var relations: [String]
    /// The media type, with its parameters.
    public var type: String?
    /// What it is called.
    public var title: String?
    /// Whether the address has places to be filled in.
    public var isTemplate: Bool

    /// Whether its relation or its type is one of OPDS.
    var isOfOPDS: Bool {
      relations.contains { $0.hasPrefix("http://opds-spec.org/") } || type.map(OPDSFeed.isProfile) ?? false
    }

    var state: String?
    var isSince: Bool
    var until: Timestamp?

    init(_ href: String, relations: [String] = [], type: String? = nil, title: String? = nil) {
      self.href = href
      self.relations = relations.map { $0.lowercased() }
      self.type = type
      self.title = title
      isTemplate = href.contains("{")
      state = nil
      isSince = false
      until = nil
    }
  }

  /// The revision of what is read from an item; it rises with what a reader takes of the same document.
  ///
  /// Whoever asks a server "has it changed?" has to ask for all if the last answer was read by another revision.
  public static let revision = 3

  /// What the feed calls itself; nil if it doesn't.
  public var identifier: String?
  /// The books, and the items that couldn't be taken.
  public var page = FetchPage(entries: [])
  /// The feed's own links.
  public var links: [Link] = []
  /// The feeds that it leads to, of a navigation feed.
  public var choices: [Link] = []
  /// How many books the whole catalog has, if the feed says so.
  public var expectedBooks: Int?
  /// Whether something in it says that it is OPDS: its profile, a relation or a name (OPDS 1.2, §2).
  ///
  /// A feed of Atom may be of anything else. What is written in JSON can't.
  public var saysOPDS = false
  /// Why it doesn't hold all that it stands for, such as groups of which only the beginning is there.
  public var omission: String?
  /// Whether it names a next page without saying where that is.
  public var hasLostNext = false {
    didSet { if hasLostNext { omission = "it names a next page without an address" } }
  }
  /// The books that the feed says aren't on loan but waited for, or merely offered.
  var notOnLoan: Set<CatalogEntry.Identifier> = []
  /// When loans end, by any of the ways to have them.
  var loanEnds: [CatalogEntry.Identifier: Timestamp] = [:]

  /// Whether it leads to other feeds, and holds no books.
  public var isNavigation: Bool { page.entries.isEmpty && page.rejected.isEmpty && !choices.isEmpty }

  /// Whether a media type is that of a document of OPDS in Atom.
  public static func isProfile(_ type: String) -> Bool {
    type.lowercased().filter { $0 != " " && $0 != "\"" }.contains("profile=opds-catalog")
  }

  /// The address of the first link of a relation.
  public func link(_ relation: String) -> Link? {
    links.first { $0.relations.contains(relation) }
  }

  /// The page after this one.
  public var next: String? { link("next")?.href }

  /// The reader's loans.
  public var shelf: String? {
    let relation = "http://opds-spec.org/shelf"
    return (link(relation) ?? choices.first { $0.relations.contains(relation) })?.href
  }

  /// The books of a feed of loans: whatever is in it and isn't merely waited for or offered.
  public var loans: [CatalogEntry] {
    page.entries.filter { !notOnLoan.contains($0.identifier) }.map { entry in
      var entry = entry
      entry.isBorrowed = true
      entry.borrowedUntil = entry.borrowedUntil ?? loanEnds[entry.identifier]
      return entry
    }
  }

  /// The books of a feed of loans whose records couldn't be read, and that aren't merely waited for or offered.
  public var unreadLoans: [CatalogEntry.Identifier] {
    page.rejected.compactMap(\.identifier).filter { !notOnLoan.contains($0) }
  }

  /// Takes an item, or names it as one that can't be taken.
  mutating func take(_ item: OPDSItem, at position: String, limits: DocumentLimits) {
    let identifier = item.identifier.flatMap { $0.isWithin(limits) ? $0 : nil }
    do throws(OPDSItem.Refusal) {
      guard let identifier else { throw OPDSItem.Refusal("It has no identifier that can be kept.") }
      if item.isHeld || item.isOffered { notOnLoan.insert(identifier) }
      loanEnds[identifier] = item.loanEnd
      page.entries.append(try item.entry(identifier, limits))
    } catch {
      page.rejected.append(RejectedItem(position: position, identifier: identifier, reason: error.reason))
    }
  }
}

extension CatalogEntry.Identifier {
  fileprivate func isWithin(_ limits: DocumentLimits) -> Bool {
    switch self {
    case .number(let number): !CatalogEntry.reservedIDs.contains(number)
    case .text(let text): !text.isEmpty && text.utf8.count <= limits.identifierBytes
    }
  }
}

/// An item of a feed before it is judged.
struct OPDSItem {
  struct Refusal: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }
  }

  private static let acquisition = "http://opds-spec.org/acquisition"
  private static let revoke = "http://librarysimplified.org/terms/rel/revoke"

  var identifier: CatalogEntry.Identifier?
  var title: String?
  var subtitle: String?
  var authors: [String] = []
  var language: String?
  var updated: Timestamp?
  var links: [OPDSFeed.Link] = []

  var hasAcquisition: Bool {
    links.contains { link in
      link.relations.contains { $0.hasPrefix(Self.acquisition) || $0 == "borrow" }
    }
  }

  /// Whether it is reserved, or ready to be picked up: that is no loan, unless there is one beside it.
  var isHeld: Bool { loan == nil && links.contains(where: Self.isHold) }

  /// Whether it may be borrowed, or can't be, and that is all: on a shelf that is no loan either.
  var isOffered: Bool {
    let ways = links.filter { $0.relations.contains { $0.hasPrefix(Self.acquisition) || $0 == "borrow" } }
    return !ways.isEmpty
      && ways.allSatisfy { way in
        way.relations.contains { $0 == Self.acquisition + "/borrow" || $0 == "borrow" }
          && (way.state == "available" || way.state == "unavailable")
      }
  }

  /// When the loan ends, of an item that is one.
  var loanEnd: Timestamp? {
    loan?.until
      ?? links.lazy.filter { link in
        !Self.isHold(link) && link.relations.contains { $0.hasPrefix(Self.acquisition) }
      }.compactMap(\.until).first
  }

  private static func isHold(_ link: OPDSFeed.Link) -> Bool {
    link.state == "reserved" || link.state == "ready"
  }

  /// The link that says that the reader has it: what can be got now without borrowing it first.
  ///
  /// Availability is said of a link, and is the reader's own. "Available" on a link to borrow means that it
  /// may be borrowed; on the plain acquisition it is a loan if it has a beginning, an end or a way to give it
  /// back.
  private var loan: OPDSFeed.Link? {
    let canBeReturned = links.contains { $0.relations.contains(Self.revoke) }
    return links.first { link in
      link.state == "available" && link.relations.contains(Self.acquisition)
        && (link.isSince || link.until != nil || canBeReturned)
    }
  }

  func entry(
    _ identifier: CatalogEntry.Identifier, _ limits: DocumentLimits
  ) throws(Refusal) -> CatalogEntry {
    guard let title else { throw Refusal("It has no title.") }
    guard !title.unicodeScalars.allSatisfy(\.properties.isWhitespace) else {
      throw Refusal("Its title is empty.")
    }
    guard title.utf8.count <= limits.titleBytes else {
      throw Refusal("Its title has \(title.utf8.count) bytes; at most \(limits.titleBytes) are taken.")
    }
    guard (subtitle?.utf8.count ?? 0) <= limits.titleBytes else {
      throw Refusal("Its subtitle has more than \(limits.titleBytes) bytes.")
    }
    guard authors.count <= limits.authors else {
      throw Refusal("It has \(authors.count) authors; at most \(limits.authors) are taken.")
    }
    guard authors.allSatisfy({ $0.utf8.count <= limits.authorBytes }) else {
      throw Refusal("One of its authors has more than \(limits.authorBytes) bytes.")
    }
    guard (language?.utf8.count ?? 0) <= limits.languageBytes else {
      throw Refusal("Its language has more than \(limits.languageBytes) bytes.")
    }
    var entry = CatalogEntry(identifier: identifier, title: title)
    entry.subtitle = subtitle.flatMap { $0.isEmpty ? nil : $0 }
    entry.authors = authors
    entry.language = language
    // Servers write years of three digits for what has no date.
    entry.updated = updated.flatMap { $0.millisecondsSinceEpoch < -30_610_224_000_000 ? nil : $0 }
    if let loan {
      entry.isBorrowed = true
      entry.borrowedUntil = loan.until
    }
    return entry
  }
}
