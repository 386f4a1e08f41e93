public import CatalogDomain

/// Moments as RFC 3339 writes them: `2026-12-01T00:00:00Z`, `2026-12-01t01:30:00.25+01:30`.
///
/// A date without a time, or a time without a zone, names no moment and isn't taken. Years outside 0 to 9999
/// are written with a sign and at least six digits, as ISO 8601 expands them, so that every ``Timestamp``
/// has a text.
public enum RFC3339 {
  /// Returns the moment that a text names, or nil if it isn't of that form or is out of range.
  ///
  /// Fractions finer than a millisecond are dropped. A leap second counts as the second after it.
  public static func parse(_ text: String) -> Timestamp? {
    var reader = Reader(text)
    guard let year = reader.year(), reader.skip("-"), let month = reader.number(digits: 2),
      (1...12).contains(month), reader.skip("-"), let day = reader.number(digits: 2),
      (1...dayCount(of: month, in: year)).contains(day), reader.skip("T", or: "t"),
      let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
      let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
      let second = reader.number(digits: 2), second <= 60, let fraction = reader.milliseconds(),
      let offset = reader.offsetInMinutes(), reader.isAtEnd
    else { return nil }
    let seconds = (hour * 60 + minute - offset) * 60 + second
    // 128 bits hold whatever nine digits of years can make.
    let total =
      Int128(days(year: year, month: month, day: day)) * 86_400_000 + Int128(seconds * 1000 + fraction)
    return Int64(exactly: total).map { Timestamp(millisecondsSinceEpoch: $0) }
  }

  /// Returns a moment's text in UTC, with a fraction of three digits if it has one.
  public static func text(_ moment: Timestamp) -> String {
    let (day, milliseconds) = moment.millisecondsSinceEpoch.flooredDivision(by: 86_400_000)
    let (year, month, dayOfMonth) = civil(day: day)
    let second = milliseconds / 1000
    var text = yearText(year)
    text += "-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    text += "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if milliseconds % 1000 != 0 { text += ".\(padded(milliseconds % 1000, 3))" }
    return text + "Z"
  }

  private static func yearText(_ year: Int64) -> String {
    (0...9999).contains(year) ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func dayCount(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // Days are counted from 1 March of year 0, so that the leap day is the last of its year; a cycle of the
  // Gregorian calendar has 146,097 days, and 719,468 days lie between that day and 1 January 1970.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (cycle, yearOfCycle) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
  }

  private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (cycle, dayOfCycle) = (day + 719_468).flooredDivision(by: 146_097)
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
      rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ wanted: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
      guard let byte = rest.first else { return false }
      let scalar = Unicode.Scalar(byte)
      guard scalar == wanted || scalar == other else { return false }
      rest.removeFirst()
      return true
    }

    mutating func number(digits: Int) -> Int64? {
      let taken = takeDigits(atMost: digits)
      return taken.count == digits ? taken.value : nil
    }

    mutating func year() -> Int64? {
      let sign: Int64? = skip("+") ? 1 : skip("-") ? -1 : nil
      guard let sign else { return number(digits: 4) }
      let taken = takeDigits(atMost: 9)
      // Year minus zero would be a second spelling of year zero.
      return taken.count >= 6 && !(sign < 0 && taken.value == 0) ? sign * taken.value : nil
    }

    mutating func milliseconds() -> Int64? {
      guard skip(".") else { return 0 }
      let taken = takeDigits(atMost: 3)
      guard taken.count > 0 else { return nil }
      while takeDigits(atMost: 9).count > 0 {}
      return taken.value * (taken.count == 1 ? 100 : taken.count == 2 ? 10 : 1)
    }

    mutating func offsetInMinutes() -> Int64? {
      if skip("Z", or: "z") { return 0 }
      let sign: Int64? = skip("+") ? 1 : skip("-") ? -1 : nil
      guard let sign, let hours = number(digits: 2), hours < 24, skip(":"),
        let minutes = number(digits: 2), minutes < 60
      else { return nil }
      return sign * (hours * 60 + minutes)
    }

    private mutating func takeDigits(atMost limit: Int) -> (count: Int, value: Int64) {
      var count = 0
      var value: Int64 = 0
      while count < limit, let byte = rest.first, (0x30...0x39).contains(byte) {
        value = value * 10 + Int64(byte - 0x30)
        count += 1
        rest.removeFirst()
      }
      return (count, value)
    }
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
