import Foundation

/// Reads what an OPDS server says of signing in (Authentication for OPDS 1.0, §2).
public enum OPDSAuthenticationDocument {
  /// The media type by which a server says that it sends one.
  public static let mediaType = "application/opds-authentication+json"

  private static let root = "http://opds-spec.org/auth/"
  private static let mostFlows = 10

  /// Returns the ways to sign in that a document offers, such as `basic` or `oauth/implicit`; nil if it is
  /// another document.
  ///
  /// A way that OPDS doesn't name is the whole address that stands for it; one that isn't an address is left
  /// out.
  public static func flows(in bytes: [UInt8]) -> [String]? {
    // What isn't JSON is no such document; there is nothing else to say of it.
    let json = try? JSONSerialization.jsonObject(with: Data(bytes))  // see above
    return (json as? [String: Any]).flatMap(flows)
  }

  static func flows(of object: [String: Any]) -> [String]? {
    guard let list = object["authentication"] as? [Any] else { return nil }
    let types = list.compactMap { ($0 as? [String: Any])?["type"] as? String }
    return types.filter(isShowable).prefix(mostFlows).map {
      $0.hasPrefix(root) ? String($0.dropFirst(root.count)) : $0
    }
  }

  /// An address that says nothing else: what stands in a query may be anybody's.
  private static func isShowable(_ type: String) -> Bool {
    (1...200).contains(type.utf8.count)
      && type.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3F && $0 != 0x27 }
  }
}
