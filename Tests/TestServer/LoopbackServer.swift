package import CatalogDomain
package import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A small HTTP server on 127.0.0.1 that does what real ones do and shouldn't: it can stall, drip, break off,
/// lie about its length and reset.
///
/// One request a connection. Unchecked because what changes is touched on its serial queue only.
package final class LoopbackServer: @unchecked Sendable {
  /// A request as it came.
  package struct Request: Sendable {
    package var target: String
    package var fields: [HTTPField]

    package var path: String { String(target.prefix { $0 != "?" }) }

    package func value(_ name: String) -> String? { fields.values(of: name).first }
  }

  /// One step of an answer.
  package enum Step: Sendable {
    case send([UInt8])
    /// Bytes, over and over, until nobody listens any more or the count is reached.
    case flood([UInt8], count: Int)
    /// One byte at a time with a pause between.
    case drip([UInt8], milliseconds: UInt32)
    /// Nothing more until the server is stopped.
    case stall
    /// The connection is torn down instead of closed.
    case reset
  }

  package typealias Handler = @Sendable (Request) -> [Step]

  package let port: Int
  private let listener: Int32
  private let handler: Handler
  private let queue = DispatchQueue(label: "LoopbackServer")
  private var log: [Request] = []
  private var open: Set<Int32> = []
  private var isStopped = false
  private let released = DispatchSemaphore(value: 0)
  private let stalls: AsyncStream<Void>
  private let stalled: AsyncStream<Void>.Continuation

  /// Runs a server while `body` runs.
  package static func run(
    _ handler: @escaping Handler, _ body: (LoopbackServer) async throws -> Void
  ) async throws {
    let server = try LoopbackServer(handler)
    defer { server.stop() }
    try await body(server)
  }

  private init(_ handler: @escaping Handler) throws {
    self.handler = handler
    (stalls, stalled) = AsyncStream<Void>.makeStream()
    let listener = socket(AF_INET, Self.stream, 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Unsafe because C takes addresses by pointer; they are to local values, which outlive the calls.
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard listener >= 0, isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [weak self, listener] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else {
          // Closed here alone: a number that is closed elsewhere may be another server's by now.
          if connection >= 0 { close(connection) }
          close(listener)
          return
        }
        Thread.detachNewThread { self.serve(connection) }
      }
    }
  }

  /// An address on this server.
  package func url(_ target: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)\(target)") ?? URL(fileURLWithPath: "/no/such/address")
  }

  /// The requests so far, in the order of their arrival.
  package var requests: [Request] { queue.sync { log } }

  /// Returns once an answer has come to its `.stall`.
  package func untilStalled() async {
    for await _ in stalls { return }
  }

  /// Closes everything.
  package func stop() {
    queue.sync {
      isStopped = true
      shutdown(listener, Int32(SHUT_RDWR))
      for connection in open {
        shutdown(connection, Int32(SHUT_RDWR))
        released.signal()
      }
    }
    stalled.finish()
  }

  private func serve(_ connection: Int32) {
    let isWanted = queue.sync {
      if !isStopped { open.insert(connection) }
      return !isStopped
    }
    defer {
      queue.sync { _ = open.remove(connection) }
      close(connection)
    }
    guard isWanted, let request = Self.read(connection) else { return }
    queue.sync { log.append(request) }
    for step in handler(request) {
      switch step {
      case .send(let bytes):
        guard Self.write(bytes, to: connection) else { return }
      case .flood(let bytes, let count):
        for _ in 0..<count {
          guard Self.write(bytes, to: connection) else { return }
        }
      case .drip(let bytes, let milliseconds):
        for byte in bytes {
          guard Self.write([byte], to: connection) else { return }
          usleep(milliseconds * 1000)
        }
      case .stall:
        stalled.yield()
        released.wait()
        return
      case .reset:
        var option = linger(l_onoff: 1, l_linger: 0)
        // Unsafe because C takes a pointer; it is to a local value.
        unsafe setsockopt(
          connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        return
      }
    }
    // Half closed first, so that what was sent isn't lost to a reset.
    shutdown(connection, Int32(SHUT_WR))
    var rest = [UInt8](repeating: 0, count: 1024)
    while unsafe recv(connection, &rest, rest.count, 0) > 0 {}
  }

  private static func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !bytes.hasSuffix([13, 10, 13, 10]) {
      // Unsafe because C takes a pointer; the array outlives the call.
      let count = unsafe recv(connection, &buffer, buffer.count, 0)
      guard count > 0, bytes.count < 1 << 20 else { return nil }
      bytes += buffer[..<count]
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3, lines.count == 2 else { return nil }
    return Request(target: String(words[1]), fields: HTTPField.fields(ofHead: String(lines[1])))
  }

  private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      // Unsafe because C takes a pointer; the slice outlives the call.
      let count = unsafe bytes[sent...].withUnsafeBytes {
        unsafe send(connection, $0.baseAddress, $0.count, noSignal)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let noSignal = Int32(MSG_NOSIGNAL)
  #else
    private static let stream = SOCK_STREAM
    private static let noSignal: Int32 = 0
  #endif
}

extension [UInt8] {
  fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
    count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
  }
}

extension [LoopbackServer.Step] {
  /// A whole answer.
  package static func answer(
    _ status: Int = 200, _ fields: [String] = [], _ body: String = "", type: String? = nil
  ) -> [LoopbackServer.Step] {
    answer(status, fields, Array<UInt8>(body.utf8), type: type)
  }

  package static func answer(
    _ status: Int, _ fields: [String], _ body: [UInt8], type: String? = nil
  ) -> [LoopbackServer.Step] {
    let all = fields + (type.map { ["Content-Type: \($0)"] } ?? []) + ["Content-Length: \(body.count)"]
    return [head(status, all), .send(body)]
  }

  package static func head(_ status: Int, _ fields: [String]) -> LoopbackServer.Step {
    let lines = ["HTTP/1.1 \(status) Said"] + fields + ["Connection: close", "", ""]
    return .send(Array<UInt8>(lines.joined(separator: "\r\n").utf8))
  }
}
