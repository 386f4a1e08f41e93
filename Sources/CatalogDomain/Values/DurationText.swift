/// Durations as people write them in policies and on a command line: `500ms`, `90s`, `10m`, `24h`, `7d`.
///
/// The text is a whole number and one unit, with nothing between.
public enum DurationText {
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// Returns the duration that a text names, or nil if it isn't of that form or is out of range.
  public static func parse(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let count = Int64(digits),
      let unit = units.first(where: { $0.name == text.dropFirst(digits.count) })
    else { return nil }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
    return overflow ? nil : .milliseconds(milliseconds)
  }

  /// Returns the text of a duration of zero or more, in the largest unit that loses nothing but a fraction
  /// of a millisecond.
  public static func text(_ duration: Duration) -> String {
    let milliseconds = max(0, duration.wholeMilliseconds)
    guard milliseconds > 0 else { return "0s" }
    let unit = units.last { milliseconds % $0.milliseconds == 0 } ?? units[0]
    return "\(milliseconds / unit.milliseconds)\(unit.name)"
  }
}
