import CatalogDomain
import CatalogRepository
import CatalogSQLite
import CatalogStore
import CatalogTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SealTests {
  private func hash(_ parts: String?...) -> UInt64 {
    var hasher = SealHasher(seed: 1)
    for part in parts { hasher.combine(part) }
    return hasher.finalize()
  }

  @Test func `the hash is part of the file format and never changes`() {
    #expect(hash() == 0x7c69435f0b6218e9)
    #expect(hash("a") == 0xa395dddf80fd0ae5)
    #expect(hash("twelve bytes", nil, "") == 0x44f71e694ec1e385)
  }

  @Test func `moving a byte to the next value, or absent for empty, changes the hash`() {
    #expect(hash("ab", "c") != hash("a", "bc"))
    #expect(hash(nil) != hash(""))
    #expect(hash("", nil) != hash(nil, ""))
    #expect(hash("eight678") != hash("eight678\u{0}"))
    #expect(hash("\u{E9}") != hash("e\u{301}"))
  }

  @Test(arguments: [
    ("a title of the book", "a title of the bank"), ("an author of it", "an outhor of it"),
    ("urn:identifier:1", "urn:identifier:2"),
  ])
  func `a byte that changes in any column makes the row no data`(_ text: String, _ other: String) async throws
  {
    let fixture = try Fixture()
    var entry = CatalogEntry(identifier: .text("urn:identifier:1"), title: "a title of the book")
    entry.authors = ["an author of it"]
    let remote = ScriptedRemote.always([entry])
    let cache = try fixture.open()
    try await cache.catalog(for: "ada", remote: remote).refresh()
    try cache.close()
    try fixture.damage(text, other)
    let reopened = try fixture.open()
    let catalog = try reopened.catalog(for: "ada", remote: remote)
    let error = #expect(throws: CatalogError.self) {
      try catalog.entry(id: CatalogEntry.reservedIDs.lowerBound)
    }
    #expect(error?.code == .corrupt)
    #expect(try !reopened.verify(.quick).problems.isEmpty)
    try await catalog.refresh()
    #expect(try reopened.verify(.full).problems.isEmpty)
    #expect(try catalog.entry(id: CatalogEntry.reservedIDs.lowerBound)?.authors == ["an author of it"])
  }

  @Test func `every field of an entry comes back as it was, at its extremes`() async throws {
    let fixture = try Fixture()
    let cache = try fixture.open()
    var entries: [CatalogEntry] = []
    for (number, text) in [
      "", " ", "\u{0}", "a\u{0}b", "\u{FFFF}\u{FFFE}", "Cafe\u{301}", "\"\\[],", "line\nline\r\n\u{1}",
      "\u{1F469}\u{200D}\u{1F467}", String(repeating: "x", count: 100_000),
    ].enumerated() {
      var entry = CatalogEntry(
        identifier: number.isMultiple(of: 2) ? .number(number) : .text(text), title: text)
      entry.authors = number == 3 ? [] : [text, "", text]
      entry.language = number == 4 ? nil : text
      entry.isBorrowed = number == 5
      entry.borrowedUntil = number == 5 ? Timestamp(millisecondsSinceEpoch: .max) : nil
      entry.updated = Timestamp(millisecondsSinceEpoch: number == 6 ? .min : -1)
      entries.append(entry)
    }
    let catalog = try cache.catalog(for: "ada", remote: ScriptedRemote.always(entries))
    try await catalog.refresh()
    for entry in entries {
      let found = try #require(try catalog.entry(identifier: entry.identifier)?.entry)
      #expect(found == entry)
      #expect(Array(found.title.utf8) == Array(entry.title.utf8))
      #expect(found.authors.map { Array($0.utf8) } == entry.authors.map { Array($0.utf8) })
    }
    #expect(try catalog.entries().count == entries.count)
  }
}
