public import CatalogDocuments
public import CatalogDomain
public import Foundation

/// A catalog of an OPDS server, version 1.2 or 2.0: whichever each document turns out to be.
///
/// It walks from the first feed by its `next` links alone. A page that can't be had, changes its kind or is
/// another feed's makes the answer partial. If the account has credentials for the server, the reader's shelf
/// is read first, and says which books are on loan.
///
/// A feed that only leads to other feeds is followed: to the one feed that holds all books if it names it, or
/// where there is only one way; else to each feed that it leads to, and those that hold books are read one
/// after the other. Feeds that lead further still aren't followed. Then the answer is complete if two feeds or
/// more turn out to hold the same books, as a server's "newest" and "by title" do, and one of them shows that it
/// was read to its end, by its pages or by saying how many books there are; it is partial otherwise. If no feed
/// holds books, the error lists what could be chosen.
public struct OPDSCatalog: CatalogFetching {
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
    let client = asking.client(for: request.account)
    let answer = try await client.first(
      url, accept: OPDSReader.accept, request: request,
      scope: ValidatorScope(url, by: "opds", client, languages: request.languages, limits: limits),
      byteLimit: min(limits.bytes, OPDSReader.bytesPerDocument))
    return try await read(answer, client, request, into: sink)
  }

  /// Reads on from the answer to the first question.
  func read(
    _ answer: HTTPClient.Answer, _ client: HTTPClient, _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    if answer.isNotModified { return .notModified(answer.head(asked: request.validators)) }
    let reader = OPDSReader(client: client, limits: limits, languages: request.languages)
    var walk = OPDSWalk(from: url, limits: limits, reader, PagedSink(sink))
    return try await walk.run(answer)
  }
}
