public import CatalogDomain
public import Foundation

extension Timestamp {
  /// Creates the moment of a date, to the nearest millisecond.
  ///
  /// A date beyond what a timestamp can hold becomes the last or the first moment; one that is not a number
  /// becomes the first.
  public init(_ date: Date) {
    // A date counts seconds from 2001 as a `Double`; the offset to 1970 is added to the whole milliseconds,
    // where it costs no precision.
    let offset = Date.timeIntervalBetween1970AndReferenceDate * 1000
    let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded() + offset
    if let exact = Int64(exactly: milliseconds) {
      self.init(millisecondsSinceEpoch: exact)
    } else {
      self.init(millisecondsSinceEpoch: milliseconds > 0 ? .max : .min)
    }
  }
}

extension Date {
  /// Creates the date of a moment.
  ///
  /// Making a timestamp of it gives the moment back, for every moment within 100,000 years.
  public init(_ moment: Timestamp) {
    self.init(timeIntervalSince1970: Double(moment.millisecondsSinceEpoch) / 1000)
  }
}
