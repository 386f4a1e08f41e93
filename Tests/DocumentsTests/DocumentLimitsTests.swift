import CatalogDocuments
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DocumentLimitsTests {
  private let good = #"{"id":1,"title":"good"}"#

  @Test func `a document of just as many bytes is taken, one more is too large`() throws {
    var limits = DocumentLimits()
    limits.bytes = good.utf8.count
    #expect(try Reading(good, pieces: 7, limits: limits).titles == ["good"])
    expectTooLarge(good + "\n", limits)
  }

  @Test func `as many items as may be are taken, one more is too large, bad ones counted`() throws {
    var limits = DocumentLimits()
    limits.books = 2
    #expect(try Reading("[\(good),3]", limits: limits).entries.count == 1)
    expectTooLarge("[\(good),3,\(good)]", limits)
  }

  @Test func `an item nested as deeply as may be is taken, one level more is left out`() throws {
    var limits = DocumentLimits()
    limits.nesting = 4
    let reading = try Reading(
      #"[{"id":1,"title":"a","x":[[[1]]]},{"id":2,"title":"b","x":[[[[1]]]]},{"id":3,"title":"c"}]"#,
      limits: limits)
    #expect(reading.titles == ["a", "c"])
    #expect(reading.reasons == ["item 2: It is nested more than 4 levels deep."])
    #expect(!reading.isComplete)
  }

  @Test func `ten thousand levels of nesting are left out by default`() throws {
    let deep =
      #"{"id":2,"title":"b","x":"# + String(repeating: "[", count: 10_000)
      + String(repeating: "]", count: 10_000) + "}"
    #expect(try Reading("\(good)\n\(deep)\n\(good)\n").titles == ["good", "good"])
    #expect(throws: CatalogError.self) { try Reading(deep) }
  }

  @Test(arguments: [1000, .max])
  func `an item of more bytes than one may have is left out, and the next is found`(pieces: Int) throws {
    let long = #"{"id":2,"title":"\#(String(repeating: "]}\\\"", count: 400_000))"}"#
    for text in ["[\(good),\(long),\(good)]", "\(good)\n\(long)\n\(good)"] {
      let reading = try Reading(text, pieces: pieces)
      #expect(reading.titles == ["good", "good"])
      #expect(reading.rejected.map(\.reason) == ["It has more than 1048576 bytes."])
    }
  }

  @Test func `text of just as many bytes is taken, one more is left out by name`() throws {
    let name = String(repeating: "é", count: 2048)
    let title = String(repeating: "é", count: 8192)
    let tag = String(repeating: "x", count: 255)
    let reading = try Reading(
      """
      {"id":"\(name)","title":"\(title)","authors":["\(name)"],"language":"\(tag)"}
      {"id":2,"title":"\(title)x"}
      {"id":3,"title":"a","authors":["\(name)x"]}
      {"id":4,"title":"a","language":"\(tag)x"}
      {"id":"\(name)x","title":"a"}
      """)
    #expect(reading.entries.count == 1)
    #expect(reading.rejected.map(\.identifier) == [.number(2), .number(3), .number(4), nil])
    #expect(
      reading.reasons == [
        "line 2: Its 'title' has 16385 bytes; at most 16384 are taken.",
        "line 3: One of its 'authors' has more than 4096 bytes.",
        "line 4: Its 'language' has more than 255 bytes.",
        "line 5: Its 'id' has 4097 bytes; at most 4096 are taken.",
      ])
  }

  @Test func `as many authors as may be are taken, one more is left out`() throws {
    func book(authors: Int) -> String {
      #"{"id":1,"title":"a","authors":[\#(Array(repeating: "\"b\"", count: authors).joined(separator: ","))]}"#
    }
    let reading = try Reading("\(book(authors: 200))\n\(book(authors: 201))\n")
    #expect(reading.entries.map(\.authors.count) == [200])
    #expect(reading.reasons == ["line 2: It has 201 authors; at most 200 are taken."])
  }

  private func expectTooLarge(_ text: String, _ limits: DocumentLimits) {
    for pieces in [1, Int.max] {
      let error = #expect(throws: CatalogError.self) { try Reading(text, pieces: pieces, limits: limits) }
      #expect(error?.code == .tooLarge)
    }
  }
}
