import CatalogDocuments
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OPDS1DocumentTests {
  private func feed(_ inner: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:opds="http://opds-spec.org/2010/catalog" \
    xmlns:dc="http://purl.org/dc/terms/" xmlns:schema="http://schema.org/"><id>urn:feed</id><title>A feed</title>\(inner)</feed>
    """
  }

  private func read(_ text: String, limits: DocumentLimits = .init()) throws(CatalogError) -> OPDSFeed {
    try OPDS1Document.read(Array(text.utf8), of: "The feed", limits: limits)
  }

  private func book(_ inner: String, id: String = "urn:1", title: String = "T") -> String {
    "<entry><id>\(id)</id><title>\(title)</title>\(inner)<link rel=\"http://opds-spec.org/acquisition/borrow\" href=\"b\"/></entry>"
  }

  @Test func `every field of a book is read, and its identity is the atom id`() throws {
    let inner = """
      <dc:identifier>urn:isbn:9</dc:identifier><author><name> Ada </name></author><author><name>Bob</name></author>
      <contributor><name>Eve</name></contributor><dc:language>fr</dc:language>
      <schema:alternativeHeadline>S</schema:alternativeHeadline><updated>2026-01-02T03:04:05Z</updated>
      """
    let entry = try #require(try read(feed(book(inner))).page.entries.first)
    #expect(entry.identifier == .text("urn:1"))
    #expect(entry.title == "T")
    #expect(entry.subtitle == "S")
    #expect(entry.authors == ["Ada", "Bob"])
    #expect(entry.language == "fr")
    #expect(entry.updated == RFC3339.parse("2026-01-02T03:04:05Z"))
    #expect(!entry.isBorrowed)
  }

  @Test(arguments: [
    ("caf&eacute;&nbsp;&#174; &amp;amp; &#x41;", "caf\u{E9}\u{A0}\u{AE} &amp; A"),
    ("a &unknown; b", "a &unknown; b"),
    ("<![CDATA[a & <b> &eacute;]]>", "a & <b> &eacute;"), ("x<![CDATA[y]]>z", "xyz"),
    ("  spaced \n", "spaced"),
    ("A &lt; B", "A < B"),
  ])
  func `entities and CDATA in a title come through`(written: String, meant: String) throws {
    #expect(try read(feed(book("", title: written))).page.entries.map(\.title) == [meant])
  }

  @Test func `a title in HTML is its text`() throws {
    let html = feed(
      "<entry><id>u</id><title type=\"html\">A &lt;b&gt;bold&lt;/b&gt; &amp;eacute; 3 &lt; 4</title><author/>"
        + "<link href=\"x\" rel=\"http://opds-spec.org/acquisition\"/></entry>")
    #expect(try read(html).page.entries.map(\.title) == ["A bold é 3 < 4"])
  }

  @Test(arguments: [
    "", "<", "not xml at all", "<html><body>log in</body></html>", "<feed>", "<feed></feed>",
    "<rss version=\"2.0\"/>",
  ])
  func `what isn't an Atom feed is an error`(text: String) {
    #expect { try read(text) } throws: { ($0 as? CatalogError)?.code == .badResponse }
  }

  @Test(arguments: ["<!doctype html>\n<p>Sign in", "<html><head>", "\n<!-- x --><HTML>"])
  func `a web page is called one`(text: String) {
    let error = #expect(throws: CatalogError.self) { try read(text) }
    #expect(error?.code == .badResponse)
    #expect(error?.message.contains("a web page, perhaps one to sign in at") == true)
  }

  @Test func `a feed that is cut off anywhere is an error`() throws {
    let whole = feed(book("<author><name>A</name></author>"))
    #expect(try read(whole).page.entries.count == 1)
    for count in stride(from: 1, to: whole.utf8.count - 1, by: 7) {
      #expect { try read(String(decoding: Array(whole.utf8).prefix(count), as: UTF8.self)) } throws: {
        ($0 as? CatalogError)?.code == .badResponse
      }
    }
  }

  @Test func `a control character or an entity of its own fails the document, and deep nesting is bounded`() {
    #expect(throws: CatalogError.self) { try read(feed(book("", title: "a\u{0}b"))) }
    let bomb = "<!DOCTYPE feed [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>" + feed(book("", title: "&b;"))
    #expect(throws: CatalogError.self) { try read(bomb) }
    let deep = String(repeating: "<x>", count: 10_000) + String(repeating: "</x>", count: 10_000)
    #expect { try read(feed(deep)) } throws: { "\($0)".contains("64 levels") }
    var limits = DocumentLimits()
    limits.books = 2
    let three = feed(book("") + book("", id: "2") + book("", id: "3"))
    #expect { try read(three, limits: limits) } throws: { ($0 as? CatalogError)?.code == .tooLarge }
  }

  @Test func `bad items are named and leave the others`() throws {
    let long = String(repeating: "x", count: 1 << 20)
    let read = try read(
      feed(
        book("") + "<entry><id>urn:2</id><link rel=\"http://opds-spec.org/acquisition\" href=\"x\"/></entry>"
          + book("", id: long) + "<entry><title>No id</title><author><name>A</name></author></entry>"
          + "<entry><id>tag:Fiction</id><title>Fiction</title></entry>"))
    #expect(read.page.entries.map(\.identifier) == [.text("urn:1")])
    #expect(read.page.rejected.map(\.identifier) == [.text("urn:2"), nil, nil, .text("tag:Fiction")])
    #expect(read.page.rejected.map(\.position) == ["item 2", "item 3", "item 4", "item 5"])
  }

  @Test func `a loan is known by its availability, and its end; what is held isn't one`() throws {
    func link(_ relation: String, _ availability: String) -> String {
      "<link rel=\"\(relation)\" href=\"x\"><opds:availability \(availability)/></link>"
    }
    let plain = "http://opds-spec.org/acquisition"
    let cases = [
      (
        link(plain, "status=\"available\" since=\"2026-01-01T00:00:00Z\" until=\"2026-02-01T00:00:00Z\""),
        true, true
      ),
      (link(plain, "status=\"available\" since=\"2026-01-01T00:00:00Z\""), true, false),
      (link(plain, "status=\"available\""), false, false),
      (link(plain + "/borrow", "status=\"available\" until=\"2026-02-01T00:00:00Z\""), false, false),
      (link(plain + "/borrow", "status=\"ready\" until=\"2026-02-01T00:00:00Z\""), false, false),
      (link(plain + "/borrow", "status=\"reserved\""), false, false),
      (link(plain + "/open-access", "status=\"available\" since=\"2026-01-01T00:00:00Z\""), false, false),
    ]
    for (inner, isBorrowed, hasEnd) in cases {
      let entry = try #require(
        try read(feed("<entry><id>1</id><title>T</title>\(inner)</entry>")).page.entries.first)
      #expect(entry.isBorrowed == isBorrowed, "\(inner)")
      #expect(entry.borrowedUntil == (hasEnd ? RFC3339.parse("2026-02-01T00:00:00Z") : nil), "\(inner)")
    }
  }

  @Test func `on a shelf everything is a loan but what is held`() throws {
    let held =
      "<entry><id>2</id><title>H</title><link rel=\"http://opds-spec.org/acquisition/borrow\" href=\"x\">"
      + "<opds:availability status=\"reserved\"/></link></entry>"
    let shelf = try read(feed(book("", id: "1") + held))
    #expect(shelf.loans.map(\.identifier) == [.text("1")])
    #expect(shelf.loans.map(\.isBorrowed) == [true])
  }

  @Test func `addresses are relative to what an element says that they are`() throws {
    let link = "<link rel=\"next\" href=\"p?x=a%2Fb\"/>"
    func next(_ feed: String) throws -> String? {
      try read("<feed xmlns=\"http://www.w3.org/2005/Atom\" \(feed)</feed>").next
    }
    #expect(try next(">\(link)") == "p?x=a%2Fb")
    #expect(try next("xml:base=\"http://e/a/\">\(link)") == "http://e/a/p?x=a%2Fb")
    #expect(try next("xml:base=\"/a/\">\(link)") == "/a/p?x=a%2Fb")
    let inner = "<link xml:base=\"b/\" rel=\"next\" href=\"c\"/>"
    #expect(try next("xml:base=\"http://e/a/\">\(inner)") == "http://e/a/b/c")
    #expect(try next("xml:base=\"http://e/a/\"><entry xml:base=\"z/\"/>\(link)") == "http://e/a/p?x=a%2Fb")
  }

  @Test func `a navigation feed has choices, whatever its kind is called`() throws {
    let navigation = try read(
      feed(
        "<link rel=\"self\" href=\"/\" type=\"application/atom+xml;kind=acquisition\"/>"
          + "<entry><id>a</id><title>New</title><link href=\"n\" type=\"application/atom+xml; profile=opds-catalog\"/></entry>"
      ))
    #expect(navigation.isNavigation)
    #expect(navigation.choices.map(\.title) == ["New"])
    #expect(navigation.choices.map(\.href) == ["n"])
    let books = try read(
      feed("<link rel=\"self\" href=\"/\" type=\"application/atom+xml;kind=navigation\"/>" + book("")))
    #expect(!books.isNavigation)
    #expect(try !read(feed("")).isNavigation)
  }

  @Test func `one book's record, and items that describe none, aren't a whole catalog`() throws {
    let entry =
      "<entry xmlns=\"http://www.w3.org/2005/Atom\"><id>1</id><title>T</title><author><name>A</name></author></entry>"
    let record = try read(entry)
    #expect(record.page.entries.count == 1)
    #expect(record.omission != nil)
    #expect(try read(feed("<entry><id>tag:Fiction</id><title>Fiction</title></entry>")).omission != nil)
    #expect(try read(feed(book(""))).omission == nil)
  }

  @Test func `an undated book has no date`() throws {
    for text in ["0101-01-01T00:00:00+00:00", "2026-01-01", "yesterday"] {
      let entry = try read(feed(book("<updated>\(text)</updated>"))).page.entries.first
      #expect(entry != nil && entry?.updated == nil)
    }
  }

  @Test func `a title of HTML that never closes a tag costs no more than its length`() throws {
    let title = String(repeating: "&lt;a", count: 400_000)
    let item = "<entry><id>u</id><title type=\"html\">\(title)</title><author/></entry>"
    let feed = try OPDS1Document.read(
      Array("<feed xmlns=\"http://www.w3.org/2005/Atom\">\(item)</feed>".utf8), of: "The feed")
    #expect(feed.page.entries.isEmpty)
    #expect(feed.page.rejected.count == 1)
  }
}
