/// A moment of wall-clock time, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// All arithmetic saturates: nothing traps, whatever a file or a server claims.
public struct Timestamp: Hashable, Comparable, Codable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public var millisecondsSinceEpoch: Int64

  /// Creates a moment.
  public init(millisecondsSinceEpoch: Int64) {
    self.millisecondsSinceEpoch = millisecondsSinceEpoch
  }

  /// Reads a single number of milliseconds.
  public init(from decoder: any Decoder) throws {
    millisecondsSinceEpoch = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Writes a single number of milliseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(millisecondsSinceEpoch)
  }

  /// Whether the first moment comes before the second.
  public static func < (first: Timestamp, second: Timestamp) -> Bool {
    first.millisecondsSinceEpoch < second.millisecondsSinceEpoch
  }

  /// The moment a span later, the span rounded down to milliseconds; saturates.
  public static func + (moment: Timestamp, span: Duration) -> Timestamp {
    Timestamp(
      millisecondsSinceEpoch: moment.millisecondsSinceEpoch.addingSaturating(span.wholeMilliseconds))
  }

  /// The span from the second moment to the first; saturates.
  public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
    .milliseconds(later.millisecondsSinceEpoch.subtractingSaturating(earlier.millisecondsSinceEpoch))
  }
}

extension Duration {
  /// The span in whole milliseconds, rounded down; saturates at the bounds of `Int64`.
  public var wholeMilliseconds: Int64 {
    // `components` traps beyond Int64 seconds; attoseconds are 128 bits wide and don't.
    let perMillisecond: Int128 = 1_000_000_000_000_000
    let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: perMillisecond)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }
}

extension Duration {
  package func addingSaturating(_ other: Duration) -> Duration {
    let (sum, overflow) = attoseconds.addingReportingOverflow(other.attoseconds)
    guard overflow else { return Duration(attoseconds: sum) }
    return Duration(attoseconds: other < .zero ? .min : .max)
  }

  package func subtractingSaturating(_ other: Duration) -> Duration {
    let (difference, overflow) = attoseconds.subtractingReportingOverflow(other.attoseconds)
    guard overflow else { return Duration(attoseconds: difference) }
    return Duration(attoseconds: other < .zero ? .max : .min)
  }
}

extension Int64 {
  package func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    guard overflow else { return sum }
    return other < 0 ? .min : .max
  }

  package func subtractingSaturating(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    guard overflow else { return difference }
    return other < 0 ? .max : .min
  }
}
