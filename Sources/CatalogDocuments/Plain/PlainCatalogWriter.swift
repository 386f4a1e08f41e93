public import CatalogDomain

/// Writes books in the form that ``PlainCatalogReader`` reads: one JSON object a line.
///
/// Every entry comes back byte for byte. Control characters, line separators and bidirectional overrides are
/// written as escapes, so that a line stays a line and is safe to show on a terminal; all other text is
/// written as it is. The keys come in a fixed order, and those that say nothing are left out.
public enum PlainCatalogWriter {
  /// The text of a catalog without books: no lines at all would be an empty file, which is no catalog.
  public static let emptyCatalog = "[]"

  /// Returns the line of a book, without a line end.
  public static func line(for entry: CatalogEntry) -> String {
    var line = "{\"id\":"
    switch entry.identifier {
    case .number(let number): line += String(number)
    case .text(let text): append(text, to: &line)
    }
    append("title", entry.title, to: &line)
    if let subtitle = entry.subtitle { append("subtitle", subtitle, to: &line) }
    if !entry.authors.isEmpty {
      line += ",\"authors\":["
      for (index, author) in entry.authors.enumerated() {
        if index > 0 { line += "," }
        append(author, to: &line)
      }
      line += "]"
    }
    if let language = entry.language { append("language", language, to: &line) }
    line += ",\"isBorrowed\":\(entry.isBorrowed)"
    if let end = entry.borrowedUntil { append("borrowedUntil", RFC3339.text(end), to: &line) }
    if let updated = entry.updated { append("updated", RFC3339.text(updated), to: &line) }
    return line + "}"
  }

  private static func append(_ key: String, _ value: String, to line: inout String) {
    line += ",\"\(key)\":"
    append(value, to: &line)
  }

  private static func append(_ text: String, to line: inout String) {
    line += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": line += "\\\""
      case "\\": line += "\\\\"
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case _ where needsEscape(scalar):
        let digits = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: line.unicodeScalars.append(scalar)
      }
    }
    line += "\""
  }

  /// All of these are below U+10000, so that one escape of four digits does.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
