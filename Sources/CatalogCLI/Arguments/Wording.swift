/// Phrases that several messages share.
package enum Wording {
  /// Returns "Please provide one of" some words, as a sentence.
  package static func oneOf(_ words: [String]) -> String {
    guard words.count > 1 else { return "Please provide \(quoted(words))." }
    return "Please provide one of \(quoted(words))."
  }

  /// Returns `'a', 'b' and 'c'`.
  package static func quoted(_ words: [String]) -> String {
    list(words.map { "'\($0)'" })
  }

  /// Returns `a, b and c`.
  package static func list(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Returns `1 book`, `2 books`, `12,334 books`.
  package static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// Returns a number with its digits in groups of three.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return number < 0 ? "-" + text : text
  }

  /// Returns what somebody typed as a message may show it: safe, and cut off beyond a limit.
  package static func excerpt(_ text: String, limit: Int = 60) -> String {
    let scalars = text.unicodeScalars
    let isLong = scalars.dropFirst(limit).first != nil
    let kept = isLong ? String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…" : text
    return TerminalSafeText(kept).description
  }
}
