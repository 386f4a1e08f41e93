import CatalogDomain

/// Spans of time as people say them.
package enum AgeText {
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// Returns a span in its largest unit, and for hours and days the next one beside it: `45 s`, `3 min`,
  /// `2 h 5 min`, `2 d 4 h`; rounded down.
  package static func text(_ span: Duration) -> String {
    let milliseconds = span.wholeMilliseconds
    guard milliseconds >= 0 else {
      return "-" + text(.milliseconds(milliseconds == .min ? .max : -milliseconds))
    }
    guard milliseconds >= 1000 else { return "0 s" }
    for (index, unit) in units.enumerated() where milliseconds >= unit.milliseconds {
      let count = milliseconds / unit.milliseconds
      let next = units[index + 1]
      let rest = milliseconds % unit.milliseconds / next.milliseconds
      // Beyond a hundred days nobody counts hours.
      let showsRest = rest > 0 && unit.milliseconds >= 3_600_000 && !(unit.name == "d" && count >= 100)
      return "\(count) \(unit.name)" + (showsRest ? " \(rest) \(next.name)" : "")
    }
    return "0 s"
  }

  /// Returns the same rounded to the nearest, for what is still to come: 9 min 58 s are `10 min`.
  package static func roundedText(_ span: Duration) -> String {
    let milliseconds = span.wholeMilliseconds
    guard milliseconds >= 0 else {
      return "-" + roundedText(.milliseconds(milliseconds == .min ? .max : -milliseconds))
    }
    let half: Int64 =
      switch milliseconds {
      case ..<60_000: 500
      case ..<86_400_000: 30_000
      case ..<8_640_000_000: 1_800_000
      default: 43_200_000
      }
    return text(.milliseconds(milliseconds > .max - half ? .max : milliseconds + half))
  }

  /// Returns a span in all its units, to the millisecond: `1 d 10 min`, `1 s 1 ms`.
  package static func exactText(_ span: Duration) -> String {
    let milliseconds = span.wholeMilliseconds
    guard milliseconds >= 0 else {
      return "-" + exactText(.milliseconds(milliseconds == .min ? .max : -milliseconds))
    }
    guard milliseconds > 0 else { return "0 s" }
    var rest = milliseconds
    var parts: [String] = []
    for unit in units where rest >= unit.milliseconds {
      parts.append("\(rest / unit.milliseconds) \(unit.name)")
      rest %= unit.milliseconds
    }
    return parts.joined(separator: " ")
  }
}
