/// A response's `Cache-Control`, read as a private cache reads it (RFC 9111 §5.2).
package struct CacheControl: Hashable, Sendable {
  /// What stands at a directive that takes delta-seconds.
  enum Seconds: Hashable, Sendable {
    case absent
    case value(Int64)
    /// Negative, fractional, missing or anything else that isn't digits.
    case garbled
  }

  var maxAge = Seconds.absent
  var staleWhileRevalidate = Seconds.absent
  var staleIfError = Seconds.absent
  var noCache = false
  package var noStore = false
  var mustRevalidate = false
  /// RFC 8246; it forbids nothing, it only says that asking within the lifetime is of no use.
  var isImmutable = false
  /// A string wasn't closed, so what the field says about lifetimes can't be known.
  var isGarbled = false

  package init(_ lines: [String]) {
    for line in lines {
      let (parts, isClosed) = Self.split(line)
      if !isClosed { isGarbled = true }
      for part in parts { take(part) }
    }
  }

  private mutating func take(_ directive: String) {
    let name: String
    let argument: String?
    if let equals = directive.utf8.firstIndex(of: 0x3D) {
      name = String(directive[..<equals]).trimmingBlanks()
      argument = String(directive[directive.utf8.index(after: equals)...])
    } else {
      name = directive
      argument = nil
    }
    switch String(decoding: name.utf8.map(\.lowercasedASCII), as: UTF8.self) {
    // The first of several counts (RFC 9111 §4.2.1).
    case "max-age": if maxAge == .absent { maxAge = Self.seconds(argument) }
    case "stale-while-revalidate":
      if staleWhileRevalidate == .absent { staleWhileRevalidate = Self.seconds(argument) }
    case "stale-if-error": if staleIfError == .absent { staleIfError = Self.seconds(argument) }
    // With names of fields in a string, it is about those fields, of which none is kept (§5.2.2.4).
    case "no-cache": if !Self.namesFields(argument) { noCache = true }
    case "no-store": noStore = true
    case "must-revalidate": mustRevalidate = true
    case "immutable": isImmutable = true
    // `private`, `public`, `s-maxage`, `proxy-revalidate`, `no-transform` don't concern a private cache, and
    // `must-understand` only weakens `no-store`; what is unknown is ignored (§5.2.3).
    default: break
    }
  }

  /// Reads delta-seconds, as a token or a string (RFC 9111 §1.2.2 and §5.2); what is too large is 2^31.
  private static func seconds(_ argument: String?) -> Seconds {
    guard var digits = argument else { return .garbled }
    if digits.utf8.count >= 2, digits.utf8.first == 0x22, digits.utf8.last == 0x22 {
      digits = String(digits.dropFirst().dropLast())
    }
    return deltaSeconds(digits).map { .value($0) } ?? .garbled
  }

  /// Reads one or more digits; what is over 2^31 is 2^31.
  package static func deltaSeconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
    let largest: Int64 = 1 << 31
    var value: Int64 = 0
    for byte in text.utf8 { value = min(largest, value * 10 + Int64(byte - 0x30)) }
    return value
  }

  private static func namesFields(_ argument: String?) -> Bool {
    guard let argument, argument.utf8.count > 2, argument.utf8.first == 0x22, argument.utf8.last == 0x22
    else {
      return false
    }
    let names = argument.dropFirst().dropLast().split(separator: ",").map { String($0).trimmingBlanks() }
    return !names.isEmpty && names.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) }
  }

  /// Cuts a list at its commas, but not at those inside strings; says whether every string was closed.
  ///
  /// If one wasn't, what it would swallow is cut at its commas too, so that no prohibition is lost in it.
  private static func split(_ line: String) -> (parts: [String], isClosed: Bool) {
    var parts: [[UInt8]] = [[]]
    var isInString = false
    var isEscaped = false
    var stringStart: (part: Int, byte: Int)?
    let bytes = Array(line.utf8)
    for (index, byte) in bytes.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if isInString, byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isInString.toggle()
        stringStart = isInString ? (parts.count - 1, index) : nil
      } else if byte == 0x2C, !isInString {
        parts.append([])
        continue
      }
      parts[parts.count - 1].append(byte)
    }
    if let stringStart {
      parts.removeSubrange(stringStart.part...)
      parts += bytes[(stringStart.byte + 1)...].split(separator: 0x2C).map(Array.init)
    }
    let texts = parts.map { String(decoding: $0, as: UTF8.self).trimmingBlanks() }
    return (texts.filter { !$0.isEmpty }, stringStart == nil)
  }
}
