public import CatalogDocuments
public import CatalogDomain
public import Foundation

/// A catalog on a web server, of whichever kind its answer turns out to be.
///
/// The first document tells: its media type if that is a feed's, else how it begins. Media types are often
/// wrong, so one that says nothing in particular isn't believed.
public struct ServerCatalog: CatalogFetching {
  /// The kinds of catalog that a server may have.
  public enum Kind: String, CaseIterable, Sendable {
    /// A JSON array of books, or one JSON object a line; see ``HTTPCatalog``.
    case plain
    /// OPDS, whichever version; see ``OPDSCatalog``.
    case opds
  }

  private static let accept =
    "application/opds+json, application/atom+xml;profile=opds-catalog, application/atom+xml;q=0.9, "
    + "application/json;q=0.9, application/x-ndjson;q=0.9, application/jsonl;q=0.9, */*;q=0.1"

  private let url: URL
  private let kind: Kind?
  private let limits: DocumentLimits
  private let asking: HTTPAsking

  /// Creates a catalog that is read from a web server.
  ///
  /// - Parameters:
  ///   - url: Its address, `http` or `https`, without credentials in it.
  ///   - kind: What it is; nil lets the answer tell.
  ///   - credentials: What accounts show to servers; each goes with its own account to its own server.
  ///   - limits: How much is taken; bytes, books and pages are counted over all pages.
  ///   - options: Limits of time, and what is done when the server is out of order.
  ///   - transport: What carries the requests.
  public init(
    _ url: URL, kind: Kind? = nil, credentials: [HTTPCredentials] = [], limits: DocumentLimits = .init(),
    options: HTTPOptions = .init(), transport: any HTTPTransport = URLSessionTransport()
  ) {
    self.url = url
    self.kind = kind
    self.limits = limits
    asking = HTTPAsking(transport: transport, credentials: credentials, options: options)
  }

  /// Reads the catalog into a sink, page by page, or finds that it is as it was.
  ///
  /// - Throws: ``CatalogError`` as ``HTTPCatalog`` does; or the sink's own error, unchanged.
  @concurrent public func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    let plain = HTTPCatalog(url, limits: limits, asking: asking)
    let opds = OPDSCatalog(url, limits: limits, asking: asking)
    switch kind {
    case .plain: return try await plain.fetch(request, into: sink)
    case .opds: return try await opds.fetch(request, into: sink)
    case nil: break
    }
    let client = asking.client(for: request.account)
    var answer = try await client.first(
      url, accept: Self.accept, request: request,
      scope: ValidatorScope(url, by: "server", client, languages: request.languages, limits: limits),
      byteLimit: limits.bytes)
    if answer.isNotModified { return .notModified(answer.head(asked: request.validators)) }
    let opening = Opening(of: answer.response.body)
    let kind = try await opening.kind(
      mediaType: answer.response.fields.values(of: "Content-Type").first)
    answer.response.body = opening.whole
    switch kind {
    case .plain: return try await plain.read(answer, client, request, into: sink)
    case .opds: return try await opds.read(answer, client, request, into: sink)
    }
  }
}

/// The beginning of a body, looked at before it is read.
private actor Opening {
  private static let bytesLookedAt = 64 << 10
  /// Feeds, and what may come in place of one, which isn't a book either.
  private static let typesOfOPDS: Set = [
    "application/opds+json", "application/atom+xml", "application/opds-publication+json",
    OPDSAuthenticationDocument.mediaType, "application/problem+json",
  ]

  private let body: HTTPBody
  private var chunks: [[UInt8]] = []

  init(of body: HTTPBody) {
    self.body = body
  }

  /// The body from its beginning, after it was looked at.
  nonisolated var whole: HTTPBody {
    HTTPBody(
      next: { () async throws(CatalogError) in try await self.next() }, cancel: { [body] in body.cancel() })
  }

  func kind(mediaType: String?) async throws(CatalogError) -> ServerCatalog.Kind {
    if let type = mediaType?.prefix(while: { $0 != ";" }).lowercased().trimmingBlanks() {
      if Self.typesOfOPDS.contains(type) { return .opds }
      if ["application/x-ndjson", "application/jsonl"].contains(type) { return .plain }
    }
    var bytes: [UInt8] = []
    while bytes.count < Self.bytesLookedAt, let more = try await body.next() {
      chunks.append(more)
      bytes += more
      if let kind = DocumentKind.kind(of: bytes) { return kind }
    }
    return .plain
  }

  private func next() async throws(CatalogError) -> [UInt8]? {
    if !chunks.isEmpty { return chunks.removeFirst() }
    return try await body.next()
  }
}
