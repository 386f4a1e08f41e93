/// Text from outside, made safe to be shown: nothing in it can steer a terminal, hide, or reorder a line.
///
/// - Control characters become their pictures: a newline `␊`, an escape `␛`.
/// - Everything else that is invisible, overrides or isolates the writing direction (Unicode's "Trojan
///   Source" characters), or breaks a line, becomes its number: `<U+202E>`.
/// - What honest titles need stays: joiners, direction marks, soft hyphens, variation selectors.
/// - No letter carries more than 16 marks, so that a pile of them can't cover the lines above.
package struct TerminalSafeText: Hashable, Sendable, CustomStringConvertible {
  /// The safe text.
  package let description: String

  /// Makes a text safe.
  package init(_ text: String) {
    var safe = String.UnicodeScalarView()
    var marks = 0
    for scalar in text.unicodeScalars {
      if let picture = Self.picture(of: scalar) {
        safe.append(picture)
        marks = 0
      } else if Self.isShownAsNumber(scalar) {
        safe.append(contentsOf: Self.number(of: scalar).unicodeScalars)
        marks = 0
      } else if Self.isMark(scalar) {
        marks += 1
        if marks <= 16 { safe.append(scalar) }
      } else {
        safe.append(scalar)
        marks = 0
      }
    }
    description = String(safe)
  }

  /// Makes a message safe that we wrote ourselves round text from outside: line breaks stay.
  package static func message(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TerminalSafeText(String($0)).description }
      .joined(separator: "\n")
  }

  /// Whether a scalar could steer a terminal or mislead whoever reads: JSON escapes the same ones.
  package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    picture(of: scalar) != nil || isShownAsNumber(scalar)
  }

  private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value)
    case 0x7F: "␡"
    default: nil
    }
  }

  private static func isShownAsNumber(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Soft hyphen, Arabic letter mark, joiners, left-to-right and right-to-left marks; the tags that make
    // flags of emoji.
    case 0xAD, 0x61C, 0x200C...0x200F, 0xE0020...0xE007F: false
    default:
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: true
      default: scalar.properties.isNoncharacterCodePoint
      }
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  private static func number(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
  }
}
