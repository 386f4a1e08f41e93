public import CatalogDocuments
public import CatalogDomain
public import Foundation

/// A catalog on a web server, in the plain form: a JSON array of books, or one JSON object a line.
///
/// A catalog may be spread over pages that name the next one in a `Link` field with `rel="next"` (RFC 8288).
/// If a page after the first can't be had, what came before is a partial answer. It is asked "has it changed?"
/// only if the last answer was a single document: an unchanged first page proves nothing of the second.
public struct HTTPCatalog: CatalogFetching {
  static let accept = "application/json, application/x-ndjson, application/jsonl, */*;q=0.1"

  private let url: URL
  private let limits: DocumentLimits
  private let asking: HTTPAsking

  /// Creates a catalog that is read from a web server.
  ///
  /// - Parameters:
  ///   - url: Its address, `http` or `https`, without credentials in it.
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
  /// - Throws: ``CatalogError`` with a code for what the server or the connection did (`offline`, `timedOut`,
  ///   `serverError`, `unauthorized`, `forbidden`, `notFound`, `gone`, `throttled`), `badResponse` if it is no
  ///   catalog, `tooLarge`, `cancelled`; or the sink's own error, unchanged.
  @concurrent public func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    let client = asking.client(for: request.account)
    let first = try await client.first(
      url, accept: Self.accept, request: request,
      scope: ValidatorScope(url, by: "plain", client, languages: request.languages, limits: limits),
      byteLimit: limits.bytes)
    return try await read(first, client, request, into: sink)
  }

  /// Reads on from the answer to the first question.
  func read(
    _ answer: HTTPClient.Answer, _ client: HTTPClient, _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    if answer.isNotModified { return .notModified(answer.head(asked: request.validators)) }
    return try await walk(from: answer, client, request, PagedSink(sink))
  }

  private func walk(
    from first: HTTPClient.Answer, _ client: HTTPClient, _ request: FetchRequest, _ sink: PagedSink
  ) async throws(CatalogError) -> FetchConclusion {
    var answer = first
    var seen: Set<String> = [url.absoluteString, first.url.absoluteString]
    var byteCount = 0
    var page = 1
    var incomplete: String?
    try await sink.begin(first.head(isWhole: first.next == nil))
    while true {
      let next = answer.next
      do throws(CatalogError) {
        await sink.turn(to: page, under: page == 1 ? nil : answer.freshness)
        let conclusion = try await deliver(answer, page, &byteCount, sink)
        if case .partial(let reason) = conclusion, incomplete == nil { incomplete = reason }
        guard let next else { break }
        guard page < limits.pages else { throw HTTPPaging.tooMany(limits.pages, url) }
        page += 1
        let target = try HTTPPaging.target(next, from: answer.url, seen: &seen)
        answer = try await client.get(
          target, accept: Self.accept, languages: request.languages,
          byteLimit: max(0, limits.bytes - byteCount))
        if answer.freshness.directives.noStore, !first.freshness.directives.noStore {
          throw HTTPPaging.forbidsStoring(page, url)
        }
      } catch {
        guard page > 1, await !sink.hasFailed, HTTPPaging.leavesPartial(error) else { throw error }
        return .partial(reason: "Page \(page) couldn't be read, so books may be missing. \(error.message)")
      }
    }
    return incomplete.map { .partial(reason: $0) } ?? .complete
  }

  private func deliver(
    _ answer: HTTPClient.Answer, _ page: Int, _ byteCount: inout Int, _ sink: PagedSink
  ) async throws(CatalogError) -> FetchConclusion {
    let place = HTTPPlace.text(answer.url)
    let source = page == 1 ? place : "Page \(page), \(place),"
    var rest = limits
    rest.bytes = max(0, limits.bytes - byteCount)
    rest.books = max(0, limits.books - (await sink.itemCount))
    var delivery = PlainCatalogDelivery(of: source, limits: rest, to: sink)
    while let bytes = try await answer.response.body.next() {
      byteCount += bytes.count
      try await delivery.feed(bytes)
    }
    return try await delivery.finish()
  }
}

