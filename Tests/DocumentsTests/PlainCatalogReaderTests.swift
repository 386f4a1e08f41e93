import CatalogDocuments
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PlainCatalogReaderTests {
  @Test func `every field of a book is read`() throws {
    let reading = try Reading(
      #"{"id":"urn:x","title":"Zoé","subtitle":"s","authors":["A","B"],"language":"fr","isBorrowed":true,"#
        + #""borrowedUntil":"2026-12-01T00:00:00Z","updated":"2026-11-01T12:00:00.5+01:00","new":{"k":[1]}}"#)
    var book = CatalogEntry(identifier: .text("urn:x"), title: "Zoé")
    book.subtitle = "s"
    book.authors = ["A", "B"]
    book.language = "fr"
    book.isBorrowed = true
    book.borrowedUntil = Timestamp(millisecondsSinceEpoch: 1_796_083_200_000)
    book.updated = Timestamp(millisecondsSinceEpoch: 1_793_530_800_500)
    #expect(reading.entries == [book])
    #expect(reading.rejected.isEmpty && reading.isComplete)
  }

  @Test func `only an identifier and a title are required, and null says nothing`() throws {
    let reading = try Reading(
      """
      {"id":-9223372036854775808,"title":"a"}
      {"id":4611686018427387903,"title":"b","authors":null,"language":null,"isBorrowed":null,"updated":null}
      """)
    #expect(
      reading.entries == [
        CatalogEntry(identifier: .number(.min), title: "a"),
        CatalogEntry(identifier: .number((1 << 62) - 1), title: "b"),
      ])
  }

  @Test func `digits in quotes stay text`() throws {
    #expect(try Reading(#"[{"id":"12","title":"a"}]"#).entries.map(\.identifier) == [.text("12")])
  }

  static let twoBooks = [
    #"[{"id":1,"title":"a ] } \" é"},{"id":2,"title":"b\\"}]"#,
    #"[{"id":1,"title":"a ] } \" é"}  , "# + "\r\n\t" + #"{"id":2,"title":"b\\"} ] "# + "\n",
    "\u{FEFF} \n" + #"[{"id":1,"title":"a ] } \" é"},{"id":2,"title":"b\\"}]"#,
    #"{"id":1,"title":"a ] } \" é"}"# + "\n" + #"{"id":2,"title":"b\\"}"# + "\n",
    #"{"id":1,"title":"a ] } \" é"}"# + "\r\n \r\n\n" + #"  {"id":2,"title":"b\\"}"#,
    "\u{FEFF}\n" + #"{"id":1,"title":"a ] } \" é"}"# + "\n" + #"{"id":2,"title":"b\\"}  "# + "\n\n",
  ]

  @Test(arguments: twoBooks, [1, 2, 3, 7, .max])
  func `an array and lines are read in pieces of any size`(text: String, pieces: Int) throws {
    let reading = try Reading(text, pieces: pieces)
    #expect(reading.entries.map(\.identifier) == [.number(1), .number(2)])
    #expect(reading.titles == ["a ] } \" é", #"b\"#])
    #expect(reading.rejected.isEmpty && reading.isComplete)
  }

  @Test(arguments: ["[]", " [ ] \n", "\u{FEFF}[]", "[\n]"])
  func `an empty array is an empty catalog`(text: String) throws {
    let reading = try Reading(text, pieces: 1)
    #expect(reading.entries.isEmpty && reading.rejected.isEmpty && reading.isComplete)
  }

  static let noCatalogs: [(text: String, saying: String)] = [
    ("", "is empty"), (" \r\n\t", "is empty"), ("\u{FEFF}", "is empty"),
    ("<html></html>", "HTML"), ("hello", "doesn't begin as JSON"), ("12", "doesn't begin as JSON"),
    ("\u{1F}", "compressed"), ("ÿ", "isn't UTF-8 text with JSON"),
    ("{", "cut off"), (#"{"id":1,"title":"a"}"# + "\n" + #"{"id":2,"tit"#, "line, 2"),
    (#"{"id":1,"title":"a"}"# + "\n" + #"{"id":2,"title":}"#, "line, 2"),
    ("[", "cut off"), (#"[{"id":1,"title":"a"}"#, "cut off"), (#"[{"id":1,"title":"a"},"#, "cut off"),
    (#"[{"id":1,"title":"a"#, "cut off"), ("[1", "cut off"),
    (#"[{"id":1,"title":"a"},]"#, "there is ']' where a book should be"),
    (#"[{"id":1,"title":"a"} {"id":2,"title":"b"}]"#, "where ',' or ']' should be"),
    (#"[{"id":1,"title":"a"},,{"id":2,"title":"b"}]"#, "at byte 22"),
    (#"[{"id":1,"title":"a"}] x"#, "follows the catalog's closing ']' at byte 23"),
    (#"[{"id":1,"title":"a"}][]"#, "follows"), ("[hello]", "byte 1"), ("[\u{0}{\u{0}}]", "byte 1"),
    (#"{"books":[{"id":1,"title":"a"}]}"#, "single JSON object that isn't a book"),
    (#"{"books":[{"id":1,"title":"a"}]}"# + "\n", "neither an 'id' nor a 'title'"),
    ("{}", "single JSON object"),
    ("{\n  \"books\": [\n{\"id\":1,\"title\":\"a\"}\n]}", "begins on line 1 doesn't end on it"),
    ("{]\nnope\n12x\n", "of 3 items, none"), ("[{]]", "of 1 item, none"),
    (#"[{"id":1 2}]"#, "isn't JSON"),
  ]

  @Test(arguments: noCatalogs, [1, .max])
  func `what isn't a catalog is a bad response, and never an empty catalog`(
    row: (text: String, saying: String), pieces: Int
  ) throws {
    let error = #expect(throws: CatalogError.self) { try Reading(row.text, pieces: pieces) }
    #expect(error?.code == .badResponse)
    #expect(error?.message.contains(row.saying) == true, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix("The catalog ") == true)
  }

  @Test(arguments: [1, .max])
  func `one stray byte makes the document not UTF-8, and is located`(pieces: Int) throws {
    let before = Array(#"{"id":1,"title":"é"}"#.utf8) + [0x0A]
    let latin = Array(#"{"id":2,"title":"caf"#.utf8) + [0xE9] + Array(#""}"#.utf8)
    let error = #expect(throws: CatalogError.self) { try Reading(before + latin + [0x0A], pieces: pieces) }
    #expect(error?.code == .badResponse)
    #expect(
      error?.message.contains("byte \(before.count + 20), in line 2") == true, "\(error?.message ?? "")")
    let utf16 = "[{}]".utf16.flatMap { [UInt8($0 & 0xFF), 0] }
    #expect(throws: CatalogError.self) { try Reading(utf16, pieces: pieces) }
    #expect(throws: CatalogError.self) { try Reading([0xFF, 0xFE] + utf16, pieces: pieces) }
  }

  @Test func `a megabyte of something else is given up early`() {
    var reader = PlainCatalogReader(of: "The catalog")
    let lines = Array(String(repeating: "{]\n", count: 100).utf8)
    #expect(throws: CatalogError.self) { try reader.consume(lines) }
  }
}
