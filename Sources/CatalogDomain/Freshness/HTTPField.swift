/// One header field line of an HTTP message: a name and its value (RFC 9110 §5).
public struct HTTPField: Hashable, Sendable {
  /// The name as it was sent; names are compared without regard to ASCII case.
  public var name: String
  /// The value, without the blanks around it.
  public var value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value.trimmingBlanks()
  }

  /// Whether the field has a name, whatever the case of its ASCII letters (RFC 9110 §5.1).
  public func isNamed(_ other: String) -> Bool {
    name.equalsIgnoringASCIICase(other)
  }

  /// The status in the head of an answer (RFC 9112 §4); nil if it has no status line that can be read.
  public static func status(ofHead text: String) -> Int? {
    let words = text.prefix { !$0.isNewline }.split(separator: " ")
    guard words.count > 1, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3 else { return nil }
    return Int(words[1])
  }

  /// Reads the head of an HTTP message: a status line or none, then field lines, up to the first blank line.
  ///
  /// A line that begins with a blank goes on with the line before it (RFC 9112 §5.2); one without a colon,
  /// or with a blank before it, isn't a field and is skipped.
  public static func fields(ofHead text: String) -> [HTTPField] {
    var fields: [HTTPField] = []
    // A line end of CR LF is one character, and one of two scalars.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, scalars) in lines.enumerated() {
      var line = String(String.UnicodeScalarView(scalars))
      if line.unicodeScalars.last == "\r" { line.unicodeScalars.removeLast() }
      if line.isEmpty { break }
      if number == 0, line.hasPrefix("HTTP/") { continue }
      if line.hasPrefix(" ") || line.hasPrefix("\t") {
        guard let last = fields.popLast() else { continue }
        fields.append(HTTPField(last.name, last.value + " " + line.trimmingBlanks()))
        continue
      }
      guard let colon = line.utf8.firstIndex(of: 0x3A) else { continue }
      let name = String(line[..<colon])
      guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else { continue }
      fields.append(HTTPField(name, String(line[line.utf8.index(after: colon)...])))
    }
    return fields
  }
}

extension Sequence<HTTPField> {
  /// The values of the fields of a name, in order.
  public func values(of name: String) -> [String] {
    filter { $0.isNamed(name) }.map(\.value)
  }
}

extension String {
  /// Whether both are the same bytes but for the case of ASCII letters.
  package func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
  }

  /// The text without the spaces and tabs around it (RFC 9110 §5.6.3).
  package func trimmingBlanks() -> String {
    var rest = Substring(self).utf8
    while let byte = rest.first, byte.isBlankOfField { rest.removeFirst() }
    while let byte = rest.last, byte.isBlankOfField { rest.removeLast() }
    return String(Substring(rest))
  }
}

extension UInt8 {
  /// The byte, with an ASCII capital made small.
  package var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }

  /// Whether it is an ASCII digit.
  package var isDigit: Bool { (0x30...0x39).contains(self) }

  /// Whether it may be in a token (RFC 9110 §5.6.2).
  package var isTokenByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  fileprivate var isBlankOfField: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
}
