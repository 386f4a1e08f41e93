import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPValidatorTests {
  private func freshness(_ head: String) -> HTTPFreshness {
    HTTPFreshness(
      HTTPField.fields(ofHead: head), requestedAt: HeaderCase.receivedAt, receivedAt: HeaderCase.receivedAt)
  }

  @Test(arguments: [
    "\"abc\"", "W/\"abc\"", "\"\"", "\"a,b W/ é !~\u{E9}\"".replacing(" ", with: ""), "\"6b0da9de-2d2ad\"",
  ])
  func `an entity tag is kept byte for byte`(tag: String) {
    #expect(freshness("ETag: \(tag)").validators?.entityTag == tag)
  }

  @Test(arguments: [
    "*", "abc", "w/\"abc\"", "\"abc", "\"a\"b\"", "\"a\", \"b\"", "W/abc", "W/", "\"", "\"a b\"",
    "\"\(String(repeating: "x", count: 4096))\"",
  ])
  func `what isn't one entity tag is never sent back`(tag: String) {
    #expect(freshness("ETag: \(tag)").validators == nil)
  }

  @Test func `two entity tags that differ are none, and the same one twice is one`() {
    #expect(freshness("ETag: \"a\"\nETag: \"b\"").validators == nil)
    #expect(freshness("ETag: \"a\"\nETag: \"a\"").validators?.entityTag == "\"a\"")
  }

  @Test func `a date of modification is kept as it was sent, if it is one`() {
    let head = "Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT"
    #expect(freshness(head).validators?.lastModified == "Sunday, 06-Nov-94 08:49:37 GMT")
    #expect(freshness("Last-Modified: 1").validators == nil)
  }

  @Test(arguments: [
    ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("W/\"a\"", "\"a\"", true),
    ("\"a\"", "W/\"a\"", true),
    ("W/\"a\"", "W/\"b\"", false),
  ])
  func `a 304 with another entity tag is about something else`(asked: String, answered: String, fits: Bool)
    throws
  {
    let held = try #require(FetchValidators(entityTag: asked))
    #expect(freshness("ETag: \(answered)").confirms(held) == fits)
  }

  @Test func `a 304 without an entity tag, or to a question without one, fits`() throws {
    let held = try #require(FetchValidators(lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"))
    #expect(freshness("ETag: \"a\"").confirms(held))
    #expect(freshness("").confirms(try #require(FetchValidators(entityTag: "\"a\""))))
  }

  @Test func `what an answer varies by is listed, and a star isn't a field`() {
    let varied = freshness("Vary: Authorization, ACCEPT-Language\nVary: *")
    #expect(varied.variesBy == ["authorization", "accept-language"])
    #expect(varied.variesByEverything)
  }

  @Test func `clocks at the ends of time trap nothing`() {
    for edge in [Int64.min, .max] {
      let moment = Timestamp(millisecondsSinceEpoch: edge)
      for other in [Int64.min, 0, .max] {
        let value = HTTPFreshness(
          HTTPField.fields(ofHead: "Date: Sunday, 06-Nov-94 08:49:37 GMT\nAge: 99999999999\nExpires: 0"),
          requestedAt: Timestamp(millisecondsSinceEpoch: other), receivedAt: moment,
          heuristic: .tenthOfAge(cap: .seconds(1)))
        #expect(value.initialAge >= .zero)
        #expect(value.age(at: Timestamp(millisecondsSinceEpoch: other)) >= .zero)
        #expect(!value.terms(at: moment).isEmpty)
      }
    }
  }

  @Test func `a clock set back while the answer was under way makes no negative delay`() {
    let back = HTTPFreshness(
      [HTTPField("Age", "5")], requestedAt: HeaderCase.receivedAt + .seconds(3600),
      receivedAt: HeaderCase.receivedAt)
    #expect(back.responseDelay == .zero)
    #expect(back.initialAge == .seconds(5))
  }

  @Test func `a head is read line by line to its end`() {
    let head =
      "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nX: one\r\n\ttwo\r\nno field\r\nBad Name: x\r\n\r\nAge: 5\r\n"
    #expect(HTTPField.fields(ofHead: head) == [HTTPField("ETag", "\"a\""), HTTPField("X", "one two")])
  }
}
