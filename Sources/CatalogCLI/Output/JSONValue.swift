/// A JSON document whose members keep their order, so that the same output is the same bytes.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number of milliseconds, written as seconds without rounding.
  case seconds(milliseconds: Int64)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package let key: String
    package let value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The document on one line.
  package var line: String {
    var text = ""
    write(into: &text, indent: nil, level: 0)
    return text
  }

  /// The document on many lines, two spaces for each level.
  package var document: String {
    var text = ""
    write(into: &text, indent: 2, level: 0)
    return text
  }

  private func write(into text: inout String, indent: Int?, level: Int) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .seconds(let milliseconds): text += Self.decimal(milliseconds)
    case .string(let value): Self.write(value, into: &text)
    case .array(let values):
      Self.writeList(values, "[", "]", into: &text, indent: indent, level: level) { value, text, level in
        value.write(into: &text, indent: indent, level: level)
      }
    case .object(let members):
      Self.writeList(members, "{", "}", into: &text, indent: indent, level: level) { member, text, level in
        Self.write(member.key, into: &text)
        text += indent == nil ? ":" : ": "
        member.value.write(into: &text, indent: indent, level: level)
      }
    }
  }

  private static func writeList<Item>(
    _ items: [Item], _ open: String, _ close: String, into text: inout String, indent: Int?, level: Int,
    _ write: (Item, inout String, Int) -> Void
  ) {
    text += open
    for (index, item) in items.enumerated() {
      if index > 0 { text += "," }
      if let indent { text += "\n" + String(repeating: " ", count: indent * (level + 1)) }
      write(item, &text, level + 1)
    }
    if let indent, !items.isEmpty { text += "\n" + String(repeating: " ", count: indent * level) }
    text += close
  }

  /// Whatever could steer a terminal is escaped, so that JSON is as safe to look at as a table, and loses
  /// nothing.
  private static func write(_ string: String, into text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        if TerminalSafeText.isUnsafe(scalar) {
          for unit in UTF16.encode(scalar).map(Array.init) ?? [] { text += escape(unit) }
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func decimal(_ milliseconds: Int64) -> String {
    let magnitude = milliseconds.magnitude
    let sign = milliseconds < 0 ? "-" : ""
    let fraction = magnitude % 1000
    guard fraction != 0 else { return sign + String(magnitude / 1000) }
    var digits = String(fraction)
    digits = String(repeating: "0", count: 3 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(sign)\(magnitude / 1000).\(digits)"
  }
}
