import CatalogDomain

/// Cuts a plain catalog into its items as the bytes come in, without holding more than one of them.
///
/// Only what is needed to find an item's end is understood here: strings, escapes and brackets. What the
/// item says is the decoder's business.
struct JSONItemSplitter {
  /// One item's bytes, and where they stood.
  struct Item {
    /// The bytes; empty if the item is over a bound.
    var bytes: [UInt8]
    /// The line of the item, or its number in the array, from 1.
    var number: Int
    /// Where the item begins in the document, from 0.
    var offset: Int
    /// Whether every string and bracket was closed.
    var isClosed: Bool
    /// Whether there are bytes outside ASCII, whose encoding has to be checked.
    var hasNonASCII: Bool
    /// Whether the item has more bytes than one may have.
    var isOverlong: Bool
    /// Whether the item is nested more deeply than one may be.
    var isTooDeep: Bool
    /// Whether the document ended before the line did.
    var isCutOff: Bool
  }

  /// What separates the items.
  enum Form {
    case array, lines
  }

  private enum State {
    /// Before the first byte that isn't blank; the number of bytes of a byte order mark seen.
    case start(markBytes: Int)
    /// Between lines, or in the blank part at the beginning of one.
    case beforeLine
    /// In a line that isn't blank.
    case inLine
    /// After `[` (then `]` may come) or after a comma (then it may not).
    case beforeItem(afterComma: Bool)
    /// In an item of an array; `isScalar` if it has no bracket or quote to end it.
    case inItem(isScalar: Bool)
    /// After an item of an array: a comma or `]` comes.
    case afterItem
    /// After the array's `]`.
    case ended
  }

  private let source: String
  private let limits: DocumentLimits
  private var state = State.start(markBytes: 0)
  private var shape = JSONShape()
  private var held: [UInt8] = []
  private var isOverlong = false
  private var itemOffset = 0
  private var line = 1
  private var itemCount = 0
  /// How many bytes came in.
  private(set) var byteCount = 0

  init(of source: String, limits: DocumentLimits) {
    self.source = source
    self.limits = limits
  }

  /// What separates the items; nil before the first byte that isn't blank.
  var form: Form? {
    switch state {
    case .start: nil
    case .beforeLine, .inLine: .lines
    case .beforeItem, .inItem, .afterItem, .ended: .array
    }
  }

  /// Takes the next bytes, and returns the items that end in them.
  mutating func consume(_ chunk: [UInt8]) throws(CatalogError) -> [Item] {
    var items: [Item] = []
    // Where the part of the item that isn't held yet begins in this chunk.
    var start = 0
    var index = 0
    let end = chunk.count
    while index < end {
      let byte = chunk[index]
      switch state {
      case .start(let markBytes):
        try begin(with: byte, at: byteCount + index, markBytes: markBytes)
        if case .inLine = state {
          open(at: byteCount + index)
          start = index
          shape.take(byte)
        }
      case .beforeLine:
        if byte == .lineFeed {
          line += 1
        } else if !byte.isBlank {
          open(at: byteCount + index)
          start = index
          shape.take(byte)
          state = .inLine
        }
      case .inLine:
        if byte == .lineFeed {
          items.append(close(with: chunk[start..<index], number: line))
          line += 1
          state = .beforeLine
        } else {
          shape.take(byte)
        }
      case .beforeItem(let afterComma):
        if byte == .closingBracket, !afterComma {
          state = .ended
        } else if byte.beginsValue {
          open(at: byteCount + index)
          start = index
          shape.take(byte)
          itemCount += 1
          state = .inItem(isScalar: shape.isClosed)
        } else if !byte.isBlank {
          throw unexpected(byte, at: byteCount + index, wanted: "a book")
        }
      case .inItem(let isScalar):
        if !isScalar {
          shape.take(byte)
          if shape.isClosed {
            items.append(close(with: chunk[start...index], number: itemCount))
            state = .afterItem
          }
        } else if byte.isBlank || byte == .comma || byte == .closingBracket {
          items.append(close(with: chunk[start..<index], number: itemCount))
          state = .afterItem
          continue  // The byte after a number or a word belongs to the array.
        }
      case .afterItem:
        if byte == .comma {
          state = .beforeItem(afterComma: true)
        } else if byte == .closingBracket {
          state = .ended
        } else if !byte.isBlank {
          throw unexpected(byte, at: byteCount + index, wanted: "',' or ']'")
        }
      case .ended:
        guard byte.isBlank else {
          throw CatalogError(
            .badResponse,
            "\(source) can't be read: something follows the catalog's closing ']' at byte "
              + "\(byteCount + index). Was it written twice into one file?")
        }
      }
      index += 1
    }
    switch state {
    case .inLine, .inItem: hold(chunk[start...])
    case .start, .beforeLine, .beforeItem, .afterItem, .ended: break
    }
    byteCount += end
    return items
  }

