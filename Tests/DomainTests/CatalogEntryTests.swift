import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CatalogEntryTests {
  private let end = Timestamp(millisecondsSinceEpoch: 1000)

  @Test func `text identifiers are equal by bytes, not by canonical equivalence`() {
    let composed = CatalogEntry.Identifier.text("urn:caf\u{E9}")
    let decomposed = CatalogEntry.Identifier.text("urn:cafe\u{301}")
    #expect(composed != decomposed)
    #expect(composed == .text("urn:caf\u{E9}"))
    #expect(Set([composed, decomposed, composed]).count == 2)
  }

  @Test func `a number is never a text, even if it is written alike`() {
    #expect(CatalogEntry.Identifier.number(12) != .text("12"))
    #expect(CatalogEntry.Identifier.number(12) == .number(12))
    #expect(Set<CatalogEntry.Identifier>([.number(12), .text("12"), .number(12), .text("12")]).count == 2)
  }

  @Test func `equal identifiers hash alike`() {
    #expect(
      CatalogEntry.Identifier.text("a\u{301}").hashValue == CatalogEntry.Identifier.text("a\u{301}").hashValue
    )
    #expect(CatalogEntry.Identifier.number(7).hashValue == CatalogEntry.Identifier.number(7).hashValue)
  }

  @Test func `a new entry is not on loan, and nothing else is known of it`() {
    let entry = CatalogEntry(identifier: .number(1), title: "T")
    #expect(!entry.isBorrowed)
    #expect(entry.authors.isEmpty)
    #expect(entry.language == nil)
    #expect(entry.borrowedUntil == nil)
    #expect(entry.updated == nil)
  }

  @Test(
    arguments: [(999, true), (1000, false), (1001, false), (.min, true), (.max, false)] as [(Int64, Bool)])
  func `a loan's end counts as past it`(milliseconds: Int64, isBorrowed: Bool) {
    var entry = CatalogEntry(identifier: .number(1), title: "T")
    entry.isBorrowed = true
    entry.borrowedUntil = end
    #expect(entry.isBorrowed(at: Timestamp(millisecondsSinceEpoch: milliseconds)) == isBorrowed)
  }

  @Test func `a loan without an end doesn't end, and an end without a loan is none`() {
    var entry = CatalogEntry(identifier: .number(1), title: "T")
    entry.borrowedUntil = end
    #expect(!entry.isBorrowed(at: Timestamp(millisecondsSinceEpoch: 0)))
    entry.isBorrowed = true
    entry.borrowedUntil = nil
    #expect(entry.isBorrowed(at: Timestamp(millisecondsSinceEpoch: .max)))
  }

  @Test func `the store's numbers are above every number of a remote`() {
    #expect(CatalogEntry.reservedIDs.lowerBound == 4_611_686_018_427_387_904)
    #expect(CatalogEntry.reservedIDs.upperBound == .max)
  }

  @Test func `validators are there only if there is one`() {
    #expect(FetchValidators() == nil)
    #expect(FetchValidators(entityTag: "W/\"1\"")?.entityTag == "W/\"1\"")
    #expect(FetchValidators(entityTag: "1")?.about("a") != nil)
    #expect(FetchValidators(entityTag: "1", scope: "a")?.about("a") != nil)
    #expect(FetchValidators(entityTag: "1", scope: "a")?.about("b") == nil)
    #expect(FetchValidators(lastModified: "x")?.lastModified == "x")
  }
}
