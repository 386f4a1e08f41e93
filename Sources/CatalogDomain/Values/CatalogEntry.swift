/// One book as a remote describes it and the cache keeps it.
public struct CatalogEntry: Hashable, Sendable {
  /// What the remote calls the book.
  public enum Identifier: Hashable, Sendable {
    /// An integer, which is also the book's `id`; below 2^62 (``CatalogEntry/reservedIDs`` are the store's).
    case number(Int)
    /// Any other text, such as a URN; the store gives the book an `id` of its own. Equal by bytes.
    case text(String)

    /// Whether both are the same number, or texts of the same bytes.
    public static func == (first: Identifier, second: Identifier) -> Bool {
      switch (first, second) {
      case (.number(let first), .number(let second)): first == second
      // SQLite compares bytes, so this does too: a set in memory and a key on disk must agree.
      case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
      case (.number, .text), (.text, .number): false
      }
    }

    /// Hashes the number, or the bytes of the text.
    public func hash(into hasher: inout Hasher) {
      switch self {
      case .number(let number): hasher.combine(number)
      case .text(let text):
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
      }
    }
  }

  /// The numbers that the store gives to books with text identifiers; a remote's integer may not be one.
  public static let reservedIDs: ClosedRange<Int> = (1 << 62)...Int.max

  /// What the remote calls the book.
  public var identifier: Identifier
  /// The title, exactly as the remote gave it.
  public var title: String
  /// The subtitle, exactly as the remote gave it; nil if it gave none.
  public var subtitle: String?
  /// The authors' names, in the remote's order; any number of them.
  public var authors: [String]
  /// The language as the remote gave it, usually a BCP 47 tag; nil if it said nothing.
  public var language: String?
  /// Whether the reader has the book on loan.
  public var isBorrowed: Bool
  /// When the loan ends by itself; nil if it has no end, or there is no loan.
  public var borrowedUntil: Timestamp?
  /// When the remote last changed its record of the book; nil if it said nothing.
  public var updated: Timestamp?

  /// Creates a book that isn't on loan and about which nothing else is known.
  public init(identifier: Identifier, title: String) {
    self.identifier = identifier
    self.title = title
    subtitle = nil
    authors = []
    language = nil
    isBorrowed = false
    borrowedUntil = nil
    updated = nil
  }

  /// About how many bytes the book takes in memory, for whoever keeps books within a bound.
  package var sizeInBytes: Int {
    var texts = [title, subtitle, language].compactMap(\.self) + authors
    if case .text(let text) = identifier { texts.append(text) }
    return texts.reduce(MemoryLayout<CatalogEntry>.stride) {
      $0 + $1.utf8.count + MemoryLayout<String>.stride
    }
  }

  /// Whether the book is on loan at a moment: a loan's end counts as past it.
  public func isBorrowed(at moment: Timestamp) -> Bool {
    Self.isBorrowed(isBorrowed, until: borrowedUntil, at: moment)
  }

  /// The one rule for a loan's end, for rows that are read without making an entry.
  package static func isBorrowed(_ flag: Bool, until end: Timestamp?, at moment: Timestamp) -> Bool {
    guard flag else { return false }
    guard let end else { return true }
    return moment < end
  }
}
