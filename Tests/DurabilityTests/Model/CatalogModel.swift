import CatalogDomain
import CatalogRepository

/// One catalog of one account as the design describes it, in plain values: what the store is compared with.
///
/// Written from the design, not from the store: rows are a dictionary, and every decision has a number from one
/// counter that only rises.
struct CatalogModel {
  struct Book: Equatable {
    var entry: CatalogEntry
    var id: Int

    static func == (first: Book, second: Book) -> Bool {
      first.id == second.id && first.entry.hasSameBytes(as: second.entry)
    }
  }

  struct Confirmation {
    var number: Int
    var isBorrowed: Bool
    var until: Timestamp?
  }

  /// What is remembered of an answer to know the same one again.
  struct Digest: Equatable {
    struct Item: Equatable {
      var entry: CatalogEntry
      var isKept: Bool

      static func == (first: Item, second: Item) -> Bool {
        first.isKept == second.isKept && first.entry.hasSameBytes(as: second.entry)
      }
    }

    var items: [Item]
    var isComplete: Bool
  }

  struct Ticket {
    var begun: Int
    var base: Int
    var request: ClockReading
    var validators: FetchValidators?
  }

  var isLoaded = false
  var isComplete = false
  var books: [CatalogEntry.Identifier: Book] = [:]
  /// Every id ever given to a text identifier; survives everything but a sign-out.
  var textIDs: [CatalogEntry.Identifier: Int] = [:]
  var nextTextID = 1 << 62
  var confirmations: [Int: Confirmation] = [:]
  var stamp: CatalogStamp?
  var validatedBegun = 0
  var staleMark = 0
  var floor = 0
  var answered = 0
  var version: Int
  var validators: FetchValidators?
  var digest: Digest?
  var failure: CatalogStatus.Failure?
  var policy: FreshnessPolicy?
  /// The latest wall time that there was since the stamp was made.
  var latestSeen: Timestamp?
  /// The latest wall time at which something was written since then.
  var latestNoted: Timestamp?
  /// Numbers of the changes that a revision has to rise with.
  var revision: Int

  init(number: Int) {
    version = number
    revision = number
  }

  /// The stamp, with the latest wall time that the store has kept.
  ///
  /// The design leaves open which of the times seen are written down at once, within bounds that the caller checks.
  func stamp(keeping latest: Timestamp?) -> CatalogStamp? {
    guard var stamp else { return nil }
    stamp.isMarkedStale = validatedBegun < staleMark
    stamp.latestWallSeen = latest
    return stamp
  }

  mutating func begin(
    _ number: Int, unconditional: Bool, policy: FreshnessPolicy, now: ClockReading, keeping latest: Timestamp?
  ) -> Ticket {
    self.policy = policy
    // An age that is unknown is noted, so that it can't become fresh by itself.
    if policy.decide(stamp: stamp(keeping: latest), now: now).rule == .ageUnknown {
      staleMark = number
      revision = number
    }
    return Ticket(
      begun: number, base: version, request: now,
      validators: unconditional || !isLoaded ? nil : validators)
  }

  private func isOutdated(_ ticket: Ticket) -> Bool { ticket.begun < floor || ticket.begun < answered }

  enum Outcome: Equatable {
    case updated(added: Int, changed: Int, removed: Int, total: Int, repeated: Int, isComplete: Bool)
    case notModified, superseded
    case failed(CatalogError.Code)
    /// "Not modified" of rows that are gone: it is asked once more.
    case again
  }

  mutating func notModified(_ ticket: Ticket, _ head: FetchHead, number: Int) -> Outcome {
    if isOutdated(ticket) { return .superseded }
    guard isLoaded, version == ticket.base, ticket.validators != nil else { return .again }
    var head = head
    if head.keepsDirectives ?? (head.freshness == ServerFreshness()), let stamp {
      let said = head.freshness
      head.freshness = stamp.directives
      head.freshness.lifetime = [stamp.directives.lifetime, said.lifetime].compactMap(\.self).min()
      if said.noCache { head.freshness.noCache = true }
    }
    validate(ticket, head, number)
    validators = head.validators ?? validators
    return .notModified
  }

  mutating func fail(_ ticket: Ticket, _ code: CatalogError.Code, at moment: Timestamp) -> Outcome {
    if !isOutdated(ticket) { failure = .init(code: code, at: moment) }
    return .failed(code)
  }

  private mutating func validate(_ ticket: Ticket, _ head: FetchHead, _ number: Int) {
    var directives = head.freshness
    directives.noStore = false
    stamp = CatalogStamp(
      validatedAt: ticket.request, initialAge: head.initialAge, directives: directives)
    (latestSeen, latestNoted) = (ticket.request.wall, ticket.request.wall)
    validatedBegun = ticket.begun
    answered = ticket.begun
    version = number
    revision = number
    isLoaded = true
    failure = nil
  }

