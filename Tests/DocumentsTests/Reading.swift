import CatalogDocuments
import CatalogDomain

/// A document read to its end.
struct Reading {
  var entries: [CatalogEntry] = []
  var rejected: [RejectedItem] = []
  var isComplete = false

  var titles: [String] { entries.map(\.title) }
  var reasons: [String] { rejected.map { "\($0.position): \($0.reason)" } }

  /// Reads bytes in pieces of a size.
  init(
    _ bytes: [UInt8], pieces: Int = .max, limits: DocumentLimits = .init()
  ) throws(CatalogError) {
    var reader = PlainCatalogReader(of: "The catalog", limits: limits)
    var start = 0
    while start < bytes.count {
      let end = bytes.count - start <= pieces ? bytes.count : start + pieces
      add(try reader.consume(Array(bytes[start..<end])))
      start = end
    }
    add(try reader.finish())
    if case .complete = reader.conclusion { isComplete = true }
  }

  /// Reads a text in pieces of a size.
  init(_ text: String, pieces: Int = .max, limits: DocumentLimits = .init()) throws(CatalogError) {
    try self.init(Array(text.utf8), pieces: pieces, limits: limits)
  }

  private mutating func add(_ page: FetchPage) {
    entries += page.entries
    rejected += page.rejected
  }
}

extension CatalogEntry {
  /// Whether both have the same bytes everywhere; `==` compares texts by canonical equivalence.
  func hasSameBytes(as other: CatalogEntry) -> Bool {
    self == other && title.utf8.elementsEqual(other.title.utf8)
      && authors.map { Array($0.utf8) } == other.authors.map { Array($0.utf8) }
      && language.map { Array($0.utf8) } == other.language.map { Array($0.utf8) }
  }
}
