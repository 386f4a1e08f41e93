import CatalogDomain

/// The catalogs that the tour brings.
enum DemoCatalogs {
  /// What Ada's library has.
  static let ada = catalog(of: "Les Misérables")
  /// The same after the library has corrected one title.
  static let adaLater = catalog(of: "Les Misérables, tome premier")
  /// The title in Ada's catalog that matches `query`.
  static let bilberries = "Puttes äventyr i blåbärsskogen"
  /// A query in capital letters.
  static let query = "BLÅBÄR"
  /// The book that Ada has on loan until two days after the tour's beginning.
  static let borrowed = "Война и мир"
  /// Grace has no books, and that is known.
  static let grace = "[]"

  /// Texts that only Ada's catalog has, by which her bytes are looked for in files.
  static let traces = [
    "Война и мир", "Misérables", "红楼梦", "吾輩は猫である", "Peer Gynt", bilberries, "كليلة ودمنة", "Ἰλιάς",
    "urn:isbn:9780141439518", "Толстой",
  ]

  private static func catalog(of third: String) -> String {
    """
    {"id": 1, "title": "\(borrowed)", "authors": ["Лев Толстой"], "language": "ru", "isBorrowed": true, \
    "borrowedUntil": "2026-01-03T00:00:00Z"}
    {"id": 2, "title": "\(bilberries)", "authors": ["Elsa Beskow"], "language": "sv"}
    {"id": 3, "title": "\(third)", "authors": ["Victor Hugo"], "language": "fr"}
    {"id": 4, "title": "红楼梦", "authors": ["曹雪芹"], "language": "zh"}
    {"id": 5, "title": "吾輩は猫である", "authors": ["夏目漱石"], "language": "ja"}
    {"id": 6, "title": "Peer Gynt", "authors": ["Henrik Ibsen"], "language": "nb"}
    {"id": 7, "title": "كليلة ودمنة", "authors": ["ابن المقفع"], "language": "ar"}
    {"id": 8, "title": "Ἰλιάς", "authors": ["Ὅμηρος"], "language": "grc"}
    {"id": "urn:isbn:9780141439518", "title": "Pride and Prejudice", "authors": ["Jane Austen"], "language": "en"}

    """
  }
}
