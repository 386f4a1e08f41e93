import CatalogDocuments
import CatalogDomain
import Foundation

/// One reading of a catalog: from its first feed, by way of the feeds that it leads to, page by page.
struct OPDSWalk {
  private static let depth = 5
  /// How many feeds are asked whether they hold books; with more to choose from, somebody has to choose.
  private static let choicesAsked = 32
  private static let choicesNamed = 20

  private typealias Identifiers = Set<CatalogEntry.Identifier>

  private let url: URL
  private let limits: DocumentLimits
  private var reader: OPDSReader
  private let sink: PagedSink

  private var loans: OPDSReader.Loans?
  /// Whether there is a shelf that couldn't be read: without it every loan would seem to have ended.
  private var hasLostLoans = false
  /// The loans that no feed has listed so far.
  private var missing: [CatalogEntry.Identifier: CatalogEntry] = [:]
  /// The head that the sink was given.
  private var head: FetchHead?
  private var page = 0
  private var incomplete: String?
  /// The books of the feeds before this one; nil if there is only one feed.
  private var earlier: Identifiers?

  init(from url: URL, limits: DocumentLimits, _ reader: OPDSReader, _ sink: PagedSink) {
    self.url = url
    self.limits = limits
    self.reader = reader
    self.sink = sink
  }

  /// Reads on from the answer to the first question.
  mutating func run(_ answer: HTTPClient.Answer) async throws(CatalogError) -> FetchConclusion {
    var first = try await reader.read(answer)
    var trail: Set<String> = [url.absoluteString, first.url.absoluteString]
    var isDirect = true
    try await takeLoans(of: first)
    while first.feed.isNavigation {
      isDirect = false
      guard let way = Self.onlyWay(on: first) else {
        try await readEach(of: first, trail: &trail)
        return try await conclusion()
      }
      guard trail.count <= Self.depth else {
        throw CatalogError(.badResponse, "\(HTTPPlace.text(url)) leads from feed to feed without end.")
      }
      first = try await reader.get(try HTTPPaging.target(way.href, from: first.url, seen: &trail))
      try await takeLoans(of: first)
    }
    // What several documents were made from can't be asked about as one.
    try await begin(with: first, isWhole: isDirect && first.feed.next == nil && loans == nil)
    _ = try await walk(from: first)
    return try await conclusion()
  }

  /// Where a feed leads that only leads on: to all books if it says where they are, or the one way there is.
  private static func onlyWay(on document: OPDSReader.Document) -> OPDSFeed.Link? {
    if let all = document.feed.link("http://opds-spec.org/crawlable") { return all }
    let choices = choices(on: document)
    return choices.count == 1 ? choices.first : nil
  }

  private static func choices(on document: OPDSReader.Document) -> [OPDSFeed.Link] {
    // The loans are read apart: they aren't a catalog.
    document.feed.choices.filter { !$0.relations.contains("http://opds-spec.org/shelf") }
  }

  /// Reads each feed with books that a feed leads to, one after the other.
  private mutating func readEach(
    of document: OPDSReader.Document, trail: inout Set<String>
  ) async throws(CatalogError) {
    let choices = Self.choices(on: document)
    guard choices.count <= Self.choicesAsked else { throw Self.unchosen(document) }
    earlier = []
    var furtherCount = 0
    var failure: CatalogError?
    var whole: Identifiers?
    var agreeing = 0
    var differing = 0
    var emptyCount = 0
    for choice in choices {
      // What leads back to where this came from holds nothing else.
      if let target = HTTPAddress.resolve(choice.href, against: document.url),
        trail.contains(target.absoluteString)
      {
        furtherCount += 1
        continue
      }
      do throws(CatalogError) {
        let feed = try await reader.get(
          try HTTPPaging.target(choice.href, from: document.url, seen: &trail))
        guard !feed.feed.isNavigation else {
          furtherCount += 1
          continue
        }
        try await takeLoans(of: feed)
        if head == nil { try await begin(with: feed, isWhole: false) }
        let held = try await walk(from: feed)
        guard !held.isEmpty else {
          // A reading list without books says nothing of the others.
          emptyCount += 1
          continue
        }
        if let whole, whole != held { differing += 1 } else { agreeing += 1 }
        whole = whole ?? held
        earlier?.formUnion(held)
      } catch {
        guard await !sink.hasFailed, !hasLostLoans, HTTPPaging.leavesPartial(error) else { throw error }
        // The server itself is out of order, and nothing was taken yet.
        if head == nil, error.code.isOutage, leadsHome(choice, document) { throw error }
        failure = failure ?? error
        incomplete =
          incomplete ?? "A feed that it leads to couldn't be read, so books may be missing. \(error.message)"
      }
    }
    guard head != nil else { throw Self.unchosen(document, after: failure) }
    let isAgreed = whole == nil ? emptyCount > 1 : agreeing > 1 && differing == 0
    if furtherCount > 0, !isAgreed {
      incomplete =
        incomplete ?? "\(HTTPPlace.text(document.url)) also leads to \(furtherCount) feeds that only lead "
        + "further and weren't followed, so books may be missing. Give the address of a feed that holds all "
        + "of them, if there is one."
    }
  }

