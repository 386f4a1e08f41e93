/// A line that is typed on a terminal which neither shows nor edits it.
package struct SecretLine {
  /// What a byte led to.
  package enum Event: Hashable, Sendable {
    /// More is to come.
    case goOn
    /// The line has ended; nil if there was none.
    case done(String?)
    /// Control-C was pressed.
    case interrupted
  }

  private var bytes: [UInt8] = []

  package init() {}

  /// Takes what was typed, one byte after the other.
  package mutating func type(_ byte: UInt8) -> Event {
    switch byte {
    case 0x03: return .interrupted
    case 0x0A, 0x0D: return .done(String(decoding: bytes, as: UTF8.self))
    case 0x04: return .done(bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self))
    case 0x15: bytes = []
    case 0x08, 0x7F:
      // A character is its last byte and those before it that go on.
      while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    default: if bytes.count < 4096 { bytes.append(byte) }
    }
    return .goOn
  }
}
