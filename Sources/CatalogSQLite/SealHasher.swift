/// A 64-bit hash with a fixed seed for telling whether rows are the rows that were written.
///
/// It detects accidents, not attackers. Lengths and absent values are hashed too, so that moving a byte from
/// one column to the next, or making an absent value empty, changes the hash. The values are part of the file
/// format: changing anything here makes every existing cache read as corrupt.
package struct SealHasher {
  private var state: UInt64

  private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let absent: UInt64 = 0xD6E8_FEB8_6659_FD93

  package init(seed: UInt64) {
    state = seed ^ 0xA076_1D64_78BD_642F
  }

  package mutating func combine(_ word: UInt64) {
    let (high, low) = (state ^ word).multipliedFullWidth(by: Self.multiplier)
    // The state is mixed in again, so that a word that makes the product zero doesn't wipe out the ones before.
    state = high ^ low ^ (state << 7 | state >> 57)
  }

  package mutating func combine(_ number: Int64) {
    combine(UInt64(bitPattern: number))
  }

  package mutating func combine(_ number: Int64?) {
    guard let number else { return combineAbsent() }
    combine(UInt64(1))
    combine(number)
  }

  package mutating func combine(_ text: String?) {
    guard var text else { return combineAbsent() }
    text.withUTF8 { bytes in unsafe combine(bytes: UnsafeRawBufferPointer(bytes)) }
  }

  package mutating func combineAbsent() {
    combine(Self.absent)
  }

  mutating func combine(bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    combine(UInt64(count))
    var offset = 0
    while offset + 8 <= count {
      combine(UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < count else { return }
    var word: UInt64 = 0
    for position in offset..<count {
      word |= UInt64(unsafe bytes[position]) << (8 * UInt64(position - offset))
    }
    combine(word)
  }

  package consuming func finalize() -> UInt64 {
    combine(UInt64(0x2545_F491_4F6C_DD1D))
    return state
  }
}
