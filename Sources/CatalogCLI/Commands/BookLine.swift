package import CatalogDomain

/// How a book looks as a row of `list` and `search`: the one place that decides it.
///
/// What tables show of a book is ``shown(_:)`` and the columns that have a title; the other columns are there
/// for JSON and CSV.
package enum BookLine {
  /// The columns.
  package static let columns: [Output.Column] = [
    .init("isBorrowed", "Loan"), .init("title", "Title", isFlexible: true), .init("id", nil),
    .init("identifier", nil), .init("subtitle", nil), .init("authors", nil), .init("language", nil),
    .init("borrowedUntil", nil),
    .init("updated", nil),
  ]

  /// Returns a book's cells, one for each column.
  ///
  /// - Parameters:
  ///   - id: The number by which the cache knows the book; nil if it doesn't.
  ///   - entry: The book, its loan judged already.
  package static func cells(id: Int?, _ entry: CatalogEntry) -> [Cell] {
    [
      .mark(entry.isBorrowed, shown: "borrowed"), .lines(entry.title, shown: shown(entry)), .number(id),
      identifier(entry.identifier), .text(entry.subtitle), .list(entry.authors), .text(entry.language),
      .time(entry.borrowedUntil),
      .time(entry.updated),
    ]
  }

  /// The lines that a table shows for a book, one below the other.
  private static func shown(_ entry: CatalogEntry) -> [String] {
    let due = entry.isBorrowed ? entry.borrowedUntil.map { "due \(TimeText.text($0))" } : nil
    let below = [entry.authors.joined(separator: ", "), due].compactMap(\.self).filter { !$0.isEmpty }
    return below.isEmpty ? [entry.title] : [entry.title, below.joined(separator: " · ")]
  }

  private static func identifier(_ identifier: CatalogEntry.Identifier) -> Cell {
    switch identifier {
    case .number(let number): .number(number)
    case .text(let text): .text(text)
    }
  }
}
