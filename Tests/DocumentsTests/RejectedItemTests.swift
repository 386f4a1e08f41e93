import CatalogDocuments
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RejectedItemTests {
  struct BadItem: CustomTestStringConvertible {
    var item: String
    var identifier: CatalogEntry.Identifier?
    var reason: String
    var testDescription: String { String(item.prefix(60)) }

    init(_ item: String, _ identifier: CatalogEntry.Identifier?, _ reason: String) {
      self.item = item
      self.identifier = identifier
      self.reason = reason
    }
  }

  static let identified: [BadItem] = [
    BadItem(#"{"id":7}"#, .number(7), "It has no 'title'."),
    BadItem(#"{"id":"u","title":null}"#, .text("u"), "It has no 'title'."),
    BadItem(#"{"id":7,"title":12}"#, .number(7), "Its 'title' isn't text that can be read."),
    BadItem(#"{"id":7,"title":"\ud800"}"#, .number(7), "Its 'title' isn't text that can be read."),
    BadItem(#"{"id":7,"title":"x\udc00y"}"#, .number(7), "Its 'title' isn't text that can be read."),
    BadItem(#"{"id":7,"title":""}"#, .number(7), "Its 'title' is empty."),
    BadItem("{\"id\":7,\"title\":\"\u{3000}\u{2003} \\t\"}", .number(7), "Its 'title' is only white space."),
    BadItem(#"{"id":7,"title":"a","authors":"b"}"#, .number(7), "Its 'authors' isn't an array of text."),
    BadItem(#"{"id":7,"title":"a","authors":["b",1]}"#, .number(7), "Its 'authors' isn't an array of text."),
    BadItem(#"{"id":7,"title":"a","language":["fr"]}"#, .number(7), "Its 'language' isn't text."),
    BadItem(#"{"id":7,"title":"a","isBorrowed":"yes"}"#, .number(7), "Its 'isBorrowed' isn't true or false."),
    BadItem(#"{"id":7,"title":"a","isBorrowed":1}"#, .number(7), "Its 'isBorrowed' isn't true or false."),
    BadItem(#"{"id":7,"title":"a","updated":1}"#, .number(7), "Its 'updated' isn't text."),
    BadItem(
      #"{"id":7,"title":"a","borrowedUntil":"2026-12-01"}"#, .number(7),
      "Its 'borrowedUntil' isn't a date and time with a zone, as in 2026-12-01T00:00:00Z."),
  ]

  static let unidentified: [BadItem] = [
    BadItem("12", nil, "It isn't a JSON object."),
    BadItem("null", nil, "It isn't a JSON object."),
    BadItem("true", nil, "It isn't a JSON object."),
    BadItem(#""text""#, nil, "It isn't a JSON object."),
    BadItem(#"[{"id":7,"title":"a"}]"#, nil, "It isn't a JSON object."),
    BadItem(#"{"title":"a"}"#, nil, "It has no 'id'."),
    BadItem("{}", nil, "It has no 'id'."),
    BadItem(#"{"id":null,"title":"a"}"#, nil, "It has no 'id'."),
    BadItem(#"{"id":"","title":"a"}"#, nil, "Its 'id' is empty."),
    BadItem(
      #"{"id":true,"title":"a"}"#, nil, "Its 'id' is neither a whole number nor text that can be read."),
    BadItem(
      #"{"id":"\ud800","title":"a"}"#, nil, "Its 'id' is neither a whole number nor text that can be read."),
    BadItem(#"{"id":1.5,"title":"a"}"#, nil, "Its 'id' is a number that isn't whole, or isn't below 2^62."),
    BadItem(
      #"{"id":9223372036854775808,"title":"a"}"#, nil,
      "Its 'id' is a number that isn't whole, or isn't below 2^62."),
    BadItem(#"{"id":4611686018427387904,"title":"a"}"#, nil, "Its 'id' is a number that isn't below 2^62."),
    BadItem(#"{"id":7,"title":"a" "b"}"#, nil, "It isn't well-formed JSON."),
    BadItem(#"{"id":7,"title":tru}"#, nil, "It isn't well-formed JSON."),
  ]

  @Test(arguments: identified)
  func `an item whose identifier can be read is named by it, and the answer is complete`(bad: BadItem) throws
  {
    for reading in try readings(of: bad.item) {
      #expect(reading.rejected.map(\.identifier) == [bad.identifier])
      #expect(reading.rejected.map(\.reason) == [bad.reason])
      #expect(reading.isComplete)
    }
  }

  @Test(arguments: unidentified)
  func `an item whose identifier can't be read makes the answer partial`(bad: BadItem) throws {
    for reading in try readings(of: bad.item) {
      #expect(reading.rejected.map(\.identifier) == [nil])
      #expect(reading.rejected.map(\.reason) == [bad.reason])
      #expect(!reading.isComplete)
    }
  }

  @Test func `a line that was broken in two is left out twice, and those around it are taken`() throws {
    let reading = try Reading(
      """
      {"id":1,"title":"a"}
      {"id":2,"title":"b

      c"}
      {"id":3,"title":"d"}
      """)
    #expect(reading.titles == ["a", "d"])
    #expect(reading.reasons == ["line 2: It isn't well-formed JSON.", "line 4: It isn't well-formed JSON."])
    #expect(!reading.isComplete)
  }

  @Test func `a catalog of bad items alone is an honest answer, not a bad document`() throws {
    let reading = try Reading(#"[{"id":1},{"id":2,"title":" "}]"#)
    #expect(reading.entries.isEmpty && reading.isComplete)
    #expect(reading.rejected.map(\.position) == ["item 1", "item 2"])
  }

  @Test func `the conclusion counts the items without an identifier, and names the first`() throws {
    var reader = PlainCatalogReader(of: "The catalog")
    _ = try reader.consume(Array("{\"id\":1,\"title\":\"a\"}\n3\n{\"id\":2}\n{}\n".utf8))
    _ = try reader.finish()
    guard case .partial(let reason) = reader.conclusion else {
      Issue.record("expected a partial answer")
      return
    }
    #expect(reason.contains("2 items") && reason.contains("line 2"))
  }

  @Test func `no reason holds the item's own text`() throws {
    for bad in Self.identified + Self.unidentified {
      let marked = bad.item.replacing("\"a\"", with: "\"secret\"")
      for item in try readings(of: marked).flatMap(\.rejected) { #expect(!item.reason.contains("secret")) }
    }
  }

  /// The item between two good books, as an array and as lines.
  private func readings(of item: String) throws -> [Reading] {
    let first = #"{"id":1,"title":"first"}"#
    let last = #"{"id":"last","title":"last"}"#
    let array = try Reading("[\(first),\(item),\(last)]", pieces: 5)
    #expect(array.titles == ["first", "last"])
    #expect(array.rejected.map(\.position) == ["item 2"])
    let lines = try Reading("\(first)\n\(item)\n\(last)", pieces: 5)
    #expect(lines.titles == ["first", "last"])
    #expect(lines.rejected.map(\.position) == ["line 2"])
    return [array, lines]
  }
}
