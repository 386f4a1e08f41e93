/// Dates in the three forms of RFC 9110 §5.6.7, and in no other.
///
/// ```
/// Sun, 06 Nov 1994 08:49:37 GMT     IMF-fixdate
/// Sunday, 06-Nov-94 08:49:37 GMT    of RFC 850
/// Sun Nov  6 08:49:37 1994          of C's asctime()
/// ```
///
/// Letters are matched without regard to case, as RFC 9111 §4.2 asks of a cache, and a zone other than GMT is
/// no date. The day of the week has to be one, and isn't compared with the date.
public enum HTTPDate {
  /// Returns the moment that a text names, or nil.
  ///
  /// - Parameters:
  ///   - text: The text, without blanks around it.
  ///   - now: What a year of two digits is judged by: more than 50 years in the future means the past.
  public static func parse(_ text: String, now: Timestamp) -> Timestamp? {
    let bytes = text.utf8.map(\.lowercasedASCII)
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    var fixdate = Reader(bytes)
    if let moment = fixdate.fixdate() { return moment }
    var rfc850 = Reader(bytes)
    if let moment = rfc850.rfc850(now: now) { return moment }
    var asctime = Reader(bytes)
    return asctime.asctime()
  }

  /// Returns the first of the dates that a recipient has joined with commas (RFC 9110 §5.3), or nil.
  static func parseFirst(_ text: String, now: Timestamp) -> Timestamp? {
    if let moment = parse(text, now: now) { return moment }
    let bytes = Array(text.utf8)
    for index in bytes.indices where bytes[index] == 0x2C {
      if let moment = parse(String(decoding: bytes[..<index], as: UTF8.self), now: now) { return moment }
    }
    return nil
  }

  private struct Reader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
    }

    mutating func fixdate() -> Timestamp? {
      guard word(of: shortDays) != nil, skip(", "), let day = digits(2), skip(" "),
        let month = word(of: months), skip(" "), let year = digits(4), skip(" "),
        let seconds = timeOfDay(), skip(" gmt"), index == bytes.count
      else { return nil }
      return moment(year, month, day, seconds)
    }

    mutating func rfc850(now: Timestamp) -> Timestamp? {
      guard word(of: longDays) != nil, skip(", "), let day = digits(2), skip("-"),
        let month = word(of: months), skip("-"), let shortYear = digits(2), skip(" "),
        let seconds = timeOfDay(), skip(" gmt"), index == bytes.count
      else { return nil }
      // The latest year of these digits that isn't more than 50 years from now: the same day 50 years before
      // isn't past now.
      let thisYear = Self.year(of: now)
      var year = thisYear - thisYear % 100 + 100 + shortYear
      while (Self.days(year - 50, month, day) * 86_400 + seconds) * 1000 > now.millisecondsSinceEpoch,
        year > thisYear - 100
      {
        year -= 100
      }
      return moment(year, month, day, seconds)
    }

    mutating func asctime() -> Timestamp? {
      guard word(of: shortDays) != nil, skip(" "), let month = word(of: months), skip(" ") else { return nil }
      let day = skip(" ") ? digits(1) : digits(2)
      guard let day, skip(" "), let seconds = timeOfDay(), skip(" "), let year = digits(4),
        index == bytes.count
      else { return nil }
      return moment(year, month, day, seconds)
    }

    /// The seconds since midnight; a leap second counts as the second after it.
    private mutating func timeOfDay() -> Int64? {
      guard let hour = digits(2), hour < 24, skip(":"), let minute = digits(2), minute < 60, skip(":"),
        let second = digits(2), second <= 60
      else { return nil }
      return (hour * 60 + minute) * 60 + second
    }

    private func moment(_ year: Int64, _ month: Int64, _ day: Int64, _ seconds: Int64) -> Timestamp? {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let last: Int64 =
        switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
      guard (1...last).contains(day) else { return nil }
      return Timestamp(
        millisecondsSinceEpoch: (Self.days(year, month, day) * 86_400 + seconds) * 1000)
    }

    private mutating func skip(_ text: StaticString) -> Bool {
      let wanted = Array(text.description.utf8)
      guard bytes.dropFirst(index).starts(with: wanted) else { return false }
      index += wanted.count
      return true
    }

    private mutating func digits(_ count: Int) -> Int64? {
      guard bytes.count - index >= count else { return nil }
      var value: Int64 = 0
      for byte in bytes[index..<index + count] {
        guard byte.isDigit else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      index += count
      return value
    }

    /// The place of the word that comes next in a list, from 1.
    private mutating func word(of words: [String]) -> Int64? {
      for (number, word) in words.enumerated() where bytes.dropFirst(index).starts(with: word.utf8) {
        index += word.utf8.count
        return Int64(number + 1)
      }
      return nil
    }

    // Days are counted from 1 March of year 0, so that the leap day is the last of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
      let shifted = month <= 2 ? year - 1 : year
      let cycle = (shifted >= 0 ? shifted : shifted - 399) / 400
      let yearOfCycle = shifted - cycle * 400
      let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
      return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
    }

    private static func year(of moment: Timestamp) -> Int64 {
      // Clamped, so that a clock at the end of time can't overflow what follows.
      let milliseconds = min(max(moment.millisecondsSinceEpoch, -62_135_596_800_000), 253_402_300_799_999)
      var year = 1970 + milliseconds / 31_556_952_000
      while days(year, 1, 1) * 86_400_000 > milliseconds { year -= 1 }
      while days(year + 1, 1, 1) * 86_400_000 <= milliseconds { year += 1 }
      return year
    }
  }

  private static let shortDays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let longDays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
}
