public import CatalogDomain
public import Foundation

/// What tells one server from another: scheme, host and port (RFC 6454).
struct HTTPOrigin: Hashable, Sendable {
  let scheme: String
  let host: String
  let port: Int

  /// The origin of an address, or nil if it isn't `http` or `https`, or names no host.
  init?(_ url: URL) {
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = parts.port ?? (scheme == "https" ? 443 : 80)
  }
}

/// What one account shows to one server, and to no other.
///
/// Bound to an origin and an account when it is made: nothing sends it elsewhere, whatever a redirect or a
/// feed says. It prints redacted, and is written nowhere.
public struct HTTPCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  private let account: AccountID
  private let origin: HTTPOrigin
  private let header: String
  private let scheme: String

  /// Creates a user name and a password (RFC 7617).
  ///
  /// - Throws: ``CatalogError`` with code `unauthorized` if the name holds a colon, or either a
  ///   control character, which can't be sent; or if the address isn't one of a server.
  public static func basic(
    user: String, password: String, for account: AccountID, at url: URL
  ) throws(CatalogError) -> HTTPCredentials {
    guard !user.utf8.contains(0x3A), (user + password).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw CatalogError(
        .unauthorized,
        "The user name or the password can't be sent: a name may hold no colon, and neither may hold a "
          + "control character such as a line end.")
    }
    let encoded = Data("\(user):\(password)".utf8).base64EncodedString()
    return try HTTPCredentials("Basic", "Basic " + encoded, account, url)
  }

  /// Creates a token (RFC 6750).
  ///
  /// - Throws: ``CatalogError`` with code `unauthorized` if the token is empty or holds what a
  ///   token can't; or if the address isn't one of a server.
  public static func bearer(
    token: String, for account: AccountID, at url: URL
  ) throws(CatalogError) -> HTTPCredentials {
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CatalogError(
        .unauthorized,
        "The token can't be sent: it is empty, or holds white space or other characters that a token can't.")
    }
    return try HTTPCredentials("Bearer", "Bearer " + token, account, url)
  }

  private init(
    _ scheme: String, _ header: String, _ account: AccountID, _ url: URL
  ) throws(CatalogError) {
    guard let origin = HTTPOrigin(url) else {
      throw CatalogError(
        .unauthorized, "Credentials are for a server; give an address that begins with http: or https:.")
    }
    self.scheme = scheme
    self.header = header
    self.account = account
    self.origin = origin
  }

  /// The value of `Authorization`, if these are for that account and that address.
  func authorization(for account: AccountID, at url: URL) -> String? {
    self.account == account && origin == HTTPOrigin(url) ? header : nil
  }

  /// Where an account shows these; nil if they aren't its own.
  func place(for account: AccountID) -> String? {
    self.account == account ? "\(origin.scheme)://\(origin.host):\(origin.port)" : nil
  }

  /// The scheme and the server, without a secret.
  public var description: String {
    "\(scheme) credentials for \(origin.scheme)://\(origin.host):\(origin.port)"
  }

  /// The scheme and the server, without a secret.
  public var debugDescription: String { description }

  /// Nothing: a mirror would show the secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
