import CatalogDomain
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TimestampTests {
  private func moment(_ milliseconds: Int64) -> Timestamp {
    Timestamp(millisecondsSinceEpoch: milliseconds)
  }

  @Test func `adding a span rounds it down to whole milliseconds`() {
    #expect(moment(10) + .milliseconds(5) == moment(15))
    #expect(moment(10) + .microseconds(1999) == moment(11))
    #expect(moment(10) + .microseconds(-1) == moment(9))
    #expect(moment(10) + .microseconds(-1000) == moment(9))
    #expect(moment(10) + .microseconds(-1001) == moment(8))
  }

  @Test func `adding and subtracting saturate`() {
    #expect(moment(.max) + .milliseconds(1) == moment(.max))
    #expect(moment(.min) + .milliseconds(-1) == moment(.min))
    #expect(moment(0) + Duration(attoseconds: .max) == moment(.max))
    #expect(moment(0) + Duration(attoseconds: .min) == moment(.min))
    #expect(moment(.min) + Duration(attoseconds: .max) == moment(-1))
    #expect(moment(.max) - moment(.min) == .milliseconds(Int64.max))
    #expect(moment(.min) - moment(.max) == .milliseconds(Int64.min))
    #expect(moment(0) - moment(.min) == .milliseconds(Int64.max))
    #expect(moment(7) - moment(10) == .milliseconds(-3))
  }

  @Test func `spans saturate at both ends`() {
    #expect(Duration(attoseconds: .max).wholeMilliseconds == .max)
    #expect(Duration(attoseconds: .min).wholeMilliseconds == .min)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
    #expect(Duration.milliseconds(Int64.max).wholeMilliseconds == .max)
    #expect(Duration.milliseconds(Int64.min).wholeMilliseconds == .min)
    #expect(Duration(attoseconds: .max).addingSaturating(.seconds(1)) == Duration(attoseconds: .max))
    #expect(Duration(attoseconds: .min).addingSaturating(.seconds(-1)) == Duration(attoseconds: .min))
    #expect(Duration(attoseconds: .min).subtractingSaturating(.seconds(1)) == Duration(attoseconds: .min))
    #expect(Duration.zero.subtractingSaturating(Duration(attoseconds: .min)) == Duration(attoseconds: .max))
    #expect(Duration.seconds(3).subtractingSaturating(.seconds(5)) == .seconds(-2))
    #expect(Duration.seconds(3).addingSaturating(.seconds(-5)) == .seconds(-2))
  }

  @Test func `earlier moments come first`() {
    #expect(moment(.min) < moment(-1))
    #expect(moment(-1) < moment(0))
    #expect(!(moment(0) < moment(0)))
    #expect([moment(3), moment(-3), moment(0)].sorted() == [moment(-3), moment(0), moment(3)])
  }

  @Test(arguments: [.min, -1, 0, 1_767_225_600_000, .max] as [Int64])
  func `a moment is a single number in JSON`(milliseconds: Int64) throws {
    let data = try JSONEncoder().encode([moment(milliseconds)])
    #expect(String(decoding: data, as: UTF8.self) == "[\(milliseconds)]")
    #expect(try JSONDecoder().decode([Timestamp].self, from: data) == [moment(milliseconds)])
  }

  @Test(arguments: [#"["2026-01-01T00:00:00Z"]"#, "[1.5]", "[9223372036854775808]", "[null]", "[{}]"])
  func `anything else in JSON isn't a moment`(json: String) {
    #expect(throws: DecodingError.self) {
      _ = try JSONDecoder().decode([Timestamp].self, from: Data(json.utf8))
    }
  }
}
