import Foundation
import OfflineCatalog
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TimestampDateTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_767_225_600_123, "2026-01-01T00:00:00.123Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func `a moment is the date of the calendar`(milliseconds: Int64, text: String) throws {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let date = Date(Timestamp(millisecondsSinceEpoch: milliseconds))
    #expect(abs(date.timeIntervalSince1970 - Double(milliseconds) / 1000) < 0.000_01)
    #expect(try Timestamp(style.parse(text)).millisecondsSinceEpoch == milliseconds)
  }

  @Test func `every moment within 100,000 years comes back from its date`() {
    let bound: Int64 = 100_000 * 31_556_952_000
    for moment in [-bound, -978_307_200_001, -1, 0, 1, 999, 978_307_200_000, 1_767_225_600_001, bound] {
      let timestamp = Timestamp(millisecondsSinceEpoch: moment)
      #expect(Timestamp(Date(timestamp)) == timestamp)
    }
    for _ in 0..<10_000 {
      let timestamp = Timestamp(millisecondsSinceEpoch: .random(in: -bound...bound))
      #expect(Timestamp(Date(timestamp)) == timestamp)
    }
  }

  @Test func `a date is rounded to the nearest millisecond`() {
    #expect(Timestamp(Date(timeIntervalSince1970: 1.0004)).millisecondsSinceEpoch == 1000)
    #expect(Timestamp(Date(timeIntervalSince1970: 1.0006)).millisecondsSinceEpoch == 1001)
    #expect(Timestamp(Date(timeIntervalSince1970: -1.0006)).millisecondsSinceEpoch == -1001)
  }

  @Test func `a date beyond a timestamp saturates, and one that isn't a number is the first`() {
    #expect(Timestamp(Date(timeIntervalSince1970: 1e300)).millisecondsSinceEpoch == .max)
    #expect(Timestamp(Date(timeIntervalSince1970: -1e300)).millisecondsSinceEpoch == .min)
    #expect(Timestamp(Date(timeIntervalSince1970: .infinity)).millisecondsSinceEpoch == .max)
    #expect(Timestamp(Date(timeIntervalSince1970: .nan)).millisecondsSinceEpoch == .min)
    #expect(Timestamp(Date(Timestamp(millisecondsSinceEpoch: .max))).millisecondsSinceEpoch == .max)
    #expect(Timestamp(Date(Timestamp(millisecondsSinceEpoch: .min))).millisecondsSinceEpoch == .min)
  }
}
