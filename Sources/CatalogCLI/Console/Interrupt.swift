import Dispatch
import Foundation

/// Ends the program with 130 when the person at the terminal presses control-C.
///
/// A command that only reads ends at once. One that writes is told to stop first, and has five seconds for
/// it; a second signal ends it at once. What was begun and not committed has then never happened.
struct Interrupt {
  private let source: any DispatchSourceSignal

  init(isGraceful: Bool, cancel: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    let queue = DispatchQueue(label: "interrupt")
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
    // `data` is the number of signals since the handler ran last.
    source.setEventHandler { [source] in
      guard isGraceful, source.data == 1, !source.isCancelled else { Self.end() }
      cancel()
      queue.asyncAfter(deadline: .now() + .seconds(5)) { Self.end() }
      source.setEventHandler { Self.end() }
    }
    source.resume()
  }

  func stop() {
    source.cancel()
  }

  private static func end() -> Never {
    HiddenTyping.end()
    // Without the handlers that run at exit: another thread may be in the middle of anything.
    _exit(ExitCode.interrupted.rawValue)
  }
}
