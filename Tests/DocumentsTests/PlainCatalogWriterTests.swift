import CatalogDocuments
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PlainCatalogWriterTests {
  @Test func `keys come in a fixed order, and those that say nothing are left out`() {
    var entry = CatalogEntry(identifier: .number(12), title: "A \"b\" \\ /")
    #expect(PlainCatalogWriter.line(for: entry) == #"{"id":12,"title":"A \"b\" \\ /","isBorrowed":false}"#)
    entry.identifier = .text("12")
    entry.authors = ["C", "D"]
    entry.language = "fr"
    entry.isBorrowed = true
    entry.borrowedUntil = Timestamp(millisecondsSinceEpoch: 1_796_083_200_000)
    entry.updated = Timestamp(millisecondsSinceEpoch: 1)
    #expect(
      PlainCatalogWriter.line(for: entry)
        == #"{"id":"12","title":"A \"b\" \\ /","authors":["C","D"],"language":"fr","isBorrowed":true,"#
        + #""borrowedUntil":"2026-12-01T00:00:00Z","updated":"1970-01-01T00:00:00.001Z"}"#)
  }

  @Test func `a catalog without books comes back as one`() throws {
    let reading = try Reading(PlainCatalogWriter.emptyCatalog)
    #expect(reading.entries.isEmpty && reading.isComplete)
  }

  @Test func `what breaks a line or turns the text around is written as an escape`() {
    let title =
      "\u{0}\u{1}\n\r\t\u{7F}\u{85}\u{9B}\u{61C}\u{200E}\u{200F}\u{2028}\u{2029}\u{202E}\u{2066}\u{2069}"
    let line = PlainCatalogWriter.line(for: CatalogEntry(identifier: .number(1), title: title))
    #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
  }

  static let texts = [
    "plain", "NUL \u{0} inside", "line\u{2028}end\r\n\u{85}", "\u{FFFE}\u{FFFF}\u{1FFFE}\u{10FFFF}",
    "Caf\u{E9}", "Cafe\u{301}", "\u{FEFF}mark", "👩‍👧 𝔘𝔫𝔦", "\u{202E}override\u{202C}", "\"\\/\u{8}\u{C}",
    "\u{E000}",
    "\u{0}", "\u{200B}", "a\u{0300}\u{0327}", "\u{1100}\u{1161}", "\u{AC00}",
  ]

  @Test(arguments: texts)
  func `a text comes back byte for byte`(text: String) throws {
    var entry = CatalogEntry(identifier: .text(text), title: text)
    entry.authors = [text, "", text]
    entry.language = text
    let reading = try Reading(PlainCatalogWriter.line(for: entry) + "\n", pieces: 1)
    #expect(reading.rejected.isEmpty)
    #expect(reading.entries.count == 1)
    #expect(reading.entries.first?.hasSameBytes(as: entry) == true)
  }

  @Test(arguments: [Int.min, -1, 0, (1 << 62) - 1], [Int64.min, -1, 0, 1, 253_402_300_800_000, .max])
  func `numbers and moments come back at their extremes`(number: Int, milliseconds: Int64) throws {
    var entry = CatalogEntry(identifier: .number(number), title: "a")
    entry.isBorrowed = true
    entry.borrowedUntil = Timestamp(millisecondsSinceEpoch: milliseconds)
    entry.updated = Timestamp(millisecondsSinceEpoch: milliseconds)
    #expect(try Reading(PlainCatalogWriter.line(for: entry)).entries == [entry])
  }

  @Test func `random books come back byte for byte, as lines and as an array`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SplitMix(state: seed)
    let entries = (0..<2000).map { _ in CatalogEntry.random(using: &generator) }
    let lines = entries.map(PlainCatalogWriter.line(for:))
    for text in [lines.joined(separator: "\n"), "[" + lines.joined(separator: ",") + "]"] {
      let reading = try Reading(text, pieces: Int.random(in: 1...5000, using: &generator))
      #expect(reading.entries.count == entries.count, "seed \(seed)")
      #expect(zip(reading.entries, entries).allSatisfy { $0.hasSameBytes(as: $1) }, "seed \(seed)")
    }
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension CatalogEntry {
  fileprivate static func random(using generator: inout SplitMix) -> CatalogEntry {
    func text(_ length: Int, _ generator: inout SplitMix) -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...length, using: &generator) {
        let bound: UInt32 = Bool.random(using: &generator) ? 0x250 : 0x10FFFF
        text.append(Unicode.Scalar(UInt32.random(in: 0...bound, using: &generator)) ?? "x")
      }
      return String(text)
    }
    let identifier: Identifier =
      Bool.random(using: &generator)
      ? .number(Int.random(in: Int.min..<(1 << 62), using: &generator)) : .text(text(40, &generator))
    // The first letter keeps a random title from being white space alone.
    var entry = CatalogEntry(identifier: identifier, title: "T" + text(60, &generator))
    entry.authors = (0..<Int.random(in: 0...3, using: &generator)).map { _ in text(20, &generator) }
    entry.language = Bool.random(using: &generator) ? text(8, &generator) : nil
    entry.isBorrowed = Bool.random(using: &generator)
    if Bool.random(using: &generator) {
      entry.borrowedUntil = Timestamp(millisecondsSinceEpoch: .random(in: .min ... .max, using: &generator))
      entry.updated = Timestamp(
        millisecondsSinceEpoch: .random(in: 0...4_000_000_000_000, using: &generator))
    }
    return entry
  }
}
