import CatalogDocuments
import CatalogDomain
import Foundation

/// Asks a server on behalf of one account: redirects, credentials, waits, and what a status means.
struct HTTPClient: Sendable {
  /// An answer that can be used: a 200, or a 304 to a question with validators.
  struct Answer: Sendable {
    var response: HTTPResponse
    /// Where the answer came from in the end; addresses in it are relative to this.
    var url: URL
    var freshness: HTTPFreshness
    /// What its validators are about.
    var scope: String?

    var isNotModified: Bool { response.status == 304 }
  }

  let transport: any HTTPTransport
  let credentials: [HTTPCredentials]
  let account: AccountID
  let options: HTTPOptions
  let clock: any WallClock
  /// A number from 0 to 1, for the random part of a wait.
  let jitter: @Sendable () -> Double

  /// Where the account has something to show.
  var origins: [String] { Set(credentials.compactMap { $0.place(for: account) }).sorted() }

  /// Asks, and waits and asks again where that may help.
  ///
  /// - Parameters:
  ///   - url: Where to ask.
  ///   - accept: The media types that are understood.
  ///   - validators: What is held already; nil asks unconditionally.
  ///   - languages: The reader's languages, best first.
  ///   - byteLimit: How many bytes the answer may have.
  func get(
    _ url: URL, accept: String, validators: FetchValidators? = nil, languages: [String] = [], byteLimit: Int
  ) async throws(CatalogError) -> Answer {
    var fields = [HTTPField("Accept", accept)]
    if let tag = validators?.entityTag {
      fields.append(HTTPField("If-None-Match", tag))
    }
    if let date = validators?.lastModified { fields.append(HTTPField("If-Modified-Since", date)) }
    // Both are said in any case: a transport of the system's would say something of its own, of the device.
    fields.append(HTTPField("Accept-Language", Self.acceptLanguage(languages) ?? "*"))
    fields.append(HTTPField("User-Agent", "OfflineCatalog"))
    var attempt = 0
    while true {
      let failure: CatalogError
      do throws(CatalogError) {
        return try await follow(
          url, fields: fields, isConditional: validators != nil, byteLimit: byteLimit)
      } catch {
        failure = error
      }
      guard attempt < options.retries, Self.mayHelp(failure), let wait = wait(attempt, failure) else {
        throw failure
      }
      attempt += 1
      do throws(CancellationError) {
        try await clock.sleep(for: wait)
      } catch {
        throw CatalogError(.cancelled, "Asking \(HTTPPlace.text(url)) was cancelled.")
      }
    }
  }

  /// Whether asking again may bring another answer; a refused password brings a ban.
  private static func mayHelp(_ failure: CatalogError) -> Bool {
    failure.code == .serverError || failure.code == .throttled
  }

  /// How long to wait, or nil if that is longer than anybody should.
  private func wait(_ attempt: Int, _ failure: CatalogError) -> Duration? {
    if let asked = failure.retryAfter { return asked <= options.longestWait ? asked : nil }
    let doubled = (0..<min(attempt, 30)).reduce(options.firstWait) { wait, _ in
      min(options.longestWait, wait * 2)
    }
    return doubled * (1 - 0.5 * min(max(jitter(), 0), 1))
  }

  private func follow(
    _ start: URL, fields: [HTTPField], isConditional: Bool, byteLimit: Int
  ) async throws(CatalogError) -> Answer {
    var url = try Self.checked(start)
    var seen: Set<String> = []
    while true {
      guard seen.insert(url.absoluteString).inserted, seen.count <= options.redirects + 1 else {
        throw CatalogError(
          .badResponse, "\(HTTPPlace.text(start)) redirects in a circle, or too often. Check the address.")
      }
      var all = fields
      if let header = credentials.lazy.compactMap({ $0.authorization(for: account, at: url) }).first {
        all.append(HTTPField("Authorization", header))
      }
      let requestedAt = clock.read().wall
      let response = try await transport.send(
        HTTPRequest(url, fields: all, deadline: options.deadline, byteLimit: byteLimit))
      let receivedAt = clock.read().wall
      switch response.status {
      case 200, 203:
        return Answer(
          response: response, url: url,
          freshness: HTTPFreshness(
            response.fields, requestedAt: requestedAt, receivedAt: receivedAt, heuristic: options.heuristic))
      case 304 where isConditional:
        return Answer(
          response: response, url: url,
          freshness: HTTPFreshness(
            response.fields, requestedAt: requestedAt, receivedAt: receivedAt, heuristic: options.heuristic))
      case 301, 302, 303, 307, 308:
        url = try Self.target(of: response, from: url)
      case 400 where all.count > fields.count:
        // Some servers that want another scheme don't say so to who uses this one; they do to a stranger.
        let stranger = try await transport.send(
          HTTPRequest(url, fields: fields, deadline: options.deadline, byteLimit: byteLimit))
        let isToldWhy = stranger.status == 401 && HTTPStatus.foreignSchemes(stranger) != nil
        throw HTTPStatus.failure(
          isToldWhy ? stranger : response, at: HTTPPlace.text(url), now: receivedAt, sentCredentials: true)
      default:
        throw HTTPStatus.failure(
          response, at: HTTPPlace.text(url), now: receivedAt, sentCredentials: all.count > fields.count,
          flows: await Self.flows(in: response))
      }
    }
  }

  /// The ways to sign in that come with a 401 in a document; nil if there is none.
  private static func flows(in response: HTTPResponse) async -> [String]? {
    let type = response.fields.values(of: "Content-Type").first?.prefix { $0 != ";" }
    guard response.status == 401, let type,
      String(type).trimmingBlanks().equalsIgnoringASCIICase(OPDSAuthenticationDocument.mediaType)
    else { return nil }
    // A document that is cut off or too long leaves the 401 as clear as it is without one.
    let bytes = try? await response.body.collect(atMost: 1 << 20, of: "")  // see above
    return bytes.flatMap(OPDSAuthenticationDocument.flows)
  }

  /// Where a redirect leads.
  private static func target(of response: HTTPResponse, from url: URL) throws(CatalogError) -> URL {
    try HTTPAddress.target(
      response.fields.values(of: "Location").first ?? "", from: url, as: "a redirect (\(response.status))")
  }

  /// An address that may be asked.
  private static func checked(_ url: URL) throws(CatalogError) -> URL {
    guard HTTPOrigin(url) != nil else {
      throw CatalogError(
        .notFound,
        "An address with the scheme '\(url.scheme ?? "")' isn't one of a web server; give one that "
          + "begins with http: or https:.")
    }
    guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
      throw CatalogError(
        .unauthorized,
        "The address \(HTTPPlace.text(url)) holds a user name or a password; give credentials apart from it.")
    }
    guard let canonical = HTTPAddress.canonical(url) else {
      throw CatalogError(.notFound, "The address \(HTTPPlace.text(url)) can't be read.")
    }
    return canonical
  }

  private static func acceptLanguage(_ languages: [String]) -> String? {
    let tags = languages.prefix(10).filter { tag in
      !tag.isEmpty && tag.utf8.count <= 35
        && tag.utf8.allSatisfy { $0.isDigit || $0 == 0x2D || (0x61...0x7A).contains($0.lowercasedASCII) }
    }
    guard !tags.isEmpty else { return nil }
    return tags.enumerated()
      .map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(max(1, 10 - $0.offset))" }
      .joined(separator: ", ")
  }
}
