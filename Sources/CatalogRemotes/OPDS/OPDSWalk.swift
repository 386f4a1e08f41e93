import CatalogDocuments
import CatalogDomain
import Foundation

/// One reading of a catalog: from its first feed, by way of the feeds that it leads to, page by page.
struct OPDSWalk {
  private static let depth = 5
  /// How many bytes of feeds wait to be delivered until all ways were asked.
  private static let bytesAhead = 32 << 20

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
    var steps = 0
    try await takeLoans(of: first)
    while first.feed.isNavigation {
      var ways = OPDSWay.toAll(on: first).map { [$0] } ?? []
      if ways.isEmpty { ways = try await gatherWays(on: first, trail: &trail) }
      guard ways.count == 1, let way = ways.first else {
        try await readEach(of: ways, on: first, trail: &trail)
        return try await conclusion()
      }
      steps += 1
      guard steps <= Self.depth else {
        throw CatalogError(.badResponse, "\(HTTPPlace.text(url)) leads from feed to feed without end.")
      }
      first = try await reader.get(try HTTPPaging.target(way.link.href, from: way.base, seen: &trail))
      try await takeLoans(of: first)
    }
    // What several documents were made from can't be asked about as one.
    try await begin(with: first, isWhole: steps == 0 && first.feed.next == nil && loans == nil)
    _ = try await walk(from: first)
    return try await conclusion()
  }

  /// Gathers the ways of a feed that only leads on, from all of its pages.
  private mutating func gatherWays(
    on document: OPDSReader.Document, trail: inout Set<String>
  ) async throws(CatalogError) -> [OPDSWay] {
    var page = document
    var ways = OPDSWay.ways(on: page)
    while true {
      if let omission = page.feed.omission {
        incomplete = incomplete ?? "\(HTTPPlace.text(page.url)) doesn't show the whole catalog: \(omission)."
      }
      guard let next = page.feed.next, ways.count <= OPDSWay.most else { return ways }
      do throws(CatalogError) {
        page = try await reader.get(try HTTPPaging.target(next, from: page.url, seen: &trail))
        guard page.feed.isNavigation else {
          throw CatalogError(
            .badResponse, "\(HTTPPlace.text(page.url)) holds something else than ways to other feeds.")
        }
        ways += OPDSWay.ways(on: page)
      } catch {
        guard HTTPPaging.leavesPartial(error) else { throw error }
        incomplete =
          incomplete
          ?? "Not all feeds that it leads to could be found, so books may be missing. \(error.message)"
        return ways
      }
    }
  }

  /// What became of a way.
  private enum Arrival {
    /// A feed with books.
    case feed(OPDSReader.Document)
    /// A feed that wasn't asked for yet.
    case ahead(OPDSWay)
  }

  /// Reads each feed with books that some ways lead to, one after the other.
  private mutating func readEach(
    of ways: [OPDSWay], on document: OPDSReader.Document, trail: inout Set<String>
  ) async throws(CatalogError) {
    guard ways.count <= OPDSWay.most else { throw OPDSWay.unchosen(ways, on: document.url) }
    earlier = []
    var furtherCount = 0
    var failure: CatalogError?
    var arrivals: [Arrival] = []
    // The beginning of each comes before the first book is taken: one of them may say where the loans are.
    for way in ways {
      // What leads back to where this came from holds nothing else.
      if let target = way.target, trail.contains(target.absoluteString) {
        furtherCount += 1
        continue
      }
      guard reader.byteCount < Self.bytesAhead else {
        arrivals.append(.ahead(way))
        continue
      }
      do throws(CatalogError) {
        guard let feed = try await feedWithBooks(way, trail: &trail) else {
          furtherCount += 1
          continue
        }
        try await takeLoans(of: feed)
        arrivals.append(.feed(feed))
      } catch {
        // The server itself is out of order.
        if arrivals.isEmpty, error.code.isOutage, way.leadsHome { throw error }
        try await note(error, &failure)
      }
    }
    var agreement = OPDSAgreement()
    for arrival in arrivals {
      do throws(CatalogError) {
        guard let feed = try await self.feed(arrival, trail: &trail) else {
          furtherCount += 1
          continue
        }
        if head == nil { try await begin(with: feed, isWhole: false) }
        let (held, showsEnd) = try await walk(from: feed)
        agreement.add(held, showsEnd: showsEnd)
        earlier?.formUnion(held)
      } catch {
        try await note(error, &failure)
      }
    }
    guard head != nil else { throw OPDSWay.unchosen(ways, on: document.url, after: failure) }
    if furtherCount > 0, !agreement.isWhole {
      incomplete =
        incomplete ?? "\(HTTPPlace.text(document.url)) also leads to \(furtherCount) feeds that only lead "
        + "further and weren't followed, so books may be missing. Give the address of a feed that holds all "
        + "of them, if there is one."
    }
  }

  /// The feed at the end of a way; nil if that only leads on.
  private mutating func feedWithBooks(
    _ way: OPDSWay, trail: inout Set<String>
  ) async throws(CatalogError) -> OPDSReader.Document? {
    let feed = try await reader.get(try HTTPPaging.target(way.link.href, from: way.base, seen: &trail))
    return feed.feed.isNavigation ? nil : feed
  }

  private mutating func feed(
    _ arrival: Arrival, trail: inout Set<String>
  ) async throws(CatalogError) -> OPDSReader.Document? {
    switch arrival {
    case .feed(let feed): return feed
    case .ahead(let way):
      let feed = try await feedWithBooks(way, trail: &trail)
      if let feed, loans == nil, head != nil, reader.hasShelf(feed) {
        hasLostLoans = true
        throw CatalogError(
          .badResponse,
          "\(HTTPPlace.text(feed.url)) says where the loans are only after other books were taken. Give the address "
            + "of a feed that says so, or that holds all books.")
      }
      return feed
    }
  }

  /// Notes why a feed couldn't be read, if the others may be taken without it.
  private mutating func note(
    _ error: CatalogError, _ failure: inout CatalogError?
  ) async throws(CatalogError) {
    guard await !sink.hasFailed, !hasLostLoans, HTTPPaging.leavesPartial(error) else { throw error }
    failure = failure ?? error
    incomplete =
      incomplete ?? "A feed that it leads to couldn't be read, so books may be missing. \(error.message)"
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
    // What led here and the loans have terms too.
    head.tighten(by: reader.terms.freshness, initialAge: reader.terms.initialAge)
    self.head = head
    try await sink.begin(head)
  }

  /// Reads a feed page by page; returns the books it holds if it is one of several, and whether it shows its end.
  private mutating func walk(
    from first: OPDSReader.Document
  ) async throws(CatalogError) -> (held: Identifiers, showsEnd: Bool) {
    var document = first
    var held: Identifiers = []
    var seen: Set<String> = [url.absoluteString, first.url.absoluteString]
    page += 1
    let firstPage = page
    var count = ItemCount()
    while true {
      do throws(CatalogError) {
        await sink.turn(to: page, under: page == 1 ? nil : document.answer.freshness)
        if let head, document.answer.freshness.directives.noStore, !head.freshness.noStore {
          throw HTTPPaging.forbidsStoring(page, url)
        }
        incomplete = incomplete ?? Self.incompleteness(of: document)
        var books = document.feed.page
        count.add(books)
        if let earlier {
          held.formUnion(books.entries.lazy.map(\.identifier))
          // What another feed has brought already isn't repeated by the server but by this walk.
          books.entries.removeAll { earlier.contains($0.identifier) }
        }
        try await deliver(books)
        guard let next = document.feed.next else {
          if let all = first.feed.expectedBooks, all > count.distinct {
            incomplete =
              incomplete
              ?? "\(HTTPPlace.text(first.url)) says that it has \(all) books, and gave \(count.distinct)."
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
    let isPaged = ["next", "first", "last", "previous"].contains { first.feed.link($0) != nil }
    return (held, isPaged || first.feed.expectedBooks == count.distinct)
  }

  /// How many items a feed has given, each book once.
  private struct ItemCount {
    // Hashes, which take little room; two books that share one are counted too low, which is the safe side.
    private var known: Set<Int> = []
    private var unknown = 0

    var distinct: Int { known.count + unknown }

    mutating func add(_ page: FetchPage) {
      for entry in page.entries { known.insert(entry.identifier.hashValue) }
      for item in page.rejected {
        if let identifier = item.identifier { known.insert(identifier.hashValue) } else { unknown += 1 }
      }
    }
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
    if !document.feed.isNavigation, !OPDSWay.ways(on: document).isEmpty {
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
