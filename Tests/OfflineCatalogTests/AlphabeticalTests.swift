import CatalogTesting
import Foundation
import OfflineCatalog
import Testing

/// The order of a dictionary in the reader's language, measured on letters that languages disagree on.
@Suite(.timeLimit(.minutes(5)))
struct AlphabeticalTests {
  private func sorted(_ titles: [String], _ locale: String) throws -> [String] {
    let books = titles.enumerated().map { position, title in
      BookSummary(id: position, title: title, isBorrowed: position.isMultiple(of: 2))
    }
    let listing = CatalogListing(
      source: FixtureCatalog(values: books), ordering: .alphabetical(Locale(identifier: locale)))
    return try listing.books(matching: "").map(\.title)
  }

  @Test(arguments: [
    ("sv", ["Zebra", "Ångström", "Äpple", "Öl"]), ("da", ["Zebra", "Äpple", "Öl", "Ångström"]),
    ("en", ["Ångström", "Äpple", "Öl", "Zebra"]), ("de", ["Ångström", "Äpple", "Öl", "Zebra"]),
  ])
  func `whether Å, Ä and Ö are letters of their own depends on the language`(
    locale: String, expected: [String]
  ) throws {
    #expect(try sorted(["Öl", "Zebra", "Äpple", "Ångström"], locale) == expected)
  }

  @Test(arguments: [("es", ["nube", "ñandú", "oso"]), ("en", ["ñandú", "nube", "oso"])])
  func `ñ comes after n in Spanish, and beside it in English`(locale: String, expected: [String]) throws {
    #expect(try sorted(["oso", "ñandú", "nube"], locale) == expected)
  }

  @Test(arguments: [
    ("ru", ["Анна", "Война", "Едва", "ёлка", "Жук", "Apple"]),
    ("en", ["Apple", "Анна", "Война", "Едва", "ёлка", "Жук"]),
  ])
  func `Cyrillic is in its own order, and comes first for who reads it`(
    locale: String, expected: [String]
  ) throws {
    #expect(try sorted(["Жук", "ёлка", "Apple", "Едва", "Война", "Анна"], locale) == expected)
  }

  @Test func `case and accents count only where letters don't decide`() throws {
    #expect(try sorted(["Zebra", "apple"], "en") == ["apple", "Zebra"])
    #expect(try sorted(["résumé b", "resume c", "Resume a"], "en") == ["Resume a", "résumé b", "resume c"])
  }

  @Test func `numbers are in the order of numbers`() throws {
    #expect(
      try sorted(["Volume 10", "Volume 9", "Volume 100"], "en") == ["Volume 9", "Volume 10", "Volume 100"])
  }

  @Test func `a leading article is part of the title`() throws {
    #expect(try sorted(["The Book", "Book", "Ship"], "en") == ["Book", "Ship", "The Book"])
  }

  @Test func `titles that aren't told apart are in the order of their ids, composed or decomposed`() {
    let order = CatalogOrdering.alphabetical(Locale(identifier: "en")).areInIncreasingOrder
    let composed = BookSummary(id: 1, title: "Caf\u{E9}", isBorrowed: false)
    let decomposed = BookSummary(id: 2, title: "Cafe\u{301}", isBorrowed: true)
    #expect(order(composed, decomposed))
    #expect(!order(decomposed, composed))
    #expect(!order(composed, composed))
  }

  @Test func `it is a strict weak order over titles of every kind`() {
    let titles = [
      "", " ", "A", "a", "Å", "A\u{30A}", "Z", "ß", "ss", "10", "9", "漢字", "あ", "한글", "👩‍🚀", "\u{0}",
      "\u{202E}x",
      "﷽", "\u{FFFD}", "İ", "ı", "ﬁ", "fi", "Ⅳ", "-", "Война", "ёлка", "à la", "a la", "a-la",
    ]
    for locale in ["en", "sv", "tr", "ja", "de@collation=phonebook", ""] {
      let order = CatalogOrdering.alphabetical(Locale(identifier: locale)).areInIncreasingOrder
      let books = titles.enumerated().map { BookSummary(id: $0, title: $1, isBorrowed: false) }
      for first in books {
        #expect(!order(first, first))
        for second in books where first.id != second.id {
          #expect(order(first, second) != order(second, first))
          for third in books where order(first, second) && order(second, third) {
            #expect(order(first, third), "\(locale): \(first.id) \(second.id) \(third.id)")
          }
        }
      }
    }
  }

  @Test func `the rule is named with its language`() {
    #expect(CatalogOrdering.alphabetical(Locale(identifier: "sv_SE")).name == "alphabetical-sv-se")
    #expect(CatalogOrdering.alphabetical(Locale(identifier: "en")).name == "alphabetical-en")
  }
}
