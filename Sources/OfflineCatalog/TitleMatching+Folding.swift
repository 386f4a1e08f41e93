public import CatalogDomain
public import Foundation

extension TitleMatching {
  /// The title contains the query, whatever the case, the diacritics and the width of the letters: "cafe" finds
  /// "Café", "strasse" finds "Straße".
  ///
  /// A letter that only looks as if it had a mark is a letter of its own: "o" doesn't find "ø". `%` and `_` are
  /// plain text.
  ///
  /// - Parameter locale: The reader's; in Turkish "I" is the capital of "ı", not of "i".
  public static func ignoringCaseAndDiacritics(_ locale: Locale) -> TitleMatching {
    TitleMatching(name: "title-substring-folded-\(locale.ruleName)") { query in
      guard !query.isEmpty else { return { _ in true } }
      let wanted = Array(folded(query, locale).utf8)
      return { title in contains(folded(title, locale).utf8, wanted) }
    }
  }

  private static func folded(_ text: String, _ locale: Locale) -> String {
    // In two steps: at once, a Turkish "İ" loses its dot first and becomes "ı".
    text.folding(options: .caseInsensitive, locale: locale)
      .folding(options: [.diacriticInsensitive, .widthInsensitive], locale: nil)
      .precomposedStringWithCanonicalMapping
  }

  /// Whether the bytes contain others: what is folded and composed alike is the same bytes.
  private static func contains(_ bytes: String.UTF8View, _ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first else { return true }
    var rest = bytes[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: wanted) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
