/// An array of names as a JSON array in a column, so that anybody can read it with SQL.
///
/// Written by hand because this room has no Foundation: strings are the only thing in it.
enum AuthorsText {
  static func encode(_ names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    var text = "["
    for (position, name) in names.enumerated() {
      if position > 0 { text += "," }
      text += "\""
      for scalar in name.unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case _ where scalar.value < 0x20:
          let digits = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: text.unicodeScalars.append(scalar)
        }
      }
      text += "\""
    }
    return text + "]"
  }

  /// Returns the names, or nil if the text isn't what `encode` writes.
  static func decode(_ text: String?) -> [String]? {
    guard let text else { return [] }
    var scalars = text.unicodeScalars.makeIterator()
    guard scalars.next() == "[" else { return nil }
    var names: [String] = []
    while true {
      guard scalars.next() == "\"", let name = string(&scalars) else { return nil }
      names.append(name)
      switch scalars.next() {
      case ",": continue
      case "]": return scalars.next() == nil ? names : nil
      default: return nil
      }
    }
  }

  private static func string(_ scalars: inout String.UnicodeScalarView.Iterator) -> String? {
    var name = String.UnicodeScalarView()
    while let scalar = scalars.next() {
      switch scalar {
      case "\"": return String(name)
      case "\\":
        switch scalars.next() {
        case "\"": name.append("\"")
        case "\\": name.append("\\")
        case "u":
          var digits = ""
          for _ in 0..<4 {
            guard let digit = scalars.next() else { return nil }
            digits.unicodeScalars.append(digit)
          }
          guard let value = UInt32(digits, radix: 16), let control = Unicode.Scalar(value) else { return nil }
          name.append(control)
        default: return nil
        }
      default: name.append(scalar)
      }
    }
    return nil
  }
}
