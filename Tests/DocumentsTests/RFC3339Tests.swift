import CatalogDocuments
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RFC3339Tests {
  static let moments: [(text: String, milliseconds: Int64)] = [
    ("1970-01-01T00:00:00Z", 0),
    ("1970-01-01t00:00:00z", 0),
    ("1970-01-01T00:00:00.001Z", 1),
    ("1970-01-01T00:00:00.5Z", 500),
    ("1970-01-01T00:00:00.25Z", 250),
    ("1970-01-01T00:00:00.9999999999999999Z", 999),
    ("1969-12-31T23:59:59.999Z", -1),
    ("1970-01-01T01:30:00+01:30", 0),
    ("1969-12-31T19:00:00-05:00", 0),
    ("1970-01-01T00:00:00-00:00", 0),
    ("2000-02-29T00:00:00Z", 951_782_400_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ("2026-12-01T00:00:00Z", 1_796_083_200_000),
    ("0101-01-01T00:00:00+00:00", -58_979_923_200_000),
    ("0000-03-01T00:00:00Z", -62_162_035_200_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ("+010000-01-01T00:00:00Z", 253_402_300_800_000),
    ("-000001-01-01T00:00:00Z", -62_198_755_200_000),
  ]

  @Test(arguments: moments)
  func `a date with a time and a zone names its moment`(text: String, milliseconds: Int64) {
    #expect(RFC3339.parse(text)?.millisecondsSinceEpoch == milliseconds)
  }

  @Test(arguments: [
    "", "2026-12-01", "2026-12-01T00:00:00", "2026-12-01 00:00:00Z", "2026-12-01T00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2026-12-01T24:00:00Z", "2026-12-01T00:60:00Z", "2026-12-01T00:00:61Z", "2026-12-01T00:00:00.Z",
    "2026-12-01T00:00:00,5Z", "2026-12-01T00:00:00+0100", "2026-12-01T00:00:00+24:00",
    "2026-12-01T00:00:00+1:00",
    "2026-12-01T00:00:00ZZ", " 2026-12-01T00:00:00Z", "26-12-01T00:00:00Z", "٢٠٢٦-12-01T00:00:00Z",
    "-000000-01-01T00:00:00Z", "+999999999-01-01T00:00:00Z", "Tue, 01 Dec 2026 00:00:00 GMT",
  ])
  func `what isn't a whole moment is none`(text: String) {
    #expect(RFC3339.parse(text) == nil)
  }

  @Test(
    arguments: [
      0, 1, -1, 999, 1000, 253_402_300_799_999, 253_402_300_800_000, -62_167_219_200_000, -62_167_219_200_001,
      .max, .min, 951_782_400_000, 951_868_799_999,
    ] as [Int64])
  func `every moment comes back from its text`(milliseconds: Int64) {
    let moment = Timestamp(millisecondsSinceEpoch: milliseconds)
    #expect(RFC3339.parse(RFC3339.text(moment)) == moment)
  }

  @Test func `every day of four centuries has its own text, in order`() {
    var previous = ""
    for day in Int64(-150_000)...150_000 {
      let moment = Timestamp(millisecondsSinceEpoch: day * 86_400_000)
      let text = RFC3339.text(moment)
      guard text > previous, RFC3339.parse(text) == moment else {
        Issue.record("day \(day) is \(text), after \(previous)")
        return
      }
      previous = text
    }
  }
}