  /// Whether a link stays on the server of its document.
  private func leadsHome(_ link: OPDSFeed.Link, _ document: OPDSReader.Document) -> Bool {
    HTTPAddress.resolve(link.href, against: document.url).flatMap(HTTPOrigin.init)
      == HTTPOrigin(document.url)
  }

  private static func unchosen(
    _ document: OPDSReader.Document, after failure: CatalogError? = nil
  ) -> CatalogError {
    let choices = choices(on: document)
    let names = choices.prefix(choicesNamed).map { choice in
      let target = HTTPAddress.resolve(choice.href, against: document.url)
      return
        "'\(ServerText.brief(choice.title ?? ""))' at \(target.map(HTTPPlace.text) ?? "an address that can't be read")"
    }
    return CatalogError(
      .badResponse,
      "\(HTTPPlace.text(document.url)) holds no books; it leads to \(choices.count) other feeds. Give the "
        + "address of one of them: "
        + names.joined(separator: ", ") + (choices.count > choicesNamed ? ", …" : "."), cause: failure)
  }

  /// Learns what is on loan, from the first document that leads to the reader's shelf.
  private mutating func takeLoans(of document: OPDSReader.Document) async throws(CatalogError) {
    guard loans == nil else { return }
    do throws(CatalogError) {
      loans = try await reader.loans(of: document)
    } catch {
      hasLostLoans = true
      throw error
    }
    missing = loans?.entries ?? [:]
  }

  private mutating func begin(
    with document: OPDSReader.Document, isWhole: Bool
  ) async throws(CatalogError) {
    var head = document.answer.head(isWhole: isWhole)
    head.expectedBooks = document.feed.expectedBooks
    for terms in loans?.terms ?? [] {
      head.tighten(by: terms.directives, initialAge: terms.initialAge)
    }
    self.head = head
    try await sink.begin(head)
  }

  /// Reads a feed page by page; returns the books it holds if it is one of several.
  private mutating func walk(
    from first: OPDSReader.Document
  ) async throws(CatalogError) -> Identifiers {
    var document = first
    var held: Identifiers = []
    var seen: Set<String> = [url.absoluteString, first.url.absoluteString]
    page += 1
    let firstPage = page
    var itemCount = 0
    while true {
      do throws(CatalogError) {
        await sink.turn(to: page, under: page == 1 ? nil : document.answer.freshness)
        if let head, document.answer.freshness.directives.noStore, !head.freshness.noStore {
          throw HTTPPaging.forbidsStoring(page, url)
        }
        incomplete = incomplete ?? Self.incompleteness(of: document)
        var books = document.feed.page
        itemCount += books.entries.count + books.rejected.count
        if let earlier {
          held.formUnion(books.entries.lazy.map(\.identifier))
          // What another feed has brought already isn't repeated by the server but by this walk.
          books.entries.removeAll { earlier.contains($0.identifier) }
        }
        try await deliver(books)
        guard let next = document.feed.next else {
          if let all = first.feed.expectedBooks, all > itemCount {
            incomplete =
              incomplete
              ?? "\(HTTPPlace.text(first.url)) says that it has \(all) books, and gave \(itemCount)."
          }
          break
        }
        guard page < limits.pages else { throw HTTPPaging.tooMany(limits.pages, url) }
        page += 1
        let target = try HTTPPaging.target(next, from: document.url, seen: &seen)
        document = try await reader.get(target)
        if let problem = Self.difference(of: document, from: first) { throw problem }
      } catch {
        guard page > firstPage, await !sink.hasFailed, HTTPPaging.leavesPartial(error) else { throw error }
        incomplete =
          incomplete ?? "Page \(page) couldn't be read, so books may be missing. \(error.message)"
        break
      }
    }
    return held
  }

