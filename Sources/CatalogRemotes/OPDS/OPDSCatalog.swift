public import CatalogDocuments
public import CatalogDomain
public import Foundation

/// A catalog of an OPDS server, version 1.2 or 2.0: whichever each document turns out to be.
///
/// It walks from the first feed by its `next` links alone. A page that can't be had, changes its kind or is
/// another feed's makes the answer partial. A feed that only leads to other feeds is followed where there is
/// no choice; otherwise the error lists what could be chosen. If the account has credentials for the server,
/// the reader's shelf is read first, and says which books are on loan.
public struct OPDSCatalog: CatalogFetching {
  private static let depth = 5
  private static let choicesNamed = 20

  private let url: URL
  private let limits: DocumentLimits
  private let asking: HTTPAsking

  /// Creates a catalog that is read from an OPDS server.
  ///
  /// - Parameters:
  ///   - url: The address of a feed, `http` or `https`, without credentials in it.
  ///   - credentials: What accounts show to servers; each goes with its own account to its own server.
  ///   - limits: How much is taken; bytes, books and pages are counted over all pages.
  ///   - options: Limits of time, and what is done when the server is out of order.
  ///   - transport: What carries the requests.
  public init(
    _ url: URL, credentials: [HTTPCredentials] = [], limits: DocumentLimits = .init(),
    options: HTTPOptions = .init(), transport: any HTTPTransport = URLSessionTransport()
  ) {
    self.init(
      url, limits: limits,
      asking: HTTPAsking(transport: transport, credentials: credentials, options: options))
  }

  package init(_ url: URL, limits: DocumentLimits = .init(), asking: HTTPAsking) {
    self.url = url
    self.limits = limits
    self.asking = asking
  }

  /// Reads the catalog into a sink, page by page, or finds that it is as it was.
  ///
  /// - Throws: ``CatalogError`` as ``HTTPCatalog`` does; or the sink's own error, unchanged.
  @concurrent public func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    var reader = OPDSReader(
      client: asking.client(for: request.account), limits: limits, languages: request.languages)
    let answer = try await reader.client.first(
      url, accept: OPDSReader.accept, request: request, byteLimit: reader.byteLimit)
    if answer.isNotModified { return .notModified(answer.head(asked: request.validators)) }
    var first = try await reader.read(answer)
    var trail: Set<String> = [url.absoluteString, first.url.absoluteString]
    var isDirect = true
    while first.feed.isNavigation {
      first = try await reader.get(try way(on: first, trail: &trail))
      isDirect = false
    }
    let loans = try await reader.loans(of: first)
    // What several documents were made from can't be asked about as one.
    let isWhole = isDirect && first.feed.next == nil && loans == nil
    let sink = PagedSink(sink)
    var head = first.answer.head(isWhole: isWhole)
    head.expectedBooks = first.feed.expectedBooks
    try await sink.begin(head)
    return try await walk(from: first, loans: loans, &reader, sink)
  }

  /// Where a feed leads that only leads on: to all books if it says where they are, or the one way there is.
  private func way(
    on document: OPDSReader.Document, trail: inout Set<String>
  ) throws(CatalogError) -> URL {
    let place = HTTPPlace.text(document.url)
    let all = document.feed.link("http://opds-spec.org/crawlable")
    let choices = all.map { [$0] } ?? document.feed.choices
    guard choices.count == 1, let choice = choices.first else {
      let names = choices.prefix(Self.choicesNamed).map { choice in
        let target = HTTPAddress.resolve(choice.href, against: document.url)
        return "'\(choice.title ?? "")' at \(target.map(HTTPPlace.text) ?? "an address that can't be read")"
      }
      throw CatalogError(
        .badResponse,
        "\(place) holds no books; it leads to \(choices.count) other feeds. Give the address of one of them: "
          + names.joined(separator: ", ") + (choices.count > Self.choicesNamed ? ", …" : "."))
    }
    guard trail.count <= Self.depth else {
      throw CatalogError(.badResponse, "\(HTTPPlace.text(url)) leads from feed to feed without end.")
    }
    return try HTTPPaging.target(choice.href, from: document.url, seen: &trail)
  }

  private func walk(
    from first: OPDSReader.Document, loans: [CatalogEntry.Identifier: CatalogEntry]?,
    _ reader: inout OPDSReader, _ sink: PagedSink
  ) async throws(CatalogError) -> FetchConclusion {
    var document = first
    var missing = loans ?? [:]
    var seen: Set<String> = [url.absoluteString, first.url.absoluteString]
    var page = 1
    var incomplete: String?
    while true {
      do throws(CatalogError) {
        await sink.turn(to: page)
        incomplete = incomplete ?? Self.incompleteness(of: document)
        try await deliver(document.feed.page, loans ?? [:], &missing, sink)
        guard let next = document.feed.next else { break }
        guard page < limits.pages else { throw HTTPPaging.tooMany(limits.pages, url) }
        page += 1
        let target = try HTTPPaging.target(next, from: document.url, seen: &seen)
        document = try await reader.get(target)
        if let problem = Self.difference(of: document, from: first) { throw problem }
        if document.answer.freshness.directives.noStore, !first.answer.freshness.directives.noStore {
          throw HTTPPaging.forbidsStoring(page, url)
        }
      } catch {
        guard page > 1, await !sink.hasFailed, HTTPPaging.leavesPartial(error) else { throw error }
        incomplete = "Page \(page) couldn't be read, so books may be missing. \(error.message)"
        break
      }
    }
    await sink.turn(to: 1)
    // A loan is the reader's even if the catalog doesn't list it.
    let rest = missing.values.sorted { "\($0.identifier)" < "\($1.identifier)" }
    if !rest.isEmpty { try await sink.accept(FetchPage(entries: rest)) }
    return incomplete.map { .partial(reason: $0) } ?? .complete
  }

  private func deliver(
    _ page: FetchPage, _ loans: [CatalogEntry.Identifier: CatalogEntry],
    _ missing: inout [CatalogEntry.Identifier: CatalogEntry], _ sink: PagedSink
  ) async throws(CatalogError) {
    var page = page
    for index in page.entries.indices {
      guard let loan = loans[page.entries[index].identifier] else { continue }
      page.entries[index].isBorrowed = true
      page.entries[index].borrowedUntil = loan.borrowedUntil
      missing[page.entries[index].identifier] = nil
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
    if let one = first.feed.identifier, let other = document.feed.identifier, one != other {
      return CatalogError(.badResponse, "\(place) is a page of another feed.")
    }
    return nil
  }
}

