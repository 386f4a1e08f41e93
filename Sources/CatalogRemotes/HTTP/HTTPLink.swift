import CatalogDomain

/// The links of `Link` header fields (RFC 8288 §3).
struct HTTPLink: Hashable, Sendable {
  /// The address as it stands between the angle brackets.
  var target: String
  /// What the target is to the document, in small letters.
  var relations: [String]

  /// Reads the links of field values; what can't be read is skipped, and so is what is about another document.
  static func links(in values: [String]) -> [HTTPLink] {
    values.flatMap { value in
      var reader = Reader(value)
      return reader.links()
    }
  }

  private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
      rest = Substring(text).utf8
    }

    mutating func links() -> [HTTPLink] {
      var links: [HTTPLink] = []
      while true {
        skip { $0 == 0x20 || $0 == 0x09 || $0 == 0x2C }
        guard rest.first == 0x3C else { return links }
        rest.removeFirst()
        guard let end = rest.firstIndex(of: 0x3E) else { return links }
        let target = String(Substring(rest[..<end]))
        rest = rest[rest.index(after: end)...]
        var relations: [String]?
        var isOfAnother = false
        while let (name, value) = parameter() {
          // The first `rel` counts; an `anchor` makes it a link of another document.
          if name == "rel", relations == nil {
            relations = value.utf8.map(\.lowercasedASCII).split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
              .map { String(decoding: $0, as: UTF8.self) }
          }
          if name == "anchor" { isOfAnother = true }
        }
        if !isOfAnother { links.append(HTTPLink(target: target, relations: relations ?? [])) }
        // On to the comma, whatever stands before it.
        skip { $0 != 0x2C }
      }
    }

    private mutating func parameter() -> (name: String, value: String)? {
      skip { $0 == 0x20 || $0 == 0x09 || $0 == 0x3B }
      let name = take(while: \.isTokenByte)
      guard !name.isEmpty else { return nil }
      skip { $0 == 0x20 || $0 == 0x09 }
      guard rest.first == 0x3D else { return (lowercased(name), "") }
      rest.removeFirst()
      skip { $0 == 0x20 || $0 == 0x09 }
      guard rest.first == 0x22 else {
        return (
          lowercased(name),
          String(decoding: take { $0 != 0x3B && $0 != 0x2C }, as: UTF8.self).trimmingBlanks()
        )
      }
      rest.removeFirst()
      var value: [UInt8] = []
      while let byte = rest.popFirst(), byte != 0x22 {
        if byte == 0x5C, let escaped = rest.popFirst() { value.append(escaped) } else { value.append(byte) }
      }
      return (lowercased(name), String(decoding: value, as: UTF8.self))
    }

    private func lowercased(_ bytes: [UInt8]) -> String {
      String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
    }

    private mutating func skip(while isWanted: (UInt8) -> Bool) {
      while let byte = rest.first, isWanted(byte) { rest.removeFirst() }
    }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> [UInt8] {
      let taken = Array(rest.prefix(while: isWanted))
      rest = rest.dropFirst(taken.count)
      return taken
    }
  }
}