  mutating func answer(
    _ ticket: Ticket, _ pages: [FetchPage], _ head: FetchHead, claimsComplete: Bool, number: Int,
    now: Timestamp
  ) -> Outcome {
    if isOutdated(ticket) { return .superseded }
    let taken = Taken(pages)
    let complete = claimsComplete && !taken.hasUnreadable
    if taken.good.isEmpty, taken.rejected > 0 { return fail(ticket, .badResponse, at: now) }
    if !complete, !isLoaded, taken.good.isEmpty { return fail(ticket, .badResponse, at: now) }
    let digest = Digest(items: taken.items, isComplete: complete)
    let given = complete ? head.validators : nil
    if isLoaded, self.digest == digest, version == ticket.base {
      validate(ticket, head, number)
      validators = given
      if taken.rejected == 0 { return .notModified }
      return .updated(
        added: 0, changed: 0, removed: 0, total: books.count, repeated: taken.repeated, isComplete: complete)
    }

    let onTop = confirmations.filter { $0.value.number > ticket.begun }
    confirmations = onTop
    var next: [CatalogEntry.Identifier: Book] = [:]
    for identifier in taken.order {
      guard var entry = taken.good[identifier] else { continue }
      let id = id(of: identifier)
      if let confirmed = onTop[id] {
        (entry.isBorrowed, entry.borrowedUntil) = (confirmed.isBorrowed, confirmed.until)
      }
      next[identifier] = Book(entry: entry, id: id)
    }
    var removed = 0
    for (identifier, book) in books where next[identifier] == nil {
      if complete, !taken.kept.contains(identifier), onTop[book.id] == nil {
        removed += 1
      } else {
        next[identifier] = book
      }
    }
    let outcome = Outcome.updated(
      added: next.keys.count { books[$0] == nil },
      changed: next.count { new in books[new.key].map { $0 != new.value } ?? false },
      removed: removed, total: next.count, repeated: taken.repeated, isComplete: complete)
    books = next
    validate(ticket, head, number)
    isComplete = complete
    validators = onTop.isEmpty ? given : nil
    self.digest = onTop.isEmpty ? digest : nil
    return outcome
  }

  private mutating func id(of identifier: CatalogEntry.Identifier) -> Int {
    if case .number(let number) = identifier { return number }
    if let known = textIDs[identifier] { return known }
    textIDs[identifier] = nextTextID
    nextTextID += 1
    return nextTextID - 1
  }

  mutating func confirm(id: Int, isBorrowed: Bool, until: Timestamp?, number: Int) {
    confirmations[id] = Confirmation(number: number, isBorrowed: isBorrowed, until: until)
    for (identifier, book) in books where book.id == id {
      books[identifier]?.entry.isBorrowed = isBorrowed
      books[identifier]?.entry.borrowedUntil = until
    }
    (validators, digest) = (nil, nil)
    version = number
    revision = number
  }

  mutating func markStale(number: Int) {
    staleMark = number
    revision = number
  }

  mutating func discard(number: Int) {
    var anew = CatalogModel(number: number)
    (anew.textIDs, anew.nextTextID) = (textIDs, nextTextID)
    (anew.floor, anew.answered, anew.staleMark, anew.policy) = (number, answered, staleMark, policy)
    self = anew
  }

  /// Notes that it was a wall time, and whether something was written then.
  mutating func see(_ wall: Timestamp, isNoted: Bool) {
    latestSeen = latestSeen.map { max($0, wall) }
    if isNoted { latestNoted = latestNoted.map { max($0, wall) } }
  }
}

/// An answer's items by the rules of what is taken: the first good one of an identifier wins, one that can't be
/// read keeps the place of the row it had.
struct Taken {
  var order: [CatalogEntry.Identifier] = []
  var good: [CatalogEntry.Identifier: CatalogEntry] = [:]
  var kept: Set<CatalogEntry.Identifier> = []
  var repeated = 0
  var rejected = 0
  var hasUnreadable = false
  var items: [CatalogModel.Digest.Item] = []

  init(_ pages: [FetchPage]) {
    for page in pages {
      for entry in page.entries { take(entry) }
      for item in page.rejected { reject(item.identifier) }
    }
  }

  private mutating func take(_ entry: CatalogEntry) {
    if case .number(let number) = entry.identifier, number >= 1 << 62 { return reject(nil) }
    items.append(.init(entry: entry, isKept: false))
    guard good[entry.identifier] == nil else {
      repeated += 1
      return
    }
    if !kept.contains(entry.identifier) { order.append(entry.identifier) }
    kept.remove(entry.identifier)
    good[entry.identifier] = entry
  }

  private mutating func reject(_ identifier: CatalogEntry.Identifier?) {
    rejected += 1
    guard let identifier else {
      hasUnreadable = true
      return
    }
    items.append(.init(entry: CatalogEntry(identifier: identifier, title: ""), isKept: true))
    guard good[identifier] == nil, !kept.contains(identifier) else { return }
    kept.insert(identifier)
    order.append(identifier)
  }
}

extension CatalogEntry {
  /// Whether both are the same, texts by their bytes: Swift's own equality takes two spellings of a letter for one.
  func hasSameBytes(as other: CatalogEntry) -> Bool {
    let texts = ([title, language ?? "none"] + authors).map { Array($0.utf8) }
    return self == other
      && texts == ([other.title, other.language ?? "none"] + other.authors).map { Array($0.utf8) }
  }
}
