import CatalogDomain
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What messages call a place on the web: without user, query and fragment, which may hold secrets.
enum HTTPPlace {
  static func text(_ url: URL) -> String {
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let host = parts.percentEncodedHost
    else { return "The server" }
    let port = parts.port.map { ":\($0)" } ?? ""
    return
      "'\(parts.scheme ?? "")://\(ServerText.brief(host))\(port)\(ServerText.brief(parts.percentEncodedPath))'"
  }
}

/// What a server says, where a message repeats it.
enum ServerText {
  private static let length = 120

  /// Returns a text cut short, and without what a terminal or a log might obey rather than show.
  static func brief(_ text: String) -> String {
    let shown = text.unicodeScalars.lazy.filter {
      ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
    }
    let start = shown.prefix(length + 1)
    var brief = String(String.UnicodeScalarView(start.prefix(length)))
    if start.count > length { brief += "…" }
    return brief
  }
}

/// What a failed exchange is in the catalog's terms.
enum HTTPFailure {
  /// Translates an error of the session; it is the one place that knows its codes.
  static func translate(_ error: any Error, at place: String, hasHead: Bool) -> CatalogError {
    guard let error = error as? URLError else {
      return CatalogError(.offline, "Asking \(place) failed; check the connection.", cause: error)
    }
    func made(_ code: CatalogError.Code, _ message: String) -> CatalogError {
      CatalogError(code, message, cause: error)
    }
    switch error.code {
    case .cancelled:
      return made(.cancelled, "Asking \(place) was cancelled.")
    case .timedOut:
      return made(.timedOut, "\(place) didn't answer in time. Try again, or allow more time.")
    case .cannotFindHost, .dnsLookupFailed:
      return made(.offline, "The name in \(place) can't be resolved. Check the address and the connection.")
    case .cannotConnectToHost:
      return made(
        .offline, "No connection could be made to \(place). Is the server running, and the port right?")
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .clientCertificateRequired,
      .clientCertificateRejected:
      return made(.offline, "No secure connection could be made to \(place); its certificate isn't accepted.")
    case .badServerResponse:
      // On Linux this is no answer at all: a connection that was closed before the first byte.
      return made(.offline, "\(place) closed the connection without an answer. Try again.")
    case .cannotParseResponse, .unsupportedURL, .httpTooManyRedirects, .cannotDecodeRawData,
      .cannotDecodeContentData:
      return made(.badResponse, "\(place) didn't answer in HTTP that can be understood.")
    default:
      // On Linux a body that breaks off, a coding that can't be undone and a failed handshake are all
      // "unknown". Which it was shows only in whether there was a head.
      if hasHead {
        return made(.offline, "The connection to \(place) broke off before the answer was whole. Try again.")
      }
      return place.hasPrefix("'https:")
        ? made(
          .offline,
          "The secure connection to \(place) failed. Is it https that it speaks, and is its certificate one that "
            + "this system trusts?")
        : made(.offline, "The connection to \(place) failed. Check the connection, and whether it is https.")
    }
  }
}
