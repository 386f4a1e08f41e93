import CatalogDomain
import Foundation

/// Books of an account that can be recognised in raw bytes: each title, text identifier and author's name has
/// the account's mark in it, every few bytes, and each integer identifier begins with four bytes of its own.
struct Traceable {
  let account: AccountID
  /// The mark; also the account's name begins with it.
  let mark: String
  private let idPrefix: UInt64

  init(_ letter: Character) {
    mark = "\(letter)q\(letter)z\(letter)x"
    account = AccountID(rawName: "\(mark) the reader")
    idPrefix = 0x5AAD_A500 | UInt64(letter.asciiValue ?? 0)
  }

  /// A book's identifier: an integer for even numbers, text for odd ones.
  func identifier(_ number: Int) -> CatalogEntry.Identifier {
    number.isMultiple(of: 2) ? .number(Int(idPrefix << 16) | number) : .text("urn:\(mark):\(number)")
  }

  func entry(_ number: Int, _ generator: inout SeededGenerator) -> CatalogEntry {
    var words = ["\(mark)#\(number)."]
    for _ in 0..<generator.number(0...8) { words.append("\(mark)\(generator.number(0...99))") }
    var entry = CatalogEntry(identifier: identifier(number), title: words.joined(separator: " "))
    for _ in 0..<generator.number(0...2) { entry.authors.append("\(mark) \(generator.number(0...9999))") }
    entry.isBorrowed = generator.once(in: 5)
    return entry
  }

  /// The numbers of the books whose titles are in some bytes.
  func titles(in files: some Collection<Data>) -> Set<Int> {
    let beginning = Data("\(mark)#".utf8)
    var found: Set<Int> = []
    for bytes in files {
      var rest = bytes[...]
      while let place = rest.range(of: beginning) {
        let digits = rest[place.upperBound...].prefix(6).prefix { $0 != UInt8(ascii: ".") }
        if let number = Int(String(decoding: digits, as: UTF8.self)) { found.insert(number) }
        rest = rest[place.upperBound...]
      }
    }
    return found
  }

  /// Where anything of the account is: a title, a text identifier, an author, its name, or an integer identifier.
  func traces(in files: [String: Data]) -> [String] {
    // As SQLite writes an integer of six bytes: big end first (sqlite.org/fileformat2.html#record_format).
    let prefix = Data((0..<4).reversed().map { UInt8(truncatingIfNeeded: idPrefix >> (8 * UInt64($0))) })
    return files.filter { file in
      file.value.range(of: Data(mark.utf8)) != nil || file.value.range(of: prefix) != nil
    }.keys.sorted()
  }
}

extension AccountID {
  /// A name that the tests know to be valid.
  init(rawName: String) {
    self.init(stringLiteral: rawName)
  }
}
