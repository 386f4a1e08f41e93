import CatalogDomain
import CatalogRemotes
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server of the system's, as a process of our own on a free port of the loopback interface.
final class RealServer {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let port: Int
  private let process: Process
  private let ended = DispatchSemaphore(value: 0)

  /// Whether a missing server is a failure, and no reason to skip.
  static let isDemanded = ProcessInfo.processInfo.environment["CATALOG_CI_REAL"] == "1"

  /// Where a program of the system's is; nil if it isn't installed.
  static func program(_ name: String) -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return (folders + ["/usr/sbin"]).map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Whether the suites of a server run.
  static func isUsable(_ name: String) -> Bool { isDemanded || program(name) != nil }

  /// An address on the server.
  func url(_ target: String) throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(target)") else {
      throw Failure(description: "'\(target)' is no address.")
    }
    return url
  }

  /// Starts a program, and returns when it takes connections.
  ///
  /// - Parameter arguments: Makes the arguments for a port.
  init(
    _ name: String, environment: [String: String] = [:], log: URL, arguments: (Int) throws -> [String]
  ) async throws {
    port = try Self.freePort()
    process = try Self.process(name, try arguments(port), environment)
    try Data().write(to: log)
    let file = try FileHandle(forWritingTo: log)
    process.standardOutput = file
    process.standardError = file
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.run()
    let transport = URLSessionTransport()
    let began = ContinuousClock().now
    while process.isRunning, ContinuousClock().now - began < .seconds(60) {
      do throws(CatalogError) {
        _ = try await transport.send(HTTPRequest(try here(), deadline: .seconds(30), byteLimit: 1 << 24))
        return
      } catch {
        // It isn't up yet; nothing else tells when it is.
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    stop()
    throw Failure(
      description: "\(name) didn't start: \(String(decoding: try Data(contentsOf: log), as: UTF8.self))")
  }

  private func here() throws(CatalogError) -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)/") else {
      throw CatalogError(.badResponse, "no address")
    }
    return url
  }

  deinit {
    stop()
  }

  /// Ends the process, by its own number, and waits for that.
  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    // A process begun on one of Dispatch's threads may have inherited a mask that keeps the signal from it.
    if ended.wait(timeout: .now() + 3) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
  }

  /// Runs a program to its end, and returns what it wrote.
  @discardableResult
  static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Data {
    let process = try process(name, arguments, environment)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(name) \(arguments.first ?? "") ended with \(process.terminationStatus).")
    }
    return data
  }

  private static func process(
    _ name: String, _ arguments: [String], _ environment: [String: String]
  ) throws -> Process {
    guard let program = program(name) else { throw Failure(description: "\(name) isn't installed.") }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    return process
  }

  static func freePort() throws -> Int {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Unsafe because C takes addresses by pointer; they are to local values, which outlive the calls.
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

/// A folder that goes away with its owner.
final class ServerFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A folder left behind in the temporary folder does no harm.
    try? FileManager.default.removeItem(at: url)  // see above: nothing depends on it
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  @discardableResult
  func file(_ name: String, _ text: String) throws -> String {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }
}
