/// One book as a list shows it: the boundary's whole vocabulary for a row.
///
/// These three fields are fixed for good. The richer record of a book is ``CatalogEntry``.
public struct BookSummary: Equatable, Hashable, Sendable {
  /// The book's number within one catalog of one account.
  public let id: Int
  /// The title exactly as its source gave it: any text, not normalized, possibly with control characters.
  public let title: String
  /// Whether the reader has the book on loan.
  public let isBorrowed: Bool

  /// Creates a summary.
  public init(id: Int, title: String, isBorrowed: Bool) {
    self.id = id
    self.title = title
    self.isBorrowed = isBorrowed
  }
}
