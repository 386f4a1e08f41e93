package import CatalogDomain
internal import CatalogSQLite

/// One book as it stands in a row: an entry with the `id` that the store knows it by.
///
/// This file is the only one that knows the columns of a book. A new column is a migration, a field of
/// `CatalogEntry`, and a line in each list here.
package struct BookRow: Sendable {
  package var id: Int64
  package var entry: CatalogEntry
}

/// The two hashes of a row: of the columns that `books()` reads, and of the others.
struct RowSeal: Equatable, Sendable {
  var read: UInt64 = 0
  var rest: UInt64 = 0

  static func += (sum: inout RowSeal, row: RowSeal) {
    sum.read &+= row.read
    sum.rest &+= row.rest
  }

  static func -= (sum: inout RowSeal, row: RowSeal) {
    sum.read &-= row.read
    sum.rest &-= row.rest
  }
}

/// What a row's hashes are bound to, so that a row of another catalog doesn't pass for one of this.
struct RowScope: Sendable {
  let account: Int64
  let catalog: Int64

  func hasher(for id: Int64) -> SealHasher {
    var hasher = SealHasher(seed: UInt64(bitPattern: account))
    hasher.combine(catalog)
    hasher.combine(id)
    return hasher
  }
}

extension BookRow {
  /// What `books()` reads, in the order in which `readColumns` names it.
  static let readColumns = "id, title, is_borrowed, borrowed_until"
  /// Everything, in the order of ``bind(to:from:)``, which is `id` and then this.
  static let restColumns = "identifier, authors, language, updated, subtitle"
  static let allColumns = readColumns + ", " + restColumns
  static let columnCount: Int32 = 9

  /// Binds every column from a parameter on, in the order of `allColumns`.
  func bind(to statement: borrowing Statement, from first: Int32) throws(SQLiteError) {
    try statement.bind(first, id)
    try statement.bind(first + 1, entry.title)
    try statement.bind(first + 2, entry.isBorrowed)
    try statement.bind(first + 3, entry.borrowedUntil?.millisecondsSinceEpoch)
    try statement.bind(first + 4, identifierText)
    try statement.bind(first + 5, AuthorsText.encode(entry.authors))
    try statement.bind(first + 6, entry.language)
    try statement.bind(first + 7, entry.updated?.millisecondsSinceEpoch)
    try statement.bind(first + 8, entry.subtitle)
  }

  /// Reads a row of `allColumns`.
  ///
  /// - Throws: `SQLiteError` with the code for corruption if a column holds what was never written.
  init(_ statement: borrowing Statement) throws(SQLiteError) {
    id = statement.integer(0)
    let text = try statement.optionalText(4)
    entry = CatalogEntry(
      identifier: text.map { .text($0) } ?? .number(Int(id)), title: try statement.text(1))
    entry.isBorrowed = statement.bool(2)
    entry.borrowedUntil = statement.optionalInteger(3).map { Timestamp(millisecondsSinceEpoch: $0) }
    guard let authors = AuthorsText.decode(try statement.optionalText(5)) else {
      throw SQLiteError(code: SQLiteError.corrupt, message: "a book's authors aren't a JSON array of names")
    }
    entry.authors = authors
    entry.language = try statement.optionalText(6)
    entry.updated = statement.optionalInteger(7).map { Timestamp(millisecondsSinceEpoch: $0) }
    entry.subtitle = try statement.optionalText(8)
  }

  private var identifierText: String? {
    switch entry.identifier {
    case .number: nil
    case .text(let text): text
    }
  }

  /// Hashes the columns that `books()` reads, from a row whose first columns are `readColumns`.
  static func readSeal(_ statement: borrowing Statement, _ scope: RowScope) -> UInt64 {
    var hasher = scope.hasher(for: statement.integer(0))
    statement.combineText(1, into: &hasher)
    hasher.combine(statement.integer(2))
    hasher.combine(statement.optionalInteger(3))
    return hasher.finalize()
  }

  /// Hashes a row of `allColumns`.
  ///
  /// Of the columns that `books()` doesn't read, one that is NULL adds nothing, and any other adds its number
  /// first: so a column that a migration adds leaves the seals of the rows that are there as they were.
  static func seal(_ statement: borrowing Statement, _ scope: RowScope) -> RowSeal {
    var rest = scope.hasher(for: statement.integer(0))
    for column: Int32 in [4, 5, 6, 8] where !statement.isNull(column) {
      rest.combine(Int64(column))
      statement.combineText(column, into: &rest)
    }
    if let updated = statement.optionalInteger(7) {
      rest.combine(Int64(7))
      rest.combine(updated)
    }
    return RowSeal(read: readSeal(statement, scope), rest: rest.finalize())
  }

  /// Hashes a row that is about to be written.
  func seal(_ scope: RowScope) -> RowSeal {
    var read = scope.hasher(for: id)
    read.combine(entry.title)
    read.combine(entry.isBorrowed ? 1 : 0 as Int64)
    read.combine(entry.borrowedUntil?.millisecondsSinceEpoch)
    var rest = scope.hasher(for: id)
    let texts: [(Int64, String?)] = [
      (4, identifierText), (5, AuthorsText.encode(entry.authors)), (6, entry.language), (8, entry.subtitle),
    ]
    for case (let column, let text?) in texts {
      rest.combine(column)
      rest.combine(text)
    }
    if let updated = entry.updated {
      rest.combine(Int64(7))
      rest.combine(updated.millisecondsSinceEpoch)
    }
    return RowSeal(read: read.finalize(), rest: rest.finalize())
  }
}
