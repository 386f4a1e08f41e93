/// Breaks text into lines.
enum TextWrapping {
  /// Returns a text's lines, each at most `width` columns wide unless a single word is wider.
  static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }

  /// Returns a text wrapped, with every line but the first indented.
  static func paragraph(_ text: String, width: Int, hanging indent: Int = 0) -> String {
    let padding = String(repeating: " ", count: indent)
    return lines(text, width: max(20, width - indent)).joined(separator: "\n" + padding)
  }
}