/// Reads the documents of one walk, and counts what they cost.
struct OPDSReader {
  /// A feed, and where it came from in the end.
  struct Document {
    var feed: OPDSFeed
    var answer: HTTPClient.Answer
    var url: URL { answer.url }
  }

  static let accept =
    "application/opds+json, application/atom+xml;profile=opds-catalog, application/atom+xml;q=0.9, */*;q=0.1"
  /// A feed is read whole, so one may have no more than this.
  private static let bytesPerDocument = 32 << 20

  let client: HTTPClient
  let limits: DocumentLimits
  let languages: [String]
  private var byteCount = 0

  init(client: HTTPClient, limits: DocumentLimits, languages: [String]) {
    self.client = client
    self.limits = limits
    self.languages = languages
  }

  /// How many bytes the next document may have.
  var byteLimit: Int { max(0, min(Self.bytesPerDocument, limits.bytes - byteCount)) }

  mutating func get(_ url: URL) async throws(CatalogError) -> Document {
    try await read(
      try await client.get(url, accept: Self.accept, languages: languages, byteLimit: byteLimit))
  }

  mutating func read(_ answer: HTTPClient.Answer) async throws(CatalogError) -> Document {
    let bytes = try await answer.response.body.collect()
    byteCount += bytes.count
    let place = HTTPPlace.text(answer.url)
    let start = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    // The first character tells what it is; media types are often wrong.
    let feed =
      start == 0x7B
      ? try OPDS2Document.read(bytes, of: place, limits: limits, languages: languages)
      : try OPDS1Document.read(bytes, of: place, limits: limits)
    return Document(feed: feed, answer: answer)
  }

  /// The reader's loans by identifier; nil if the catalog has no shelf, or nobody to have one.
  ///
  /// - Throws: If the shelf is there and can't be read: without it every loan would seem to have ended.
  mutating func loans(
    of document: Document
  ) async throws(CatalogError) -> [CatalogEntry.Identifier: CatalogEntry]? {
    guard let reference = document.feed.shelf,
      let url = HTTPAddress.resolve(reference, against: document.url), client.hasCredentials(for: url)
    else { return nil }
    var loans: [CatalogEntry.Identifier: CatalogEntry] = [:]
    var seen: Set<String> = [url.absoluteString]
    var shelf =
      url.absoluteString == document.url.absoluteString ? document : try await get(url)
    for _ in 0..<limits.pages {
      guard shelf.feed.page.rejected.isEmpty || !shelf.feed.page.entries.isEmpty else {
        throw CatalogError(.badResponse, "The loans at \(HTTPPlace.text(shelf.url)) can't be read.")
      }
      for loan in shelf.feed.loans where loans[loan.identifier] == nil { loans[loan.identifier] = loan }
      guard let next = shelf.feed.next else { return loans }
      shelf = try await get(try HTTPPaging.target(next, from: shelf.url, seen: &seen))
    }
    throw HTTPPaging.tooMany(limits.pages, url)
  }
}

extension HTTPClient {
  /// Whether the account has something to show at an address.
  func hasCredentials(for url: URL) -> Bool {
    credentials.contains { $0.authorization(for: account, at: url) != nil }
  }
}
