import CatalogDocuments
import CatalogDomain
import Foundation

/// Reads the documents of one walk, and counts what they cost.
struct OPDSReader {
  /// A feed, and where it came from in the end.
  struct Document {
    var feed: OPDSFeed
    var answer: HTTPClient.Answer
    /// Whether it is written in JSON, as OPDS 2 is.
    var isJSON: Bool
    var url: URL { answer.url }
  }

  static let accept =
    "application/opds+json, application/atom+xml;profile=opds-catalog, application/atom+xml;q=0.9, */*;q=0.1"
  /// A feed is read whole, so one may have no more than this.
  static let bytesPerDocument = 32 << 20

  let client: HTTPClient
  let limits: DocumentLimits
  let languages: [String]
  /// How many bytes were read so far.
  private(set) var byteCount = 0
  /// The strictest terms of all that was read so far.
  private(set) var terms = FetchHead()

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
    let place = HTTPPlace.text(answer.url)
    let bytes = try await answer.response.body.collect(atMost: byteLimit, of: place)
    byteCount += bytes.count
    terms.tighten(by: answer.freshness.directives, initialAge: answer.freshness.initialAge)
    let start = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    // The first character tells what it is; media types are often wrong.
    let isJSON = start == 0x7B
    var feed =
      isJSON
      ? try OPDS2Document.read(bytes, of: place, limits: limits, languages: languages)
      : try OPDS1Document.read(bytes, of: place, limits: limits)
    let isTyped = answer.response.fields.values(of: "Content-Type").contains(where: OPDSFeed.isProfile)
    if !feed.saysOPDS, !isTyped { try Self.doubt(&feed, of: place) }
    return Document(feed: feed, answer: answer, isJSON: isJSON)
  }

  /// A feed that nothing says is OPDS may be a blog's: its posts aren't books, and that it has none says nothing.
  private static func doubt(_ feed: inout OPDSFeed, of place: String) throws(CatalogError) {
    guard feed.page.entries.isEmpty, feed.page.rejected.isEmpty, feed.choices.isEmpty else {
      throw CatalogError(
        .badResponse,
        "\(place) is a feed of Atom, but nothing in it says that it is an OPDS catalog. Check the address.")
    }
    feed.omission = "nothing in it says that it is an OPDS catalog, and it is empty"
  }

  /// What the reader has on loan.
  struct Loans {
    /// By identifier.
    var entries: [CatalogEntry.Identifier: CatalogEntry] = [:]
    /// Those whose records couldn't be read: loans all the same, if the catalog lists the book.
    var unread: Set<CatalogEntry.Identifier> = []
  }

  /// Whether a document says where the reader's loans are.
  func hasShelf(_ document: Document) -> Bool { shelf(of: document) != nil }

  private func shelf(of document: Document) -> URL? {
    guard let reference = document.feed.shelf,
      let url = HTTPAddress.resolve(reference, against: document.url), client.hasCredentials(for: url)
    else { return nil }
    return url
  }

  /// The reader's loans; nil if the catalog has no shelf, or nobody to have one.
  ///
  /// - Throws: If the shelf is there and can't be read: without it every loan would seem to have ended.
  mutating func loans(of document: Document) async throws(CatalogError) -> Loans? {
    guard let url = shelf(of: document) else { return nil }
    var loans = Loans()
    var itemCount = 0
    var seen: Set<String> = [url.absoluteString]
    var shelf =
      url.absoluteString == document.url.absoluteString ? document : try await get(url)
    let expected = shelf.feed.expectedBooks
    for _ in 0..<limits.pages {
      let page = shelf.feed.page
      guard page.rejected.allSatisfy({ $0.identifier != nil }), shelf.feed.omission == nil,
        !shelf.feed.isNavigation
      else {
        throw CatalogError(.badResponse, "The loans at \(HTTPPlace.text(shelf.url)) can't be read.")
      }
      itemCount += page.entries.count + page.rejected.count
      for loan in shelf.feed.loans where loans.entries[loan.identifier] == nil {
        loans.entries[loan.identifier] = loan
      }
      loans.unread.formUnion(shelf.feed.unreadLoans)
      guard let next = shelf.feed.next else {
        guard expected.map({ $0 <= itemCount }) ?? true else {
          throw CatalogError(
            .badResponse,
            "\(HTTPPlace.text(url)) says that it has \(expected ?? 0) loans, and gave \(itemCount).")
        }
        return loans
      }
      shelf = try await get(try HTTPPaging.target(next, from: shelf.url, seen: &seen))
    }
    throw HTTPPaging.tooMany(limits.pages, url)
  }
}

extension HTTPBody {
  /// Returns everything that is left, unless that is more than a document may have.
  func collect(atMost limit: Int, of place: String) async throws(CatalogError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let more = try await next() {
      bytes += more
      guard bytes.count <= limit else {
        cancel()
        throw CatalogError(
          .tooLarge, "\(place) is a feed of more than \(limit) bytes; nothing of it was taken.")
      }
    }
    return bytes
  }
}

extension HTTPClient {
  /// Whether the account has something to show at an address.
  func hasCredentials(for url: URL) -> Bool {
    credentials.contains { $0.authorization(for: account, at: url) != nil }
  }
}
