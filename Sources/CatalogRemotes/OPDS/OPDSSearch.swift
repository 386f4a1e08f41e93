public import CatalogDocuments
public import CatalogDomain
public import Foundation

/// Searches on an OPDS server, by the server's own rule.
///
/// How to search is found once, from the feed at the address: an OpenSearch description, a template of OPDS 2,
/// or calibre's template in the feed itself. A hit has the server's identifier and no `id`, which is the
/// store's to give:
///
/// ```swift
/// let search = OPDSSearch(url, account: account)
/// let service = AsyncBookSearch(mode: OPDSSearch.mode) { query in
///   try await search.books(matching: query, ids: catalog.ids)
/// }
/// ```
public actor OPDSSearch {
  /// The rule: the server's.
  public static let mode = SearchMode.serverDefined("opds")

  private struct Template {
    var text: String
    var base: URL
    /// It stands in a feed of Atom itself, as calibre writes it: there a 404 means that there are no hits.
    var isInline: Bool
  }

  private let url: URL
  private let client: HTTPClient
  private let limits: DocumentLimits
  private let languages: [String]
  private let hitLimit: Int
  private let pageLimit: Int
  private var template: Template?

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - url: The address of a feed of the server.
  ///   - account: Who searches; credentials are chosen by it.
  ///   - credentials: What accounts show to servers.
  ///   - languages: The reader's languages, best first.
  ///   - hitLimit: How many hits are wanted at most.
  ///   - pageLimit: How many pages of hits are read at most.
  ///   - limits: How much is taken.
  ///   - options: Limits of time, and what is done when the server is out of order.
  ///   - transport: What carries the requests.
  public init(
    _ url: URL, account: AccountID, credentials: [HTTPCredentials] = [], languages: [String] = [],
    hitLimit: Int = 100, pageLimit: Int = 5, limits: DocumentLimits = .init(), options: HTTPOptions = .init(),
    transport: any HTTPTransport = URLSessionTransport()
  ) {
    self.url = url
    client = HTTPAsking(transport: transport, credentials: credentials, options: options).client(for: account)
    self.limits = limits
    self.languages = languages
    self.hitLimit = hitLimit
    self.pageLimit = pageLimit
  }

  /// Returns the server's hits in its own order, each once; a blank query has none.
  ///
  /// - Throws: ``CatalogError`` with a code for what the server or the connection did, or `badResponse` if the
  ///   server offers no search.
  public func hits(for query: String) async throws(CatalogError) -> [CatalogEntry] {
    guard !query.unicodeScalars.allSatisfy(\.properties.isWhitespace), hitLimit > 0 else { return [] }
    var reader = OPDSReader(client: client, limits: limits, languages: languages)
    let isKnown = template != nil
    let template = try await found(&reader)
    guard let text = SearchTemplate.expand(template.text, query: query) else {
      throw Self.noSearch(template.base)
    }
    var target = try HTTPAddress.target(text, from: template.base, as: "a search")
    var hits: [CatalogEntry] = []
    var known: Set<CatalogEntry.Identifier> = []
    var seen: Set<String> = [target.absoluteString]
    for page in 1...max(1, pageLimit) {
      let document: OPDSReader.Document
      do throws(CatalogError) {
        document = try await reader.get(target)
      } catch {
        guard error.code == .notFound, template.isInline || page > 1,
          (error.cause as? HTTPStatus.Missing)?.isWebPage != true
        else { throw error }
        // A server that is gone says the same as one that has no hits: the feed tells which it is.
        if isKnown, page == 1 {
          self.template = nil
          _ = try await found(&reader)
        }
        return hits
      }
      let isReadable =
        !document.feed.page.entries.isEmpty
        || document.feed.page.rejected.isEmpty && !document.feed.isNavigation
      guard isReadable else {
        throw CatalogError(
          .badResponse, "\(HTTPPlace.text(document.url)) answers the search with nothing that is a book.")
      }
      for entry in document.feed.page.entries where known.insert(entry.identifier).inserted {
        hits.append(entry)
        if hits.count == hitLimit { return hits }
      }
      guard let next = document.feed.next else { break }
      target = try HTTPPaging.target(next, from: document.url, seen: &seen)
    }
    return hits
  }

  /// Returns the hits as books with an `id`; those that the store has none for are left out.
  ///
  /// - Parameters:
  ///   - query: What to search for.
  ///   - ids: The ids of books that the server calls so, in the same order: the catalog's `ids(of:)`, which gives
  ///     one to a book that isn't held too.
  public func books(
    matching query: String,
    ids: @Sendable ([CatalogEntry.Identifier]) throws(CatalogError) -> [Int?]
  ) async throws(CatalogError) -> [SearchBook] {
    let hits = try await hits(for: query)
    return zip(hits, try ids(hits.map(\.identifier))).compactMap { hit, id in
      id.map { SearchBook(id: $0, title: hit.title) }
    }
  }

  private func found(_ reader: inout OPDSReader) async throws(CatalogError) -> Template {
    if let template { return template }
    let document = try await reader.get(url)
    let links = document.feed.links.filter { $0.relations.contains("search") }
    let description = links.first {
      $0.type?.lowercased().hasPrefix("application/opensearchdescription") == true
    }
    let made: Template
    if let direct = links.first(where: { $0.href.contains("{") }) {
      made = Template(
        text: direct.href, base: document.url, isInline: !document.isJSON)
    } else if let description {
      let answer = try await client.get(
        try HTTPAddress.target(description.href, from: document.url, as: "a description of its search"),
        accept: "application/opensearchdescription+xml, */*;q=0.1", languages: languages,
        byteLimit: 1 << 20)
      let bytes = try await answer.response.body.collect()
      made = Template(
        text: try OpenSearchDescription.template(in: bytes, of: HTTPPlace.text(answer.url)), base: answer.url,
        isInline: false)
    } else {
      throw Self.noSearch(document.url)
    }
    template = made
    return made
  }

  private static func noSearch(_ url: URL) -> CatalogError {
    CatalogError(
      .badResponse,
      "\(HTTPPlace.text(url)) offers no search that is understood.")
  }
}
