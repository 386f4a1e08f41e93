/// How many columns of a terminal a text takes.
///
/// The rule is that of `wcwidth`, with emoji as modern terminals draw them: wide East Asian characters and
/// emoji take two columns, combining marks none, the rest one. See Unicode Standard Annex #11.
package enum DisplayWidth {
  /// Returns the columns of a text without control characters.
  package static func of(_ text: String) -> Int {
    // Most titles are ASCII: each byte is a column.
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// Returns the columns of one character.
  package static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count > 1, isDrawnAsEmoji(first, scalars) { return 2 }
    // The letters of a conjunct are drawn side by side by most terminals, so each of them counts.
    return scalars.reduce(0) { $0 + of($1) }
  }

  /// Returns a text of at most so many columns, the last one an ellipsis if anything was cut off.
  package static func truncate(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var kept = ""
    var used = 0
    for character in text {
      let width = of(character)
      guard used + width <= columns - 1 else { break }
      kept.append(character)
      used += width
    }
    return kept + "…"
  }

  private static func isDrawnAsEmoji(
    _ first: Unicode.Scalar, _ scalars: Character.UnicodeScalarView
  ) -> Bool {
    // A flag is two regional indicators; U+FE0F asks for the emoji form.
    first.properties.isEmojiPresentation || (0x1F1E6...0x1F1FF).contains(first.value)
      || (first.properties.isEmoji && scalars.contains { $0.value == 0xFE0F })
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar.value == 0xAD ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // The vowels and final consonants of Hangul are drawn into the syllable's first one.
    if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) { return 0 }
    return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }

  private static func isWide(_ value: UInt32) -> Bool {
    // The ranges are in order, so the first that ends at or after the value decides.
    wideRanges.first { value <= $0.upperBound }?.contains(value) ?? false
  }

  /// The ranges of East_Asian_Width W and F that hold letters; emoji are asked for by their own property.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x2E99, 0x2E9B...0x2EF3,
    0x2F00...0x2FD5, 0x2FF0...0x303E, 0x3041...0x3096, 0x3099...0x30FF, 0x3105...0x312F, 0x3131...0x318E,
    0x3190...0x31E5, 0x31EF...0x321E, 0x3220...0x3247, 0x3250...0xA48C, 0xA490...0xA4C6, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE52, 0xFE54...0xFE66, 0xFE68...0xFE6B,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x16FE4, 0x16FF0...0x16FF1, 0x17000...0x187F7,
    0x18800...0x18CD5, 0x18D00...0x18D08, 0x1AFF0...0x1AFFE, 0x1B000...0x1B122, 0x1B132...0x1B132,
    0x1B150...0x1B152, 0x1B155...0x1B155, 0x1B164...0x1B167, 0x1B170...0x1B2FB, 0x1D300...0x1D356,
    0x1D360...0x1D376, 0x1F200...0x1F202, 0x1F210...0x1F23B, 0x1F240...0x1F248, 0x1F250...0x1F251,
    0x1F260...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}
