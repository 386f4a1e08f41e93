/// How much is taken from outside, so that no document can exhaust memory, disk or patience.
///
/// A bound on a whole document, once exceeded, is ``CatalogError/Code/tooLarge``; a bound on
/// one item leaves that item out, counted and named, and takes the others.
public struct DocumentLimits: Hashable, Sendable {
  /// How many bytes a document may have; 512 MiB by default.
  public var bytes: Int
  /// How many items a catalog may have, those left out included; 2,000,000 by default.
  public var books: Int
  /// How many pages a catalog may be spread over; 10,000 by default.
  public var pages: Int
  /// How deeply an item's values may be nested; 64 by default.
  public var nesting: Int
  /// How many bytes one item may have; 1 MiB by default.
  public var itemBytes: Int
  /// How many bytes of UTF-8 a title may have; 16 KiB by default.
  public var titleBytes: Int
  /// How many bytes of UTF-8 an identifier may have; 4 KiB by default.
  public var identifierBytes: Int
  /// How many bytes of UTF-8 an author's name may have; 4 KiB by default.
  public var authorBytes: Int
  /// How many bytes of UTF-8 a language tag may have; 255 by default.
  public var languageBytes: Int
  /// How many authors a book may have; 200 by default.
  public var authors: Int

  /// Creates the default bounds.
  public init() {
    bytes = 512 << 20
    books = 2_000_000
    pages = 10_000
    nesting = 64
    itemBytes = 1 << 20
    titleBytes = 16 << 10
    identifierBytes = 4 << 10
    authorBytes = 4 << 10
    languageBytes = 255
    authors = 200
  }
}
