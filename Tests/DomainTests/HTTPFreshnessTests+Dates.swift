import CatalogDomain

extension HeaderCase {
  /// A case about one `Expires`, in an answer that is dated now.
  private static func expires(
    _ section: String, _ value: String, life: Int?, is decision: DecisionKind = .fresh
  ) -> HeaderCase {
    HeaderCase(section, date + "Expires: " + value, life: life, is: decision)
  }

  /// `Expires` in every form of a date and in no other, `Date` skewed both ways, and the heuristic.
  static let dates: [HeaderCase] = [
    expires("9111 §5.3", "Sun, 06 Nov 1994 08:50:37 GMT", life: 60),
    expires("9111 §5.3", "Sun, 06 Nov 1994 08:49:37 GMT", life: 0, is: .revalidating),
    expires("9111 §5.3", "Sun, 06 Nov 1994 08:49:36 GMT", life: 0, is: .revalidating),
    expires("9111 §5.3", "Thu, 01 Jan 1970 00:00:00 GMT", life: 0, is: .revalidating),
    expires("9111 §5.3", "Fri, 31 Dec 9999 23:59:59 GMT", life: 2_147_483_648),
    expires("9110 §5.6.7", "Sunday, 06-Nov-94 08:50:37 GMT", life: 60),
    expires("9110 §5.6.7", "Sun Nov  6 08:50:37 1994", life: 60),
    expires("9110 §5.6.7", "Sun Nov 06 08:50:37 1994", life: 60),
    expires("9110 §5.6.7", "Wed Nov 16 08:49:37 1994", life: 864_000),
    expires("9110 §5.6.7", "Sun Nov 6 08:50:37 1994", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sunday, 06-Nov-44 08:49:37 GMT", life: 1_577_923_200),
    expires("9110 §5.6.7", "Sunday, 06-Nov-45 08:49:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Thursday, 01-Jan-70 00:00:00 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Saturday, 01-Jan-00 00:00:00 GMT", life: 162_573_023),
    expires("9111 §4.2", "sun, 06 nov 1994 08:50:37 gmt", life: 60),
    expires("9111 §4.2", "SUNDAY, 06-NOV-94 08:50:37 GMT", life: 60),
    expires("9111 §4.2", "Sun, 06 Nov 1994 08:50:37 UTC", life: 0, is: .revalidating),
    expires("9111 §4.2", "Sun, 06 Nov 1994 08:50:37 EST", life: 0, is: .revalidating),
    expires("9111 §4.2", "Sun, 06 Nov 1994 08:50:37 +0000", life: 0, is: .revalidating),
    expires("9111 §4.2", "Sun, 06 Nov 1994 08:50:37 Z", life: 0, is: .revalidating),
    expires("9111 §4.2", "Sun, 06 Nov 1994 08:50:37", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 6 Nov 1994 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Nov 94 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06-Nov-1994 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "06 Nov 1994 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun 06 Nov 1994 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun,06 Nov 1994 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun,  06 Nov 1994 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Nov 1994 8:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Nov 1994 08:50 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Nov 1994 24:00:00 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Nov 1994 08:60:00 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Nov 1994 08:50:61 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Nov 1994 08:49:60 GMT", life: 23),
    expires("9110 §5.6.7", "Wed, 30 Feb 1995 08:49:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Wed, 29 Feb 1995 08:49:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Thu, 29 Feb 1996 08:49:37 GMT", life: 41_472_000),
    expires("9110 §5.6.7", "Tue, 00 Nov 1994 08:49:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Now 1994 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Son, 06 Nov 1994 08:50:37 GMT", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Mon, 06 Nov 1994 08:50:37 GMT", life: 60),
    expires("9110 §5.6.7", "1994-11-06T08:50:37Z", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "784111837", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "\"Sun, 06 Nov 1994 08:50:37 GMT\"", life: 0, is: .revalidating),
    expires("9110 §5.6.7", "Sun, 06 Nov 1994 08:50:37 GMT+1", life: 0, is: .revalidating),
    expires("9111 §5.3", "0", life: 0, is: .revalidating),
    expires("9111 §5.3", "-1", life: 0, is: .revalidating),
    expires("9111 §5.3", "never", life: 0, is: .revalidating),
    expires("9111 §5.3", "", life: 0, is: .revalidating),
    expires(
      "9111 §4.2.1", "Sun, 06 Nov 1994 08:50:37 GMT, Sun, 06 Nov 1994 09:49:37 GMT", life: 60),
    expires(
      "9111 §4.2.1", "Sun, 06 Nov 1994 08:50:37 GMT\nExpires: Sun, 06 Nov 1994 09:49:37 GMT", life: 60),
    expires(
      "9111 §4.2.1", "0\nExpires: Sun, 06 Nov 1994 09:49:37 GMT", life: 0, is: .revalidating),
    expires("9111 §5.3", "Sun, 06 Nov 1994 09:49:37 GMT\nCache-Control: max-age=60", life: 60),
    expires("9111 §5.3", "0\nCache-Control: max-age=60", life: 60),
    expires(
      "9111 §5.3", "Sun, 06 Nov 1994 09:49:37 GMT\nCache-Control: max-age=0", life: 0, is: .revalidating),
    expires(
      "9111 §4.2.1", "Sun, 06 Nov 1994 09:49:37 GMT\nCache-Control: max-age=x", life: 0, is: .revalidating),
    expires("9111 §5.3", "Sun, 06 Nov 1994 09:49:37 GMT\nCache-Control: s-maxage=60", life: 3600),
    expires(
      "9111 §4.2.1", "Sun, 06 Nov 1994 09:49:37 GMT\nCache-Control: no-cache", life: 3600, is: .noCache),
    HeaderCase("9111 §4.2.1", "Expires: Sun, 06 Nov 1994 08:50:37 GMT", life: 60),
    HeaderCase(
      "9111 §4.2.1",
      "Date: Sun, 06 Nov 1994 08:44:37 GMT\nExpires: Sun, 06 Nov 1994 08:50:37 GMT", life: 360, age: 300,
      initial: 300),
    HeaderCase(
      "9111 §4.2.1",
      "Date: Sun, 06 Nov 1994 10:49:37 GMT\nExpires: Sun, 06 Nov 1994 10:50:37 GMT", life: 60),
    HeaderCase(
      "9111 §4.2.1", "Date: yesterday\nExpires: Sun, 06 Nov 1994 08:50:37 GMT", life: 60),
    HeaderCase(
      "9111 §4.2.2", date + "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT", life: nil),
    HeaderCase(
      "9111 §4.2.2", date + "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT", life: 8640,
      heuristic: .tenthOfAge(cap: .seconds(86_400))),
    HeaderCase(
      "9111 §4.2.2", date + "Last-Modified: Sun, 06 Nov 1983 08:49:37 GMT", life: 86_400,
      heuristic: .tenthOfAge(cap: .seconds(86_400))),
    HeaderCase(
      "9111 §4.2.2", date + "Last-Modified: Mon, 07 Nov 1994 08:49:37 GMT", life: nil,
      heuristic: .tenthOfAge(cap: .seconds(86_400))),
    HeaderCase(
      "9111 §4.2.2", date + "Last-Modified: long ago", life: nil,
      heuristic: .tenthOfAge(cap: .seconds(86_400))),
    HeaderCase(
      "9111 §4.2.2", date + "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT\nCache-Control: max-age=5",
      life: 5, heuristic: .tenthOfAge(cap: .seconds(86_400))),
    HeaderCase(
      "9111 §4.2.2", date + "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT\nExpires: 0", life: 0,
      is: .revalidating, heuristic: .tenthOfAge(cap: .seconds(86_400))),
  ]

  /// Age: `Age`, `Date` and delay, and what of them is believed.
  static let ages: [HeaderCase] = [
    aged("9111 §4.2.3", "Age: 10", age: 10, initial: 10),
    aged("9111 §4.2.3", "Age: 10", age: 15, initial: 10, wait: 5),
    aged("9111 §4.2.3", "Age: 10", age: 13, initial: 10, delay: 3),
    aged("9111 §4.2.3", "Age: 59", age: 59, initial: 59),
    aged("9111 §4.2.3", "Age: 60", age: 60, initial: 60, is: .revalidating),
    aged("9111 §4.2.3", "Age: 57", age: 60, initial: 57, is: .revalidating, delay: 3),
    aged("9111 §4.2.3", "Age: 0", age: 0),
    aged("9111 §4.2.3", "", age: 3, delay: 3),
    aged("9111 §4.2.3", "", age: 60, is: .revalidating, delay: 60),
    aged("9111 §5.1", "Age: -5", age: 0),
    aged("9111 §5.1", "Age: 1.5", age: 0),
    aged("9111 §5.1", "Age: old", age: 0),
    aged("9111 §5.1", "Age:", age: 0),
    aged("9111 §5.1", "Age: \"10\"", age: 0),
    aged("9111 §5.1", "Age: 007", age: 7, initial: 7),
    aged("9111 §5.1", "Age: 10, 20", age: 10, initial: 10),
    aged("9111 §5.1", "Age: 10\nAge: 20", age: 10, initial: 10),
    aged("9111 §5.1", "Age: old, 20", age: 0),
    aged("9111 §5.1", "Age: , 20", age: 0),
    aged("9111 §1.2.2", "Age: 2147483648", age: 2_147_483_648, initial: 2_147_483_648, is: .expired),
    aged(
      "9111 §1.2.2", "Age: 99999999999999999999", age: 2_147_483_648, initial: 2_147_483_648, is: .expired),
    dated("9111 §4.2.3", "Sun, 06 Nov 1994 08:49:27 GMT", age: 10, initial: 10),
    dated("9111 §4.2.3", "Sun, 06 Nov 1994 08:49:27 GMT", age: 10, initial: 7, delay: 3),
    dated("9111 §4.2.3", "Sun, 06 Nov 1994 08:49:27 GMT", age: 30, delay: 30),
    dated("9111 §4.2.3", "Sun, 06 Nov 1994 08:49:27 GMT\nAge: 4", age: 10, initial: 7, delay: 3),
    dated("9111 §4.2.3", "Sun, 06 Nov 1994 08:49:27 GMT\nAge: 9", age: 12, initial: 9, delay: 3),
    dated("9111 §4.2.3", "Sun, 06 Nov 1994 08:48:37 GMT", age: 60, initial: 60, is: .revalidating),
    dated("9111 §4.2.3", "Sun, 06 Nov 1994 08:50:37 GMT", age: 0),
    dated("9111 §4.2.3", "Sun, 06 Nov 2094 08:50:37 GMT", age: 0),
    dated("9111 §4.2.3", "Sun, 06 Nov 1994 08:50:37 GMT\nAge: 7", age: 7, initial: 7),
    dated("9110 §6.6.1", "not a date", age: 0),
    dated("9110 §6.6.1", "1994-11-06T08:00:00Z", age: 0),
    dated("9110 §6.6.1", "Sunday, 06-Nov-94 08:49:27 GMT", age: 10, initial: 10),
    dated("9110 §6.6.1", "Sun Nov  6 08:49:27 1994", age: 10, initial: 10),
    dated(
      "9110 §6.6.1", "Sun, 06 Nov 1994 08:49:27 GMT\nDate: Sun, 06 Nov 1994 08:00:00 GMT", age: 10,
      initial: 10),
    dated(
      "9111 §4.2.3", "Thu, 01 Jan 1970 00:00:00 GMT", age: 784_111_777, initial: 784_111_777, is: .expired),
    HeaderCase("9110 §6.6.1", "Cache-Control: max-age=60", life: 60),
    HeaderCase("9110 §6.6.1", "Cache-Control: max-age=60", life: 60, age: 9, delay: 4, wait: 5),
  ]

  private static func aged(
    _ section: String, _ lines: String, age: Int, initial: Int = 0, is decision: DecisionKind = .fresh,
    delay: Int = 0, wait: Int = 0
  ) -> HeaderCase {
    HeaderCase(
      section, date + "Cache-Control: max-age=60\n" + lines, life: 60, age: age, initial: initial,
      is: decision, delay: delay, wait: wait)
  }

  private static func dated(
    _ section: String, _ value: String, age: Int, initial: Int = 0, is decision: DecisionKind = .fresh,
    delay: Int = 0
  ) -> HeaderCase {
    HeaderCase(
      section, "Cache-Control: max-age=60\nDate: " + value, life: 60, age: age, initial: initial,
      is: decision, delay: delay)
  }
}
