package import CatalogDomain

/// Moments as RFC 3339 writes them, in UTC: `2026-11-01T12:00:00Z`.
package enum TimeText {
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// Returns the text of a moment; milliseconds only if there are any, and years beyond four digits with a
  /// sign as ISO 8601 has it.
  package static func text(_ moment: Timestamp) -> String {
    let (days, inDay) = floorDivide(moment.millisecondsSinceEpoch, millisecondsPerDay)
    let (year, month, day) = civil(days: days)
    let yearText =
      (0...9999).contains(year)
      ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(Int64(year.magnitude), 4)
    let milliseconds = inDay % 1000
    let fraction = milliseconds == 0 ? "" : "." + padded(milliseconds, 3)
    return "\(yearText)-\(padded(month, 2))-\(padded(day, 2))T\(padded(inDay / 3_600_000, 2)):"
      + "\(padded(inDay / 60_000 % 60, 2)):\(padded(inDay / 1000 % 60, 2))\(fraction)Z"
  }

  /// Returns the moment of an RFC 3339 text, or nil if it isn't one.
  ///
  /// An offset is needed. Digits beyond milliseconds are cut off, and a leap second counts as the first
  /// second after it.
  package static func parse(_ text: String) -> Timestamp? {
    var scanner = Scanner(text)
    guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
      let day = scanner.digits(2), scanner.take("T", "t", " "), let hour = scanner.digits(2),
      scanner.take(":"), let minute = scanner.digits(2), scanner.take(":"), let second = scanner.digits(2),
      let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd,
      (1...12).contains(month), (1...length(ofMonth: month, year: year)).contains(day), hour < 24,
      minute < 60, second <= 60
    else { return nil }
    let inDay = ((hour * 60 + minute) * 60 + second) * 1000 + fraction
    let total = days(year: year, month: month, day: day) * millisecondsPerDay + inDay - offset * 60_000
    return Timestamp(millisecondsSinceEpoch: total)
  }

  private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func floorDivide(_ number: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  // Days are counted from 1970-01-01 in the proleptic Gregorian calendar. Years begin in March here, so that
  // the leap day is the last of its year, and an era is 400 years of 146,097 days.

  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(shifted, 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private struct Scanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ characters: Unicode.Scalar...) -> Bool {
      guard let byte = rest.first, characters.contains(where: { $0.value == UInt32(byte) }) else {
        return false
      }
      rest.removeFirst()
      return true
    }

    mutating func digit() -> Int64? {
      guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
      rest.removeFirst()
      return Int64(byte - 0x30)
    }

    mutating func digits(_ count: Int) -> Int64? {
      var number: Int64 = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return number
    }

    /// Milliseconds of a second; zero if there is no fraction, nil if it is wrong.
    mutating func fraction() -> Int64? {
      guard take(".") else { return 0 }
      guard let first = digit() else { return nil }
      var milliseconds = first * 100
      var weight: Int64 = 10
      while let digit = digit() {
        milliseconds += digit * weight
        weight /= 10
      }
      return milliseconds
    }

    /// Minutes east of UTC.
    mutating func offset() -> Int64? {
      if take("Z", "z") { return 0 }
      let sign: Int64 = take("+") ? 1 : take("-") ? -1 : 0
      guard sign != 0, let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60
      else { return nil }
      return sign * (hours * 60 + minutes)
    }
  }
}