/// How a server is asked, apart from who asks.
package struct HTTPAsking: Sendable {
  package var transport: any HTTPTransport
  package var credentials: [HTTPCredentials]
  package var options: HTTPOptions
  package var clock: any WallClock
  package var jitter: @Sendable () -> Double

  package init(
    transport: any HTTPTransport, credentials: [HTTPCredentials] = [], options: HTTPOptions = .init(),
    clock: any WallClock = HTTPSystemClock(),
    jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.transport = transport
    self.credentials = credentials
    self.options = options
    self.clock = clock
    self.jitter = jitter
  }

  func client(for account: AccountID) -> HTTPClient {
    HTTPClient(
      transport: transport, credentials: credentials, account: account, options: options, clock: clock,
      jitter: jitter)
  }
}

extension HTTPClient {
  /// Asks for the first document, with what is held already.
  ///
  /// What is held of something else isn't asked about. A "not modified" that is about something else than what is
  /// held, or only about the first of several pages, is asked again without validators.
  func first(
    _ url: URL, accept: String, request: FetchRequest, scope: ValidatorScope, byteLimit: Int
  ) async throws(CatalogError) -> Answer {
    let held = request.validators.flatMap { scope.mayCover($0) ? $0 : nil }
    var answer = try await get(
      url, accept: accept, validators: held, languages: request.languages, byteLimit: byteLimit)
    if answer.isNotModified, let held {
      let isAboutHeld = answer.freshness.confirms(held) && scope.covers(held, from: answer.url)
      if !isAboutHeld || answer.next != nil {
        answer = try await get(url, accept: accept, languages: request.languages, byteLimit: byteLimit)
      }
    }
    answer.scope = scope.text(from: answer.url)
    return answer
  }
}

extension HTTPClient.Answer {
  /// The target of the first `Link` with `rel="next"`.
  var next: String? {
    HTTPLink.links(in: response.fields.values(of: "Link")).first { $0.relations.contains("next") }?.target
  }

  /// The head of an answer with books; only a single document can be validated.
  func head(isWhole: Bool) -> FetchHead {
    var validators = isWhole ? freshness.validators : nil
    validators?.scope = scope
    return FetchHead(
      validators: validators, freshness: freshness.directives, initialAge: freshness.initialAge)
  }

  /// The head of a 304: its own times and terms, and what it leaves unsaid of the validators stays.
  func head(asked: FetchValidators?) -> FetchHead {
    var terms = freshness.directives
    // A guess doesn't take the place of what was said.
    if !freshness.hasCacheControl, freshness.lifetimeSource == .heuristic { terms.lifetime = nil }
    return FetchHead(
      validators: FetchValidators(
        entityTag: freshness.validators?.entityTag ?? asked?.entityTag,
        lastModified: freshness.validators?.lastModified ?? asked?.lastModified, scope: scope),
      freshness: terms, initialAge: freshness.initialAge, keepsDirectives: !freshness.hasCacheControl)
  }
}

/// The rules of a walk from page to page, whatever the pages are written in.
enum HTTPPaging {
  /// Where the next page is; not a page that was read already, and not out of https.
  static func target(_ reference: String, from url: URL, seen: inout Set<String>) throws(CatalogError) -> URL
  {
    let target = try HTTPAddress.target(reference, from: url, as: "a next page")
    guard seen.insert(target.absoluteString).inserted else {
      throw CatalogError(
        .badResponse,
        "\(HTTPPlace.text(url)) names a next page that was read already: the pages go in a circle.")
    }
    return target
  }

  /// Whether an error on a later page leaves a partial answer; over a bound, given up or shut out doesn't.
  static func leavesPartial(_ error: CatalogError) -> Bool {
    error.code != .cancelled && error.code != .tooLarge && error.code != .unauthorized
      && error.code != .notStored
  }

  static func tooMany(_ limit: Int, _ url: URL) -> CatalogError {
    CatalogError(
      .tooLarge,
      "\(HTTPPlace.text(url)) has more than \(limit) pages. Nothing of it was taken; raise the limit if that is "
        + "right.")
  }

  static func forbidsStoring(_ page: Int, _ url: URL) -> CatalogError {
    CatalogError(
      .notStored,
      "\(HTTPPlace.text(url)): page \(page) may not be stored, and the first may; nothing was taken.")
  }
}
