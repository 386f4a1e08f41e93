import CatalogDomain
import CatalogTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CatalogListingTests {
  private static let books = [
    BookSummary(id: 3, title: "Blåbær", isBorrowed: false),
    BookSummary(id: 1, title: "Cafe\u{301} society", isBorrowed: false),
    BookSummary(id: 4, title: "100 % wool", isBorrowed: true),
    BookSummary(id: 2, title: "война", isBorrowed: true),
  ]

  private func ids(
    _ ordering: CatalogOrdering, _ matching: TitleMatching = .titleSubstring, query: String = ""
  ) throws -> [Int] {
    try CatalogListing(
      source: FixtureCatalog(values: Self.books), ordering: ordering, matching: matching
    ).books(matching: query).map(\.id)
  }

  @Test func `each ordering orders by its rule`() throws {
    #expect(try ids(.byID) == [1, 2, 3, 4])
    #expect(try ids(.borrowedFirst) == [2, 4, 1, 3])
    let longestFirst = CatalogOrdering(name: "longest-first") { $0.title.count > $1.title.count }
    #expect(try ids(longestFirst) == [1, 4, 3, 2])
  }

  @Test(arguments: ["", "BLÅBÆR", "%", "_", "caf\u{E9}", "cafe", "ВОЙНА", "nothing"])
  func `the default rule and order are those of the query`(query: String) throws {
    let source = FixtureCatalog(values: Self.books)
    let listed = try CatalogListing(source: source, ordering: .borrowedFirst).books(matching: query)
    #expect(try listed.map(\.title) == CatalogQuery(source: source).titles(matching: query))
  }

  @Test func `a matching of another rule is used, and prepared once for each query`() throws {
    let prefix = TitleMatching(name: "title-prefix") { query in { $0.hasPrefix(query) } }
    #expect(try ids(.byID, prefix, query: "Bl") == [3])
    #expect(try ids(.byID, prefix, query: "bl").isEmpty)
    let matches = prefix.matcher(for: "B")
    #expect(matches("Blåbær"))
    #expect(!matches("war"))
  }

  @Test func `an unavailable source is unavailable to a listing too`() {
    let listing = CatalogListing(source: UnavailableCatalog(), ordering: .byID)
    #expect(throws: CatalogFailure.unavailable) { try listing.books(matching: "") }
  }

  @Test func `orderings and matchings have the names they are chosen by`() {
    #expect(CatalogOrdering.borrowedFirst.name == "borrowed-first")
    #expect(CatalogOrdering.byID.name == "by-id")
    #expect(TitleMatching.titleSubstring.name == "title-substring")
  }

  @Test func `search modes say whose rule it is`() {
    #expect(SearchMode.titleSubstring == .local(.titleSubstring))
    #expect(!SearchMode.titleSubstring.isDecidedByServer)
    #expect(SearchMode.serverDefined("title-substring") != .titleSubstring)
    #expect(SearchMode.serverDefined("opensearch").isDecidedByServer)
  }
}
