import CatalogDomain
import Foundation

/// Addresses as documents and header fields write them.
enum HTTPAddress {
  /// Where a document or an answer leads; from https never to http, and never out of the web.
  ///
  /// - Parameters:
  ///   - reference: What it says.
  ///   - url: The final address of what says so.
  ///   - role: What it is, for messages: "a next page".
  static func target(
    _ reference: String, from url: URL, as role: String
  ) throws(CatalogError) -> URL {
    guard let target = resolve(reference, against: url) else {
      throw CatalogError(
        .badResponse, "\(HTTPPlace.text(url)) names \(role) whose address can't be read.")
    }
    guard let origin = HTTPOrigin(target) else {
      throw CatalogError(
        .badResponse, "\(HTTPPlace.text(url)) names \(role) that isn't http or https; that isn't followed.")
    }
    if HTTPOrigin(url)?.scheme == "https", origin.scheme == "http" {
      throw CatalogError(
        .badResponse,
        "\(HTTPPlace.text(url)) names \(role) that leads from https to http, where anybody may listen; that "
          + "isn't followed.")
    }
    return target
  }

  /// Resolves a reference against the final address of the document it stands in; its escapes stay as they are.
  ///
  /// A user name in it is taken off: whoever wrote the document doesn't say who asks. So is a fragment.
  static func resolve(_ reference: String, against base: URL) -> URL? {
    let text = reference.trimmingBlanks()
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F || $0 >= 0x80 }),
      let url = URL(string: text, relativeTo: base)?.absoluteURL,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return nil }
    parts.user = nil
    parts.password = nil
    parts.fragment = nil
    parts.scheme = parts.scheme?.lowercased()
    return parts.url
  }

  /// The same address with its scheme in small letters (RFC 3986 §6.2.2.1): not every transport knows it in others.
  static func canonical(_ url: URL) -> URL? {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
    parts.scheme = parts.scheme?.lowercased()
    return parts.url
  }
}
