import CatalogDocuments
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OPDS2DocumentTests {
  private func read(
    _ text: String, languages: [String] = [], limits: DocumentLimits = .init()
  ) throws(CatalogError) -> OPDSFeed {
    try OPDS2Document.read(Array(text.utf8), of: "The feed", limits: limits, languages: languages)
  }

  private func entry(_ metadata: String, links: String = "[]", languages: [String] = []) throws
    -> CatalogEntry?
  {
    try read(
      "{\"publications\":[{\"metadata\":{\(metadata)},\"links\":\(links)}]}", languages: languages
    ).page.entries.first
  }

  @Test func `every field of a publication is read in each of its forms`() throws {
    let first = try entry(
      """
      "identifier":"urn:1","title":"T","subtitle":{"en":"S"},"author":["A",{"name":"B"},5555,{"bad":1},{"name":{"en":"C"}}],
      "language":["fr","en"],"modified":"2026-01-02T03:04:05.123456789+02:00"
      """)
    #expect(first?.subtitle == "S")
    #expect(first?.authors == ["A", "B", "C"])
    #expect(first?.language == "fr")
    #expect(first?.updated == RFC3339.parse("2026-01-02T01:04:05.123Z"))
    #expect(try entry("\"identifier\":12,\"title\":\"T\",\"author\":\"A\"")?.identifier == .number(12))
    #expect(
      try entry("\"identifier\":\"12\",\"title\":\"T\",\"author\":{\"name\":\"A\"}")?.identifier
        == .text("12"))
    #expect(
      try entry("\"title\":\"T\"", links: "[{\"rel\":[\"x\",\"self\"],\"href\":\"http://e/1\"}]")?.identifier
        == .text("http://e/1"))
  }

  @Test(arguments: [
    (["fr-CA", "en"], "Titre"), (["de", "en-GB"], "Title"), (["pt-BR"], "Titulo"), (["ja"], "Title"),
    ([], "Title"),
  ])
  func `a title in several languages is the one that suits the reader`(languages: [String], title: String)
    throws
  {
    let map = "\"identifier\":\"1\",\"title\":{\"en\":\"Title\",\"fr\":\"Titre\",\"pt\":\"Titulo\"}"
    #expect(try entry(map, languages: languages)?.title == title)
  }

  @Test(arguments: [
    "\"navigation\":[]", "\"groups\":[]", "\"catalogs\":[]",
    "\"publications\":[],\"navigation\":[{\"title\":\"x\"}]",
    "\"publications\":{},\"navigation\":[{\"href\":\"/a\"}]", "\"publications\":[],\"groups\":[7]",
    "\"groups\":[{\"metadata\":{\"numberOfItems\":3}}]", "\"groups\":[{\"links\":[{\"href\":\"/a\"}]}]",
    "\"publications\":[],\"links\":[{\"rel\":\"next\"}]", "\"publications\":[],\"groups\":7",
    "\"groups\":[{\"publications\":{}}]",
  ])
  func `a list that leads nowhere isn't a catalog without books`(members: String) throws {
    #expect(try read("{\(members)}").omission != nil)
  }

  @Test(arguments: [
    "\"publications\":[]", "\"publications\":[],\"navigation\":[]",
    "\"groups\":[{\"publications\":[]}],\"publications\":[]",
    "\"metadata\":{\"numberOfItems\":0},\"publications\":[]",
    "\"publications\":[],\"navigation\":[{\"href\":\"/a\"}]",
  ])
  func `a list of books without one is a catalog without books, or leads on`(members: String) throws {
    #expect(try read("{\(members)}").omission == nil)
  }

  @Test func `bad publications are named and leave the others`() throws {
    let feed = try read(
      """
      {"publications":[{"metadata":{"identifier":"urn:1"}},{"metadata":{"title":"No id"}},7,
      {"metadata":{"identifier":"urn:2","title":"Good"}}]}
      """)
    #expect(feed.page.entries.map(\.title) == ["Good"])
    #expect(feed.page.rejected.map(\.identifier) == [.text("urn:1"), nil, nil])
  }

  @Test func `groups are read, and say that they are only beginnings`() throws {
    let group =
      "{\"metadata\":{\"title\":\"G\",\"numberOfItems\":9},\"publications\":[{\"metadata\":{\"identifier\":\"1\",\"title\":\"T\"}}]}"
    let feed = try read("{\"groups\":[\(group),\(group)]}")
    #expect(feed.page.entries.count == 2)
    #expect(feed.omission != nil)
  }

  @Test(arguments: [
    (#""metadata":{"title":"G"},"links":[{"rel":"self","href":"/all"}]"#, false),
    (#""metadata":{"title":"G","numberOfItems":2},"links":[{"rel":"self","href":"/all"}]"#, false),
    (#""metadata":{"title":"G","numberOfItems":1},"links":[{"rel":"self","href":"/all"}]"#, true),
    (#""metadata":{"title":"G"}"#, true),
  ])
  func `a group that leads to a feed of its own is a beginning, unless it says that it is all`(
    rest: String, isWhole: Bool
  ) throws {
    let feed = try read(
      #"{"groups":[{\#(rest),"publications":[{"metadata":{"identifier":"1","title":"T"}}]}]}"#)
    #expect((feed.omission == nil) == isWhole)
  }

  @Test func `navigation and catalogs are choices`() throws {
    let feed = try read(
      """
      {"navigation":[{"href":"a.json","title":"A","type":null}],
      "catalogs":[{"metadata":{"title":"B"},"links":[{"href":"b.json","rel":"http://opds-spec.org/catalog"}]}]}
      """)
    #expect(feed.isNavigation)
    #expect(feed.choices.map(\.title) == ["A", "B"])
  }

  @Test(arguments: ["", "{", "[]", "{}", "{\"publications\":3}", "<feed/>", "{\"publications\":[", "null"])
  func `what isn't a feed is an error`(text: String) {
    #expect { try read(text) } throws: { ($0 as? CatalogError)?.code == .badResponse }
  }

  @Test func `one publication's record isn't a whole catalog`() throws {
    let feed = try read(
      "{\"metadata\":{\"title\":\"T\",\"identifier\":\"urn:1\"},\"readingOrder\":[],\"links\":[]}")
    #expect(feed.page.entries.map(\.title) == ["T"])
    #expect(feed.omission != nil)
    #expect(throws: CatalogError.self) { try read("{\"metadata\":{\"title\":\"T\"}}") }
  }

  @Test func `a document about signing in, or about a problem, is called what it is`() {
    func failure(_ text: String) -> CatalogError? {
      #expect(throws: CatalogError.self) { try read(text) }
    }
    let flows =
      "{\"id\":\"x\",\"title\":\"L\",\"authentication\":[{\"type\":\"http://opds-spec.org/auth/basic\"},"
      + "{\"type\":\"http://e/saml\"},{\"type\":\"it's\"},{\"type\":\"http://e/?secret\"},7]}"
    #expect(failure(flows)?.code == .unauthorized)
    #expect(failure(flows)?.message.contains("signing in, by 'basic', 'http://e/saml', and no feed") == true)
    let problem = "{\"type\":\"http://e/unavailable\",\"title\":\"secret\",\"status\":400}"
    #expect(failure(problem)?.code == .badResponse)
    #expect(failure(problem)?.message.contains("a report of a problem") == true)
    #expect(failure(problem)?.message.contains("secret") == false)
  }

  @Test func `ten thousand levels of nesting trap nothing, and too many books are too large`() {
    let deep =
      "{\"publications\":" + String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
      + "}"
    #expect(throws: CatalogError.self) { try read(deep) }
    var limits = DocumentLimits()
    limits.books = 1
    #expect { try read("{\"publications\":[1,2]}", limits: limits) } throws: {
      ($0 as? CatalogError)?.code == .tooLarge
    }
  }
}
