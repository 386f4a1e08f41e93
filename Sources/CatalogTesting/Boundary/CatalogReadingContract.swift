public import CatalogDomain

/// An implementation of `CatalogReading` under the contract.
public struct CatalogReadingSource: CustomStringConvertible, Sendable {
  /// The implementation and how it was brought about, as test output names it.
  public let description: String
  private let provide:
    @Sendable ([BookSummary], _ body: (any CatalogReading) throws -> Void) async throws -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - description: What test output calls it.
  ///   - provide: Makes a catalog that holds exactly the books given, lends it to `body`, and cleans up.
  public init(
    _ description: String,
    provide:
      @escaping @Sendable ([BookSummary], _ body: (any CatalogReading) throws -> Void) async throws -> Void
  ) {
    self.description = description
    self.provide = provide
  }

  /// Lends a catalog that holds exactly these books.
  public func withCatalog(
    holding books: [BookSummary], _ body: (any CatalogReading) throws -> Void
  ) async throws {
    try await provide(books, body)
  }
}

/// What `CatalogQuery` promises over every source: named cases, to be run for each implementation.
///
/// A case throws a ``ContractViolation`` if the promise isn't kept, so that any test library can run it.
public enum CatalogReadingContract {
  /// One promise.
  public struct Case: CustomStringConvertible, Sendable {
    /// The promise, as a sentence.
    public let description: String
    fileprivate let books: [BookSummary]
    fileprivate let check: @Sendable (any CatalogReading) throws -> Void

    /// Checks the promise.
    public func run(over source: CatalogReadingSource) async throws {
      var checked = false
      try await source.withCatalog(holding: books) { catalog in
        try check(catalog)
        checked = true
      }
      guard checked else { throw ContractViolation("\(source) lent no catalog") }
    }
  }

  /// Every promise over a source that knows what it holds.
  public static let cases: [Case] = [
    expect("borrowed books come first, then the lower id", mixed, "", ["delta", "alpha", "beta", "gamma"]),
    expect(
      "ids order as numbers, the most extreme included",
      [
        BookSummary(id: 10, title: "ten", isBorrowed: false),
        BookSummary(id: 9, title: "nine", isBorrowed: false),
        BookSummary(id: (1 << 62) - 1, title: "last", isBorrowed: false),
        BookSummary(id: .min, title: "first", isBorrowed: false),
        BookSummary(id: -1, title: "minus one", isBorrowed: false),
        BookSummary(id: 0, title: "zero", isBorrowed: false),
      ], "", ["first", "minus one", "zero", "nine", "ten", "last"]),
    expect(
      "equal titles order by id, and are all kept",
      [
        BookSummary(id: 3, title: "Poems", isBorrowed: false),
        BookSummary(id: 1, title: "Poems", isBorrowed: true),
        BookSummary(id: 2, title: "Poems", isBorrowed: false),
      ], "poems", ["Poems", "Poems", "Poems"]),
    expect("a title matches anywhere inside", mixed, "et", ["beta"]),
    expect("case is folded on both sides", mixed, "AlPhA", ["alpha"]),
    expect("what matches nothing gives an empty list", mixed, "omega", []),
    expect("a catalog known to be empty gives an empty list", [], "", []),
    expect("a catalog known to be empty gives an empty list for any query", [], "sea", []),
    expect("a space is a character like another", titled(["by the sea", "bythesea"]), " ", ["by the sea"]),
    expect("the per cent sign is plain text", titled(["100%", "100"]), "%", ["100%"]),
    expect("the underscore is plain text", titled(["a_b", "acb"]), "_", ["a_b"]),
    expect(
      "a quote and a backslash are plain text", titled(["it's \\ here", "its"]), "'s \\", ["it's \\ here"]),
    expect("a star and a bracket are plain text", titled(["[*]", "abc"]), "[*]", ["[*]"]),
    expect(
      "text that looks like SQL is plain text", titled(["Robert'); DROP TABLE titles;--", "other"]),
      "'); drop table", ["Robert'); DROP TABLE titles;--"]),
    expect(
      "a composed query finds a composed and a decomposed title", titled(["Caf\u{E9}", "Cafe\u{301}"]),
      "CAF\u{C9}", ["Caf\u{E9}", "Cafe\u{301}"]),
    expect(
      "a decomposed query finds a composed and a decomposed title", titled(["Caf\u{E9}", "Cafe\u{301}"]),
      "cafe\u{301}", ["Caf\u{E9}", "Cafe\u{301}"]),
    expect("a letter without its accent doesn't match", titled(["Caf\u{E9}", "Cafe\u{301}"]), "cafe", []),
    expect("letters outside ASCII are folded", titled(["BLÅBÆR", "Война и мир"]), "blåbær", ["BLÅBÆR"]),
    expect("Cyrillic is folded", titled(["BLÅBÆR", "Война и мир"]), "ВОЙНА", ["Война и мир"]),
    expect("a final sigma matches a capital one", titled(["ΟΔΟΣ"]), "οδοσ", ["ΟΔΟΣ"]),
    expect("a sharp s isn't a double s", titled(["STRASSE"]), "straße", []),
    expect("a dotted capital I isn't a plain i", titled(["İstanbul"]), "istanbul", []),
    expect("part of an emoji's sequence doesn't match", titled(["👩‍👧"]), "👩", []),
    expect("a title keeps its bytes", titled(["Cafe\u{301}"]), "", ["Cafe\u{301}"], bytes: true),
    expect(
      "a NUL inside a title is kept", titled(["before\u{0}after"]), "after", ["before\u{0}after"], bytes: true
    ),
    expect(
      "control characters, line ends and overrides are kept",
      titled(["bell\u{7}\r\nand \u{202E}override\u{202C}"]), "OVERRIDE",
      ["bell\u{7}\r\nand \u{202E}override\u{202C}"], bytes: true),
    expect(
      "noncharacters and characters outside the first plane are kept",
      titled(["\u{FFFE}\u{FFFF} edge 𝔘𝔫𝔦"]), "EDGE", ["\u{FFFE}\u{FFFF} edge 𝔘𝔫𝔦"], bytes: true),
    expect(
      "a long title is kept whole", titled([String(repeating: "long ", count: 800) + "end"]), "END",
      [String(repeating: "long ", count: 800) + "end"], bytes: true),
    Case(
      description: "books() gives each book once, with all three fields", books: mixed,
      check: { catalog in
        try require(
          Set(try catalog.books()), equals: Set(mixed), "the books read")
        try require(try catalog.books().count, equals: mixed.count, "the number of books read")
      }),
    Case(
      description: "reading twice gives the same", books: mixed,
      check: { catalog in
        let query = CatalogQuery(source: catalog)
        try require(
          try query.titles(matching: "a"), equals: try query.titles(matching: "a"), "the second answer")
      }),
  ]

