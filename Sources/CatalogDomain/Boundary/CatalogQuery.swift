/// Asks a catalog for the titles that match what a reader typed.
///
/// Matching compares `Character`s after `lowercased()`, which is canonical equivalence: "CAFÉ" finds "Café",
/// composed or decomposed, and "cafe" doesn't; `%` and `_` are plain text. A rule or an order that differs is
/// a new, named value given to ``CatalogListing``, never a change of this type.
public struct CatalogQuery {
  private let source: any CatalogReading

  /// Creates a query over a source, which it reads anew at each call.
  public init(source: any CatalogReading) {
    self.source = source
  }

  /// Returns the titles that contain a text, borrowed books first, then by `id`.
  ///
  /// - Parameter query: What to look for; the empty text matches every book.
  /// - Returns: The titles of the books that match; empty only if the source is known to hold no such book.
  /// - Throws: The source's own error, unchanged.
  public func titles(matching query: String) throws -> [String] {
    let wanted = query.lowercased()
    return try source.books()
      .filter { query.isEmpty || $0.title.lowercased().contains(wanted) }
      .sorted { first, second in
        first.isBorrowed == second.isBorrowed ? first.id < second.id : first.isBorrowed
      }
      .map(\.title)
  }
}