  private mutating func conclusion() async throws(CatalogError) -> FetchConclusion {
    await sink.turn(to: 1, under: nil)
    // A loan is the reader's even if the catalog doesn't list it.
    let rest = missing.values.sorted { "\($0.identifier)" < "\($1.identifier)" }
    if !rest.isEmpty { try await sink.accept(FetchPage(entries: rest)) }
    return incomplete.map { .partial(reason: $0) } ?? .complete
  }

  private mutating func deliver(_ page: FetchPage) async throws(CatalogError) {
    var page = page
    for index in page.entries.indices {
      let identifier = page.entries[index].identifier
      if let loan = loans?.entries[identifier] {
        page.entries[index].isBorrowed = true
        page.entries[index].borrowedUntil = loan.borrowedUntil
        missing[identifier] = nil
      } else if loans?.unread.contains(identifier) == true {
        page.entries[index].isBorrowed = true
      }
    }
    guard await sink.itemCount + page.entries.count + page.rejected.count <= limits.books else {
      throw CatalogError(
        .tooLarge, "\(HTTPPlace.text(url)) has more than \(limits.books) books. Nothing of it was taken.")
    }
    let size = 500
    repeat {
      guard !Task.isCancelled else {
        throw CatalogError(.cancelled, "Reading \(HTTPPlace.text(url)) was cancelled.")
      }
      let part = FetchPage(
        entries: Array(page.entries.prefix(size)), rejected: Array(page.rejected.prefix(size)))
      page.entries.removeFirst(part.entries.count)
      page.rejected.removeFirst(part.rejected.count)
      guard !part.entries.isEmpty || !part.rejected.isEmpty else { return }
      try await sink.accept(part)
    } while !page.entries.isEmpty || !page.rejected.isEmpty
    guard !Task.isCancelled else {
      throw CatalogError(.cancelled, "Reading \(HTTPPlace.text(url)) was cancelled.")
    }
  }

  /// Why a document isn't all that it stands for; nil if it is.
  private static func incompleteness(of document: OPDSReader.Document) -> String? {
    let place = HTTPPlace.text(document.url)
    if !document.feed.page.entries.isEmpty, !choices(on: document).isEmpty {
      return "\(place) also leads to other feeds, which weren't followed, so books may be missing. Give the "
        + "address of a feed that holds all of them, if there is one."
    }
    if let omission = document.feed.omission { return "\(place) isn't the whole catalog: \(omission)." }
    let unknown = document.feed.page.rejected.filter { $0.identifier == nil }
    guard let first = unknown.first else { return nil }
    return "\(unknown.count) items of \(place) couldn't be read far enough to tell which book was meant, the "
      + "first at \(first.position)."
  }

  /// Why a page can't be one of the first page's feed; nil if it can.
  private static func difference(
    of document: OPDSReader.Document, from first: OPDSReader.Document
  ) -> CatalogError? {
    let place = HTTPPlace.text(document.url)
    if document.feed.isNavigation {
      return CatalogError(.badResponse, "\(place) leads to other feeds, where books were expected.")
    }
    guard document.isJSON == first.isJSON else {
      return CatalogError(.badResponse, "\(place) is a feed of another version of OPDS.")
    }
    if let one = first.feed.identifier, let other = document.feed.identifier, one != other {
      return CatalogError(.badResponse, "\(place) is a page of another feed.")
    }
    return nil
  }
}