  /// Says that no more bytes come, and returns a last line that had no line end.
  mutating func finish() throws(CatalogError) -> Item? {
    switch state {
    case .start:
      throw CatalogError(
        .badResponse,
        "\(source) is empty, which is no catalog; a catalog without books is '[]'. \(Self.expectation)")
    case .beforeLine, .ended:
      return nil
    case .inLine:
      var item = close(with: [], number: line)
      item.isCutOff = true
      return item
    case .beforeItem, .inItem, .afterItem:
      throw CatalogError(
        .badResponse,
        "\(source) is cut off: its array isn't closed when it ends at byte \(byteCount), after "
          + "\(itemCount) \(itemCount == 1 ? "item" : "items"). Fetch or write it again.")
    }
  }

  /// What a plain catalog looks like, for messages.
  static let expectation = "Expected a JSON array of books, or one JSON object a line."

  private mutating func begin(with byte: UInt8, at offset: Int, markBytes: Int) throws(CatalogError) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if offset < mark.count, markBytes == offset, byte == mark[offset] {
      state = .start(markBytes: markBytes + 1)
    } else if (1..<mark.count).contains(markBytes) {
      throw CatalogError(.badResponse, "\(source) isn't UTF-8 text (byte \(offset)). \(Self.expectation)")
    } else if byte == .openingBracket {
      state = .beforeItem(afterComma: false)
    } else if byte == .openingBrace {
      state = .inLine
    } else if byte == .lineFeed {
      line += 1
    } else if !byte.isBlank {
      throw CatalogError(
        .badResponse, "\(source) is no catalog: \(Self.guess(byte, offset)). \(Self.expectation)")
    }
    if case .start(let seen) = state, seen == markBytes { state = .start(markBytes: mark.count) }
  }

  private static func guess(_ byte: UInt8, _ offset: Int) -> String {
    switch byte {
    case 0x3C: "it looks like HTML or XML"
    case 0xFE, 0xFF, 0x00: "it isn't UTF-8 text, perhaps UTF-16"
    case 0x1F: "it looks like compressed data"
    case 0x80...: "it isn't UTF-8 text with JSON in it (byte \(offset))"
    default: "it doesn't begin as JSON does (byte \(offset))"
    }
  }

  private func unexpected(_ byte: UInt8, at offset: Int, wanted: String) -> CatalogError {
    let found = byte == .closingBracket ? "']'" : "something else"
    return CatalogError(
      .badResponse,
      "\(source) isn't well-formed JSON: after item \(itemCount), at byte \(offset), there is \(found) where "
        + "\(wanted) should be.")
  }

  private mutating func open(at offset: Int) {
    shape = JSONShape()
    held.removeAll(keepingCapacity: true)
    isOverlong = false
    itemOffset = offset
  }

  private mutating func hold(_ part: ArraySlice<UInt8>) {
    guard !isOverlong, held.count + part.count <= limits.itemBytes else {
      isOverlong = true
      held = []
      return
    }
    held += part
  }

  private mutating func close(with rest: ArraySlice<UInt8>, number: Int) -> Item {
    hold(rest)
    return Item(
      bytes: shape.depth(isOver: limits.nesting) ? [] : held, number: number, offset: itemOffset,
      isClosed: shape.isClosed, hasNonASCII: shape.hasNonASCII, isOverlong: isOverlong,
      isTooDeep: shape.depth(isOver: limits.nesting), isCutOff: false)
  }
}

/// What has to be known of JSON to find where a value ends.
private struct JSONShape {
  private var depth = 0
  private var deepest = 0
  private var isInString = false
  private var isEscaped = false
  private(set) var hasNonASCII = false

  var isClosed: Bool { depth <= 0 && !isInString }

  func depth(isOver bound: Int) -> Bool { deepest > bound }

  mutating func take(_ byte: UInt8) {
    if byte >= 0x80 { hasNonASCII = true }
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isInString = false
      }
      return
    }
    switch byte {
    case 0x22:
      isInString = true
    case .openingBrace, .openingBracket:
      depth += 1
      deepest = max(deepest, depth)
    case .closingBrace, .closingBracket:
      depth -= 1
    default:
      break
    }
  }
}

extension UInt8 {
  fileprivate static let lineFeed: UInt8 = 0x0A
  fileprivate static let comma: UInt8 = 0x2C
  fileprivate static let openingBracket: UInt8 = 0x5B
  fileprivate static let closingBracket: UInt8 = 0x5D
  fileprivate static let openingBrace: UInt8 = 0x7B
  fileprivate static let closingBrace: UInt8 = 0x7D

  /// RFC 8259 §2: what may stand between tokens.
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

  /// RFC 8259 §3: a value begins with a bracket, a quote, a digit, a minus sign, or one of three words.
  fileprivate var beginsValue: Bool {
    switch self {
    case .openingBrace, .openingBracket, 0x22, 0x2D, 0x30...0x39, 0x74, 0x66, 0x6E: true
    default: false
    }
  }
}
