public import CatalogDomain
import Foundation

/// Reads a plain catalog, a JSON array of books or one JSON object a line, piece by piece as it comes in.
///
/// Give it the bytes in any pieces with ``consume(_:)``, then call ``finish()``; after an error it is of no
/// more use. It holds one item at a time, so the size of the document costs no memory. One bad item is left
/// out, counted and named; a document that can't be read at all is an error. The text has to be UTF-8
/// (RFC 8259 §8.1); a byte order mark, blank lines and unknown keys are skipped.
public struct PlainCatalogReader: Sendable {
  /// The revision of what is read from an item.
  ///
  /// It rises when the same bytes give another answer, so that "not modified" isn't said of what an older
  /// reader left out.
  public static let revision = 2

  private static let linesBeforeGivingUp = 100

  private let source: String
  private let limits: DocumentLimits
  private let decoder = JSONDecoder()
  private var splitter: JSONItemSplitter
  private var itemCount = 0
  private var wellFormedCount = 0
  private var soleRefusal: String?
  private var isFinished = false
  private var unidentified: (count: Int, first: String)?

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - source: What messages call the document, such as its path in quotes.
  ///   - limits: How much is taken.
  public init(of source: String, limits: DocumentLimits = .init()) {
    self.source = source
    self.limits = limits
    splitter = JSONItemSplitter(of: source, limits: limits)
  }

  /// How the answer ends, as far as it was read: partial if an item was left out whose identifier can't be
  /// read, because it may be any book's.
  public var conclusion: FetchConclusion {
    guard let unidentified else { return .complete }
    let items = unidentified.count == 1 ? "1 item" : "\(unidentified.count) items"
    return .partial(
      reason: "\(items) of \(source) couldn't be read far enough to tell which book was meant, the first at "
        + "\(unidentified.first).")
  }

  /// Takes the next bytes of the document.
  ///
  /// - Returns: The items that end in these bytes, in order; possibly none.
  /// - Throws: ``CatalogError`` with code ``CatalogError/Code/badResponse`` if the document can't be read, or
  ///   ``CatalogError/Code/tooLarge`` if it is over a bound.
  public mutating func consume(_ chunk: [UInt8]) throws(CatalogError) -> FetchPage {
    precondition(!isFinished, "A PlainCatalogReader was given bytes after finish().")
    guard chunk.count <= limits.bytes - splitter.byteCount else {
      throw CatalogError(
        .tooLarge,
        "\(source) has more than \(limits.bytes) bytes. Nothing of it was taken; raise the limit if that is "
          + "right.")
    }
    var page = FetchPage(entries: [])
    for item in try splitter.consume(chunk) { try judge(item, into: &page) }
    return page
  }

  /// Says that the document has ended.
  ///
  /// - Returns: A last line that had no line end, if there was one.
  /// - Throws: ``CatalogError`` with code ``CatalogError/Code/badResponse`` if the document is empty, cut off,
  ///   or something else than a catalog.
  public mutating func finish() throws(CatalogError) -> FetchPage {
    precondition(!isFinished, "A PlainCatalogReader was finished twice.")
    isFinished = true
    var page = FetchPage(entries: [])
    if let item = try splitter.finish() { try judge(item, into: &page) }
    if splitter.form == .lines, itemCount == 1, let soleRefusal {
      throw CatalogError(
        .badResponse,
        "\(source) is a single JSON object that isn't a book: \(soleRefusal) \(JSONItemSplitter.expectation)")
    }
    if itemCount > 0, wellFormedCount == 0 { throw notJSON() }
    return page
  }

  private mutating func judge(_ item: JSONItemSplitter.Item, into page: inout FetchPage) throws(CatalogError)
  {
    itemCount += 1
    guard itemCount <= limits.books else {
      throw CatalogError(
        .tooLarge,
        "\(source) has more than \(limits.books) items. Nothing of it was taken; raise the limit if that is "
          + "right.")
    }
    let isLine = splitter.form == .lines
    if isLine, !item.isClosed {
      if item.isCutOff { throw cutOff(item) }
      if itemCount == 1 {
        throw CatalogError(
          .badResponse,
          "\(source) can't be read: the JSON object that begins on line \(item.number) doesn't end on it. "
            + JSONItemSplitter.expectation)
      }
    }
    let position = "\(isLine ? "line" : "item") \(item.number)"
    if item.isOverlong || item.isTooDeep {
      wellFormedCount += 1
      let reason =
        item.isOverlong
        ? "It has more than \(limits.itemBytes) bytes."
        : "It is nested more than \(limits.nesting) levels deep."
      soleRefusal = reason
      refuse(at: position, nil, reason, in: &page)
      return
    }
    try checkEncoding(item)
    let decoded: PlainItem
    do {
      decoded = try decoder.decode(PlainItem.self, from: Data(item.bytes))
    } catch {
      if isLine, item.isCutOff { throw cutOff(item) }
      var reason = "It isn't well-formed JSON."
      if let error = error as? DecodingError, !error.isOfMalformedText {
        // An array, a number or a word in an object's place is well-formed, and no book.
        wellFormedCount += 1
        reason = "It isn't a JSON object."
      }
      refuse(at: position, nil, reason, in: &page)
      if wellFormedCount == 0, itemCount >= Self.linesBeforeGivingUp { throw notJSON() }
      return
    }
    wellFormedCount += 1
    switch decoded.entry(within: limits) {
    case .success(let entry):
      page.entries.append(entry)
    case .failure(let refusal):
      if decoded.isNoBook { soleRefusal = "it has neither an 'id' nor a 'title'." }
      refuse(at: position, decoded.identifier(within: limits), refusal.reason, in: &page)
    }
  }

  private mutating func refuse(
    at position: String, _ identifier: CatalogEntry.Identifier?, _ reason: String, in page: inout FetchPage
  ) {
    page.rejected.append(RejectedItem(position: position, identifier: identifier, reason: reason))
    guard identifier == nil else { return }
    unidentified = ((unidentified?.count ?? 0) + 1, unidentified?.first ?? position)
  }

  /// The encoding is the whole document's: one stray byte means that no text of it can be trusted.
  private func checkEncoding(_ item: JSONItemSplitter.Item) throws(CatalogError) {
    guard item.hasNonASCII, String(validating: item.bytes, as: UTF8.self) == nil else { return }
    let valid = Self.validPrefix(of: item.bytes)
    throw CatalogError(
      .badResponse,
      "\(source) isn't UTF-8 text: byte \(item.offset + valid), in "
        + "\(splitter.form == .lines ? "line" : "item") \(item.number), belongs to no character. "
        + "Convert it to UTF-8.")
  }

  private static func validPrefix(of bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var count = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
    return count
  }

  private func cutOff(_ item: JSONItemSplitter.Item) -> CatalogError {
    CatalogError(
      .badResponse,
      "\(source) is cut off: its last line, \(item.number), ends at byte \(splitter.byteCount) in the middle "
        + "of a book. Fetch or write it again.")
  }

  private func notJSON() -> CatalogError {
    CatalogError(
      .badResponse,
      "\(source) isn't JSON: of \(itemCount) \(itemCount == 1 ? "item" : "items"), none is well-formed. "
        + JSONItemSplitter.expectation)
  }
}

extension DecodingError {
  fileprivate var isOfMalformedText: Bool {
    if case .dataCorrupted = self { true } else { false }
  }
}
