import CatalogDomain

/// A search address with places to be filled in: OpenSearch's `{searchTerms}` and `{startPage?}`, and RFC
/// 6570's `{query}`, `{?query,author}` and `{&query}`, of which OPDS 2 uses these.
enum SearchTemplate {
  private static let terms: Set<String> = ["searchTerms", "query", "q"]

  /// Returns the address for a query; nil if the template has no place for one, or isn't closed.
  ///
  /// Every byte of the query that could mean something in an address is escaped, `+` and `/` too: a server may
  /// read either as something else.
  static func expand(_ template: String, query: String) -> String? {
    var result = ""
    var rest = Substring(template)
    var isAsked = false
    while let open = rest.firstIndex(of: "{") {
      result += rest[..<open]
      rest = rest[rest.index(after: open)...]
      guard let close = rest.firstIndex(of: "}") else { return nil }
      var names = rest[..<close]
      rest = rest[rest.index(after: close)...]
      let form = names.first.flatMap { $0 == "?" || $0 == "&" ? $0 : nil }
      if form != nil { names = names.dropFirst() }
      let wanted = names.split(separator: ",").map {
        String($0.prefix { $0 != "?" && $0 != "*" && $0 != ":" })
      }
      guard let name = wanted.first(where: terms.contains) else { continue }
      isAsked = true
      if let form { result += "\(form)\(name)=" }
      result += escaped(query)
    }
    return isAsked ? result + rest : nil
  }

  private static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return result
  }
}
