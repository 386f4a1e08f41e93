import Foundation

/// The process's own streams.
final class SystemConsole: Console {
  let environment = ProcessInfo.processInfo.environment
  let isOutputTerminal = isatty(STDOUT_FILENO) == 1
  let isErrorTerminal = isatty(STDERR_FILENO) == 1
  let isInputTerminal = isatty(STDIN_FILENO) == 1

  init() {
    // A closed pipe is then an error of the write that meets it, and no signal that ends the process in the
    // middle of something.
    signal(SIGPIPE, SIG_IGN)
  }

  var terminalWidth: Int? { isOutputTerminal ? Self.width(STDOUT_FILENO) : nil }

  var errorTerminalWidth: Int? { isErrorTerminal ? Self.width(STDERR_FILENO) : nil }

  private static func width(_ descriptor: Int32) -> Int? {
    var size = winsize()
    // Unsafe because `ioctl` writes through the pointer: to `size`, of the type that TIOCGWINSZ asks for.
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  func write(_ text: String) throws(CommandFailure) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw Self.failure(ofOutput: error)
    }
  }

  func note(_ text: String) {
    // Nobody can be told that standard error is closed.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))  // see above: losing it is all there is
  }

  func readLine() -> String? { Swift.readLine() }

  func readSecret(_ prompt: String) throws(CommandFailure) -> String? {
    // If what is typed would be shown, it isn't asked for.
    guard isInputTerminal, HiddenTyping.begin() else { return nil }
    defer {
      HiddenTyping.end()
      note("\n")
    }
    note(prompt)
    var line = SecretLine()
    while let byte = try readInput(limit: 0).first {
      switch line.type(byte) {
      case .goOn: continue
      case .done(let text): return text
      case .interrupted: throw .failed(.interrupted, "Interrupted; nothing was done.")
      }
    }
    return nil
  }

  func readInput(limit: Int) throws(CommandFailure) -> [UInt8] {
    do {
      var bytes: [UInt8] = []
      while bytes.count <= limit,
        let data = try FileHandle.standardInput.read(upToCount: min(1 << 16, limit + 1 - bytes.count)),
        !data.isEmpty
      {
        bytes += data
      }
      return bytes
    } catch {
      throw .failed(
        .inputOutput, "Reading standard input failed: \(InputFile.reason(error)). Give a file instead.")
    }
  }

  private static func failure(ofOutput error: any Error) -> CommandFailure {
    if InputFile.posixCode(error) == EPIPE { return .outputClosed }
    return .failed(
      .inputOutput, "Writing to standard output failed: \(InputFile.reason(error)). Check where it goes.")
  }
}
