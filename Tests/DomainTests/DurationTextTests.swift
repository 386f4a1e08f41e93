import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DurationTextTests {
  @Test(
    arguments: [
      ("500ms", 500), ("90s", 90_000), ("10m", 600_000), ("24h", 86_400_000), ("7d", 604_800_000), ("0s", 0),
      ("007s", 7000), ("9223372036854775807ms", .max), ("106751991167d", 106_751_991_167 * 86_400_000),
    ] as [(String, Int64)])
  func `a whole number and one unit is a duration`(text: String, milliseconds: Int64) {
    #expect(DurationText.parse(text) == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    "", "s", "10", "10 s", " 10s", "10s ", "10S", "-1s", "+1s", "1.5h", "1,5h", "1e3s", "10m30s", "10w",
    "10µs",
    "٣s", "½h", "10s\u{301}", "5\u{301}s", "9223372036854775808ms", "9223372036854775807s", "106751991168d",
    "0x10s", "\u{FF11}s", "10\ns",
  ])
  func `anything else isn't`(text: String) {
    #expect(DurationText.parse(text) == nil)
  }

  @Test(
    arguments: [
      (0, "0s"), (1, "1ms"), (999, "999ms"), (1000, "1s"), (1001, "1001ms"), (90_000, "90s"), (60_000, "1m"),
      (3_600_000, "1h"), (5_400_000, "90m"), (86_400_000, "1d"), (.max, "9223372036854775807ms"), (-5, "0s"),
    ] as [(Int64, String)])
  func `a duration is written in the largest unit that loses nothing`(milliseconds: Int64, text: String) {
    #expect(DurationText.text(.milliseconds(milliseconds)) == text)
  }

  @Test func `what is written is read back`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let shift = Int.random(in: 0..<63, using: &random)
      let duration = Duration.milliseconds(Int64.random(in: 0 ... .max, using: &random) >> shift)
      #expect(DurationText.parse(DurationText.text(duration)) == duration)
    }
  }

  @Test func `a fraction of a millisecond is lost, and what is beyond the range saturates`() {
    #expect(DurationText.text(.microseconds(1999)) == "1ms")
    #expect(DurationText.text(.microseconds(-1)) == "0s")
    #expect(DurationText.text(Duration(attoseconds: .max)) == "9223372036854775807ms")
    #expect(DurationText.text(Duration(attoseconds: .min)) == "0s")
  }
}
