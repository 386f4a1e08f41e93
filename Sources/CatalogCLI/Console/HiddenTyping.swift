import Dispatch
import Foundation

/// A terminal that doesn't show what is typed, and the way back to one that does, whatever ends the program.
enum HiddenTyping {
  private static let queue = DispatchQueue(label: "hidden typing")
  private static let endings = [SIGTERM, SIGHUP, SIGQUIT]
  // Unsafe because they are shared: they are changed on the queue alone, and while a handler that reads the
  // settings may run they stay as they are.
  nonisolated(unsafe) private static var before = termios()
  nonisolated(unsafe) private static var isHidden = false
  nonisolated(unsafe) private static var handled: [Int32] = []

  /// Whether a person is being asked for something that isn't shown.
  ///
  /// Unsafe because it is shared; it is read on the queue.
  static var isActive: Bool { queue.sync { unsafe isHidden } }

  /// Hides what is typed; returns whether that could be done.
  ///
  /// Control-C comes as a character too, so that nothing ends the program while nothing is shown.
  static func begin() -> Bool {
    queue.sync {
      var settings = termios()
      // Unsafe because C fills it in through a pointer; it is to a local value.
      guard unsafe !isHidden, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return false }
      unsafe before = settings
      unsafe handled = endings.filter { Signals.handle($0, showAndEnd) }
      settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
      // Unsafe as above.
      unsafe isHidden = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0
      if unsafe !isHidden { forgetSignals() }
      return unsafe isHidden
    }
  }

  /// Shows again what is typed; does nothing if it was shown.
  static func end() {
    queue.sync {
      guard unsafe isHidden else { return }
      // Unsafe because C reads it through a pointer, to what nobody changes meanwhile.
      _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
      unsafe isHidden = false
      forgetSignals()
    }
  }

  private static func forgetSignals() {
    // Unsafe because they are shared; this is called on the queue.
    for ending in unsafe handled { Signals.restore(ending) }
    unsafe handled = []
  }

  /// Shows again what is typed, and lets the signal end the program once this returns.
  private static let showAndEnd: Signals.Handler = { ending in
    // Unsafe because C reads it through a pointer, to what nobody changes while this may be called.
    _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
    Signals.restore(ending)
    raise(ending)
  }
}
