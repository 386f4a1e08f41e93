import Foundation

/// Signals that the program does something about before it ends.
///
/// By plain handlers, and not by sources of Dispatch: on Linux those lose a signal that comes before they are
/// registered or while they are being cancelled, which both happen later than the calls return. A handler may
/// call only what is safe there (POSIX.1-2017, 2.4.3), and touches nothing that isn't there before it is set.
enum Signals {
  typealias Handler = @convention(c) (Int32) -> Void

  /// Sets a handler, unless whoever started the program had it ignore the signal, as `nohup` does.
  ///
  /// - Returns: Whether it was set.
  static func handle(_ number: Int32, _ handler: @escaping Handler) -> Bool {
    let before = signal(number, handler)
    // Unsafe because the constant is no function; its bits are compared, and it is never called.
    let isIgnored = unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if isIgnored { signal(number, SIG_IGN) }
    return !isIgnored
  }

  /// Lets a signal do again what it does by itself.
  static func restore(_ number: Int32) {
    signal(number, SIG_DFL)
  }
}
