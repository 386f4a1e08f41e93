import CatalogDomain

/// Tells from its first bytes what kind of catalog a document is.
enum DocumentKind {
  /// Members that only a feed's object has at its top.
  private static let ofFeeds: Set<String> = [
    "metadata", "links", "publications", "navigation", "groups", "facets", "@context",
  ]
  /// Members that every plain book has.
  private static let ofBooks: Set<String> = ["id", "title"]
  /// The member of what a server sends in place of a feed, which has an id and a title as a book does
  /// (Authentication for OPDS 1.0, §2).
  private static let ofAuthentication = "authentication"

  /// Returns the kind, or nil if it takes more bytes to tell.
  static func kind(of bytes: [UInt8]) -> ServerCatalog.Kind? {
    let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
    guard let start = bytes.firstIndex(where: { !blanks.contains($0) }) else { return nil }
    switch bytes[start] {
    case 0x3C: return .opds
    case 0x7B: return kind(ofObject: bytes[(start + 1)...])
    default: return .plain
    }
  }

  /// By the first member of an object that either kind has, wherever it stands; a book's must not be followed by
  /// a way to sign in.
  private static func kind(ofObject bytes: ArraySlice<UInt8>) -> ServerCatalog.Kind? {
    var depth = 1
    var string: [UInt8]?
    var isEscaped = false
    var last: String?
    var isBook = false
    for byte in bytes {
      if let open = string {
        if isEscaped || byte != 0x22 {
          isEscaped = !isEscaped && byte == 0x5C
          string = open.count < 16 ? open + [byte] : open
        } else {
          last = String(decoding: open, as: UTF8.self)
          string = nil
        }
        continue
      }
      switch byte {
      case 0x22: string = []
      case 0x7B, 0x5B: depth += 1
      case 0x7D, 0x5D:
        depth -= 1
        if depth == 0 { return .plain }
      case 0x3A where depth == 1:
        guard let last else { break }
        if last == ofAuthentication || !isBook && ofFeeds.contains(last) { return .opds }
        if ofBooks.contains(last) { isBook = true }
      default: break
      }
    }
    return nil
  }
}
