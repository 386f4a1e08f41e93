import Foundation
import Testing

/// A process of its own that works on a cache: the target `DurabilityWorker`, driven over its pipes.
final class Worker {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending = Data()
  /// Every line it has said so far that was read.
  private(set) var lines: [String] = []

  static var executable: URL {
    // On Linux the test's own program lies beside those of the package.
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("DurabilityWorker")
  }

  /// Starts it.
  ///
  /// - Parameters:
  ///   - path: The cache.
  ///   - steps: What it does, in order.
  ///   - prefix: A program, with arguments, that starts it, such as one that takes rights away.
  ///   - executable: The worker's program, or a copy of it.
  init(
    _ path: String, _ steps: [String], through prefix: [String] = [], executable: URL = Worker.executable
  ) throws {
    // A process that is killed leaves half a coverage profile, and one of those spoils all of them.
    let command = prefix + ["env", "LLVM_PROFILE_FILE=/dev/null", executable.path, path] + steps
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// Reads the next line; nil at the end.
  func line() -> String? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let text = String(decoding: pending[pending.startIndex..<end], as: UTF8.self)
        pending = Data(pending[pending.index(after: end)...])
        lines.append(text)
        return text
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      pending.append(more)
    }
  }

  /// Reads until a line that begins so, and returns it.
  func wait(for beginning: String) throws -> String {
    while let line = line() {
      if line.hasPrefix(beginning) { return line }
    }
    throw WorkerEnded(lines: lines)
  }

  /// Lets it go on that waits for a line.
  func goOn() throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
  }

  func killNow() {
    kill(process.processIdentifier, SIGKILL)
  }

  /// Reads to the end, and returns everything it said.
  func finish() -> [String] {
    while line() != nil {}
    process.waitUntilExit()
    return lines
  }

  /// Runs one to its end.
  static func run(_ path: String, _ steps: String...) throws -> [String] {
    try Worker(path, steps).finish()
  }
}

struct WorkerEnded: Error {
  let lines: [String]
}
