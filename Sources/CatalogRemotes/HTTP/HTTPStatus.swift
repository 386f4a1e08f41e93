import CatalogDomain

/// Why a server doesn't answer: nobody said who asks, and it would take what can be shown.
package struct HTTPCredentialsMissing: Error {
  /// Whether a user name and a password would do, and not a token alone.
  package var takesPasswords: Bool
}

/// What a status that isn't a success means in the catalog's terms.
enum HTTPStatus {
  /// What came with a 404: a web page says that the address is wrong, not that nothing was found there.
  struct Missing: Error {
    var isWebPage: Bool
  }

  /// - Parameter flows: The ways to sign in that a document with the answer offers; nil if none came with it.
  static func failure(
    _ response: HTTPResponse, at place: String, now: Timestamp, sentCredentials: Bool, flows: [String]? = nil
  ) -> CatalogError {
    let status = response.status
    let retryAfter = retryAfter(response.fields, now: now)
    func made(_ code: CatalogError.Code, _ message: String) -> CatalogError {
      CatalogError(code, message, retryAfter: retryAfter)
    }
    switch status {
    case 401:
      if !sentCredentials, foreignSchemes(response) == nil,
        flows.map({ $0.isEmpty || $0.contains("basic") }) ?? true
      {
        let schemes = schemes(response.fields.values(of: "WWW-Authenticate"))
        let takesPasswords = schemes.isEmpty || schemes.contains("basic")
        return CatalogError(
          .unauthorized,
          "\(place) wants to know who asks (401), by "
            + (takesPasswords ? "a user name and a password, or a token." : "a token."),
          cause: HTTPCredentialsMissing(takesPasswords: takesPasswords))
      }
      return CatalogError(.unauthorized, unauthorized(response, place, sentCredentials, flows))
    case 403:
      return made(
        .forbidden,
        "\(place) refuses access (403). After wrong passwords some servers do so for a while, even with the "
          + "right one.")
    case 404:
      var missing = made(.notFound, "\(place) has no such thing (404). Check the address.")
      let type = response.fields.values(of: "Content-Type").first?.lowercased() ?? ""
      missing.cause = Missing(isWebPage: type.contains("html"))
      return missing
    case 408: return made(.timedOut, "\(place) waited too long for the request (408). Try again.")
    case 410: return made(.gone, "\(place) has it no longer (410). Ask whoever runs the server.")
    case 429: return made(.throttled, "\(place) asks to be left alone for a while (429).")
    case 500, 502, 503, 504:
      return made(.serverError, "\(place) is out of order (\(status)). Try again later.")
    case 400 where sentCredentials:
      return made(
        .badResponse,
        "\(place) doesn't understand the request (400). Some servers answer so to a way of signing in that "
          + "they don't know.")
    default:
      return made(.badResponse, "\(place) answered with status \(status), which is no catalog.")
    }
  }

  /// `Retry-After`: seconds or a date (RFC 9110 §10.2.3).
  static func retryAfter(_ fields: [HTTPField], now: Timestamp) -> Duration? {
    guard let text = fields.values(of: "Retry-After").first else { return nil }
    if let seconds = CacheControl.deltaSeconds(text) { return .seconds(seconds) }
    return HTTPDate.parse(text, now: now).map { max(.zero, $0 - now) }
  }

  private static func unauthorized(
    _ response: HTTPResponse, _ place: String, _ sentCredentials: Bool, _ flows: [String]?
  ) -> String {
    if let schemes = foreignSchemes(response) {
      return "\(place) asks for the scheme '\(schemes.joined(separator: "', '"))' (401), which can't be done "
        + "here; only Basic and Bearer can. Set the server to one of them."
    }
    if sentCredentials {
      return "\(place) doesn't accept the credentials (401). Check them; they aren't tried again."
    }
    return
      "\(place) lets a reader sign in by '\((flows ?? []).joined(separator: "', '"))' (401), which can't be done "
      + "here. Give a token that was got in that way."
  }

  /// The schemes that an answer asks for, if none of them can be done here; nil if one can, or none is named.
  static func foreignSchemes(_ response: HTTPResponse) -> [String]? {
    let schemes = schemes(response.fields.values(of: "WWW-Authenticate"))
    return schemes.isEmpty || schemes.contains { $0 == "basic" || $0 == "bearer" } ? nil : schemes
  }

  /// The schemes of the challenges, in small letters: a word before a blank or at the end that isn't a
  /// parameter (RFC 9110 §11.6.1).
  static func schemes(_ values: [String]) -> [String] {
    var schemes: [String] = []
    for value in values {
      var rest = Substring(value)
      var isStart = true
      while !rest.isEmpty {
        let word = rest.prefix { $0.utf8.allSatisfy(\.isTokenByte) }
        rest = rest.dropFirst(word.count)
        let after = rest.drop { $0 == " " || $0 == "\t" }
        if isStart, !word.isEmpty, after.first != "=" {
          schemes.append(String(decoding: word.utf8.map(\.lowercasedASCII), as: UTF8.self))
        }
        // On to the next comma that isn't in a string.
        var isInString = false
        var isEscaped = false
        while let character = rest.first, isInString || character != "," {
          if isEscaped {
            isEscaped = false
          } else if isInString, character == "\\" {
            isEscaped = true
          } else if character == "\"" {
            isInString.toggle()
          }
          rest = rest.dropFirst()
        }
        rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" || $0 == "," }
        isStart = true
      }
    }
    var known: Set<String> = []
    return Array(schemes.filter { known.insert($0).inserted && $0.count <= 32 }.prefix(10))
  }
}
