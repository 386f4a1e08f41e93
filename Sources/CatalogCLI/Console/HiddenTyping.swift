import Dispatch
import Foundation

/// A terminal that doesn't show what is typed, and the way back to one that does, whatever ends the program.
enum HiddenTyping {
  private static let queue = DispatchQueue(label: "hidden typing")
  private static let endings = [SIGTERM, SIGHUP, SIGQUIT]
  // Unsafe because they are shared; they are touched on the queue alone.
  nonisolated(unsafe) private static var before: termios?
  nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []

  /// Hides what is typed; returns whether that could be done.
  ///
  /// Control-C comes as a character too, so that nothing ends the program while nothing is shown.
  static func begin() -> Bool {
    queue.sync {
      var settings = termios()
      // Unsafe because C fills it in through a pointer; it is to a local value.
      guard unsafe before == nil, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return false }
      var hidden = settings
      hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
      // Unsafe as above.
      guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { return false }
      unsafe before = settings
      unsafe sources = endings.map(source)
      return true
    }
  }

  /// Shows again what is typed; does nothing if it was shown.
  static func end() {
    queue.sync { restore() }
  }

  private static func source(of ending: Int32) -> any DispatchSourceSignal {
    signal(ending, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: ending, queue: queue)
    source.setEventHandler {
      restore()
      kill(getpid(), ending)
    }
    source.resume()
    return source
  }

  private static func restore() {
    guard var settings = unsafe before else { return }
    // Unsafe because C reads it through a pointer; it is to a local value.
    _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    unsafe before = nil
    for index in unsafe sources.indices { unsafe sources[index].cancel() }
    unsafe sources = []
    for ending in endings { signal(ending, SIG_DFL) }
  }
}
