import Dispatch
import Foundation

/// Ends the program with 130 when the person at the terminal presses control-C.
///
/// A command that only reads ends at once, and so does one that waits for a password. One that writes is told to
/// stop first, and has five seconds for it; a second signal ends it at once. What was begun and not committed has
/// then never happened.
struct Interrupt {
  /// The end of a pipe into which the handler writes a byte for each signal; unsafe because it is shared, and
  /// set once, before the handler is.
  nonisolated(unsafe) private static var pipeToWrite: Int32 = -1

  private static let noteSignal: Signals.Handler = { _ in
    let code = errno
    var byte: UInt8 = 0
    // Unsafe because C reads through a pointer; it is to a local value. A pipe that is full says enough.
    _ = unsafe write(pipeToWrite, &byte, 1)
    errno = code
  }

  private let source: (any DispatchSourceRead)?

  init(isGraceful: Bool, cancel: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    // Unsafe because C fills the array in; it outlives the call. Without a pipe control-C does what it always
    // does.
    guard unsafe pipe(&ends) == 0 else {
      source = nil
      return
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    unsafe Self.pipeToWrite = ends[1]
    let queue = DispatchQueue(label: "interrupt")
    let reading = ends[0]
    let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: queue)
    source.setEventHandler { [source] in
      var bytes = [UInt8](repeating: 0, count: 16)
      // Unsafe because C fills the array in; it outlives the call.
      let count = unsafe read(reading, &bytes, bytes.count)
      guard count > 0 else { return }
      guard isGraceful, count == 1, !source.isCancelled, !HiddenTyping.isActive else { Self.end() }
      cancel()
      queue.asyncAfter(deadline: .now() + .seconds(5)) { Self.end() }
      source.setEventHandler { Self.end() }
    }
    source.resume()
    self.source = source
    // A signal from here on waits in the pipe, however late the source comes to it.
    _ = Signals.handle(SIGINT, Self.noteSignal)
  }

  func stop() {
    source?.cancel()
  }

  private static func end() -> Never {
    HiddenTyping.end()
    // Without the handlers that run at exit: another thread may be in the middle of anything.
    _exit(ExitCode.interrupted.rawValue)
  }
}
