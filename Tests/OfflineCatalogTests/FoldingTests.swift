import Foundation
import OfflineCatalog
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FoldingTests {
  private func finds(_ query: String, in title: String, _ locale: String = "en") -> Bool {
    TitleMatching.ignoringCaseAndDiacritics(Locale(identifier: locale)).matcher(for: query)(title)
  }

  @Test(arguments: [
    ("cafe", "Café"), ("CAFÉ", "cafe"), ("cafe", "Cafe\u{301}"), ("Cafe\u{301}", "caf\u{E9}"),
    ("blabaer", "Blåbaer"), ("angstrom", "Ångström"), ("strasse", "Straße"), ("STRASSE", "straße"),
    ("straße", "STRASSE"), ("война", "ВОЙНА"), ("елка", "Ёлка"), ("οδος", "ΟΔΟΣ"), ("nandu", "El ñandú"),
    ("abc", "ＡＢＣ"), ("fin", "ﬁn"), ("%", "100 % wool"), ("_", "a_b"), ("", ""), ("", "x"), (" ", "a b"),
    ("\u{1112}\u{1161}\u{11AB}", "한글"), ("istanbul", "İstanbul"), ("aab", "aaab"), ("b", "ab"), ("ab", "ab"),
  ])
  func `case, marks and width of letters don't count`(query: String, title: String) {
    #expect(finds(query, in: title))
  }

  @Test(arguments: [
    ("ore", "Øre"), ("o", "ø"), ("cafés", "Café"), ("x", ""), ("%", "100"), ("_", "ab"), ("a b", "ab"),
    ("l", "ł"), ("ab", "ba"),
  ])
  func `letters of their own and other text do`(query: String, title: String) {
    #expect(!finds(query, in: title))
  }

  @Test func `in Turkish I is the capital of ı, and İ of i`() {
    #expect(finds("istanbul", in: "İstanbul", "tr"))
    #expect(finds("ısparta", in: "ISPARTA", "tr"))
    #expect(!finds("isparta", in: "ISPARTA", "tr"))
    #expect(finds("isparta", in: "ISPARTA", "en"))
  }

  @Test func `the rule is named with its language, and isn't the query's own`() {
    let matching = TitleMatching.ignoringCaseAndDiacritics(Locale(identifier: "pt_BR"))
    #expect(matching.name == "title-substring-folded-pt-br")
    #expect(SearchMode.local(matching) != .titleSubstring)
  }

  @Test func `the summary's query keeps its own rule`() {
    #expect(!TitleMatching.titleSubstring.matcher(for: "cafe")("Café"))
    #expect(finds("cafe", in: "Café"))
  }
}