  /// Checks that a source which has established nothing fails, whatever is asked.
  ///
  /// - Throws: ``ContractViolation`` if it answers, or fails in another way.
  public static func requireUnavailable(_ source: any CatalogReading) throws(ContractViolation) {
    for query in ["", "sea", "%"] {
      do {
        let titles = try CatalogQuery(source: source).titles(matching: query)
        throw ContractViolation("unavailable looked like a list of \(titles.count) for '\(query)'")
      } catch let failure as CatalogFailure {
        try require(failure, equals: .unavailable, "the failure")
      } catch let violation as ContractViolation {
        throw violation
      } catch {
        throw ContractViolation("expected CatalogFailure.unavailable, got \(error)")
      }
    }
  }

  private static let mixed = [
    BookSummary(id: 3, title: "gamma", isBorrowed: false),
    BookSummary(id: 4, title: "delta", isBorrowed: true),
    BookSummary(id: 2, title: "beta", isBorrowed: false),
    BookSummary(id: 1, title: "alpha", isBorrowed: false),
  ]

  private static func titled(_ titles: [String]) -> [BookSummary] {
    titles.enumerated().map { BookSummary(id: $0.offset + 1, title: $0.element, isBorrowed: false) }
  }

  private static func expect(
    _ promise: String, _ books: [BookSummary], _ query: String, _ titles: [String], bytes: Bool = false
  ) -> Case {
    Case(description: promise, books: books) { catalog in
      let found = try CatalogQuery(source: catalog).titles(matching: query)
      try require(found, equals: titles, "titles(matching: \"\(query)\")")
      // String equality is canonical equivalence, so bytes are compared apart where they matter.
      if bytes {
        try require(found.map { Array($0.utf8) }, equals: titles.map { Array($0.utf8) }, "the bytes")
      }
    }
  }
}
