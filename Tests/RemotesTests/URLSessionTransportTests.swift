import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)))
struct URLSessionTransportTests {
  private func send(
    _ url: URL, fields: [HTTPField] = [], deadline: Duration = .seconds(60), byteLimit: Int = 1 << 20,
    idle: Duration = .seconds(60)
  ) async throws(CatalogError) -> HTTPResponse {
    try await URLSessionTransport(idleTimeout: idle)
      .send(HTTPRequest(url, fields: fields, deadline: deadline, byteLimit: byteLimit))
  }

  private func failure(
    _ steps: [LoopbackServer.Step], deadline: Duration = .seconds(60), byteLimit: Int = 1 << 20,
    idle: Duration = .seconds(60)
  ) async throws -> CatalogError? {
    var failure: CatalogError?
    try await LoopbackServer.run({ _ in steps }) { server in
      do throws(CatalogError) {
        let response = try await send(
          server.url("/x?secret=1"), deadline: deadline, byteLimit: byteLimit, idle: idle)
        _ = try await response.body.collect()
      } catch {
        failure = error
      }
    }
    #expect(failure?.message.contains("secret") != true)
    return failure
  }

  @Test func `an answer's status, fields and body come through, duplicates included`() async throws {
    let fields = ["Cache-Control: max-age=300", "Cache-Control: public, max-age=5", "ETag: \"a\""]
    try await LoopbackServer.run({ _ in .answer(203, fields, "hello") }) { server in
      let response = try await send(server.url("/"))
      #expect(response.status == 203)
      #expect(response.fields.values(of: "ETag") == ["\"a\""])
      #expect(
        response.fields.values(of: "Cache-Control").joined(separator: ", ")
          == "max-age=300, public, max-age=5")
      #expect(try await response.body.collect() == Array("hello".utf8))
    }
  }

  @Test func `nothing is asked for or sent along that wasn't said`() async throws {
    try await LoopbackServer.run({ _ in .answer(200, ["Set-Cookie: a=b; Path=/"], "x") }) { server in
      let transport = URLSessionTransport()
      for _ in 0..<2 {
        let request = HTTPRequest(
          server.url("/p?q=1"), fields: [HTTPField("If-None-Match", "W/\"a\"")], deadline: .seconds(60),
          byteLimit: 9)
        _ = try await transport.send(request).body.collect()
      }
      for request in server.requests {
        #expect(request.target == "/p?q=1")
        #expect(request.value("Accept-Encoding") == "identity")
        #expect(request.value("If-None-Match") == "W/\"a\"")
        #expect(request.value("Cookie") == nil)
        #expect(request.value("Authorization") == nil)
      }
      #expect(server.requests.count == 2)
    }
  }

  @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\"", "Bearer", "Negotiate", "Odd"])
  func `a challenge comes through as a 401, and nothing hangs`(challenge: String) async throws {
    try await LoopbackServer.run({ _ in .answer(401, ["WWW-Authenticate: \(challenge)"], "no") }) { server in
      for fields in [[], [HTTPField("Authorization", "Basic YTpi")]] {
        let response = try await send(server.url("/"), fields: fields)
        #expect(response.status == 401)
        #expect(response.fields.values(of: "WWW-Authenticate") == [challenge])
      }
      #expect(server.requests.count == 2, "A refused password isn't tried again.")
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `a redirect comes through and isn't followed`(status: Int) async throws {
    try await LoopbackServer.run({ _ in .answer(status, ["Location: /other"], "moved") }) { server in
      let response = try await send(server.url("/"))
      #expect(response.status == status)
      #expect(response.fields.values(of: "Location") == ["/other"])
      _ = try await response.body.collect()
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a 304 comes through`() async throws {
    try await LoopbackServer.run({ _ in [[LoopbackServer.Step].head(304, ["ETag: \"a\""])] }) { server in
      let response = try await send(server.url("/"), fields: [HTTPField("If-None-Match", "\"a\"")])
      #expect(response.status == 304)
      #expect(try await response.body.collect().isEmpty)
    }
  }

  @Test func `a body that drips for ever ends at the deadline`() async throws {
    let drip = [
      [LoopbackServer.Step].head(200, []), .drip(Array(repeating: 0x20, count: 10_000), milliseconds: 20),
    ]
    let error = try await failure(drip, deadline: .milliseconds(300))
    #expect(error?.code == .timedOut)
  }

  @Test func `a server that says nothing ends at the idle time-out or the deadline`() async throws {
    #expect(try await failure([.stall], deadline: .milliseconds(200))?.code == .timedOut)
    #expect(try await failure([.stall], idle: .seconds(1))?.code == .timedOut)
  }

  @Test func `a body over the limit is too large, whatever its length says`() async throws {
    let flood = LoopbackServer.Step.flood(Array(repeating: 0x20, count: 65_536), count: 200)
    #expect(try await failure([[LoopbackServer.Step].head(200, []), flood])?.code == .tooLarge)
    let lying = [LoopbackServer.Step].head(200, ["Content-Length: 99999999"])
    #expect(try await failure([lying, flood])?.code == .tooLarge)
  }

  #if canImport(FoundationNetworking)
    /// A queue that keeps the session it belongs to waiting, and with it all sessions of the process.
    ///
    /// Unchecked because the class it is made of is; what it adds is made for several threads.
    private final class Blockade: OperationQueue, @unchecked Sendable {
      let gate = DispatchSemaphore(value: 0)
      let (entered, entrance) = AsyncStream<Void>.makeStream()

      override func addOperation(_ block: @escaping @Sendable () -> Void) {
        entrance.yield()
        gate.wait()
        gate.signal()
        super.addOperation(block)
      }
    }

    private final class Listener: NSObject, URLSessionDataDelegate {}

    @Test func `a deadline holds even while something else keeps all sessions of the process busy`()
      async throws
    {
      try await LoopbackServer.run({ _ in .answer(200, [], "x") }) { server in
        let blockade = Blockade()
        let busy = URLSession(configuration: .ephemeral, delegate: Listener(), delegateQueue: blockade)
        let url = server.url("/")
        DispatchQueue.global().async { busy.dataTask(with: url).resume() }
        for await _ in blockade.entered { break }
        // So that this test ends too if the deadline doesn't hold.
        DispatchQueue.global().asyncAfter(deadline: .now() + 10) { blockade.gate.signal() }
        let failure = await #expect(throws: CatalogError.self) {
          try await send(server.url("/"), deadline: .milliseconds(200))
        }
        #expect(failure?.code == .timedOut)
        #expect(blockade.gate.wait(timeout: .now()) == .timedOut, "It ended while the others still waited.")
        blockade.gate.signal()
        busy.invalidateAndCancel()
        let response = try await send(server.url("/"))
        #expect(response.status == 200)
      }
    }
  #endif

  @Test func `a body that may not be stored has a bound of its own, since all of it may wait in memory`()
    async throws
  {
    let flood = LoopbackServer.Step.flood(Array(repeating: 0x20, count: 1 << 16), count: 513)
    let error = try await failure(
      [[LoopbackServer.Step].head(200, ["Cache-Control: no-store"]), flood], byteLimit: 1 << 30)
    #expect(error?.code == .tooLarge)
    #expect(error?.message.contains("it may not be stored") == true)
  }

  @Test func `more requests at once than the system has threads are all answered`() async throws {
    let body = [UInt8](repeating: 0x20, count: 1 << 20)
    try await LoopbackServer.run({ _ in .answer(200, [], body) }) { server in
      let counts = await withTaskGroup(of: Int?.self) { group in
        for number in 0..<200 {
          let url = server.url("/\(number)")
          group.addTask {
            // What went wrong shows in the count.
            try? await send(url, byteLimit: 1 << 20).body.collect().count  // see above
          }
        }
        return await group.reduce(into: [Int?]()) { $0.append($1) }
      }
      #expect(counts.count { $0 == 1 << 20 } == 200)
    }
  }

  @Test func `a compressed bomb is stopped at the limit`() async throws {
    // 10 MB of blanks, compressed as by a server that ignores Accept-Encoding.
    let bomb = try Self.gzip(blanks: 10 << 20)
    #expect(bomb.count < 100_000)
    let error = try await failure(.answer(200, ["Content-Encoding: gzip"], bomb))
    #expect(error?.code == .tooLarge)
  }

  @Test func `a body that breaks off is an outage`() async throws {
    let short = [[LoopbackServer.Step].head(200, ["Content-Length: 100"]), .send(Array("half".utf8))]
    #expect(try await failure(short)?.code.isOutage == true)
    #expect(try await failure(short + [.reset])?.code.isOutage == true)
    let chunked = [
      [LoopbackServer.Step].head(200, ["Transfer-Encoding: chunked"]), .send(Array("5\r\nhel".utf8)),
    ]
    #expect(try await failure(chunked)?.code.isOutage == true)
  }

  @Test(arguments: [100, 102, 103])
  func `what a server says before its answer isn't the answer`(status: Int) async throws {
    let early = Array("HTTP/1.1 \(status) Wait\r\nLink: </style.css>; rel=preload\r\n\r\n".utf8)
    try await LoopbackServer.run({ _ in [.send(early)] + .answer(200, ["ETag: \"a\""], "body") }) { server in
      let response = try await send(server.url("/"))
      #expect(response.status == 200)
      #expect(response.fields.values(of: "ETag") == ["\"a\""])
      #expect(try await response.body.collect() == Array("body".utf8))
    }
  }

  @Test func `a connection that is closed without an answer is an outage`() async throws {
    #expect(try await failure([])?.code == .offline)
  }

  #if os(Linux)
    @Test func `an answer that can't be read back from the disk is an error, and nobody waits for ever`()
      async throws
    {
      let body = [UInt8](repeating: 0x5C, count: 8 << 20)
      try await LoopbackServer.run({ _ in .answer(200, [], body) }) { server in
        let response = try await send(server.url("/"), byteLimit: 1 << 30)
        // All but what may wait in memory lies in a file when all of it has come.
        while try !Self.truncateTemporaryFile(of: 0x5C, bytes: 7 << 20) { await Task.yield() }
        let error = await #expect(throws: CatalogError.self) { try await response.body.collect() }
        #expect(error?.code == .ioError)
      }
    }

    /// Empties a file without a name that this process has open, if there is one that holds that many bytes of a
    /// kind.
    private static func truncateTemporaryFile(of byte: UInt8, bytes: Int) throws -> Bool {
      let folder = "/proc/self/fd"
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let path = "\(folder)/\(name)"
        // Descriptors come and go meanwhile; one that went isn't the one.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
          target.hasSuffix(" (deleted)"), let file = FileHandle(forUpdatingAtPath: path),
          try file.seekToEnd() >= bytes
        else { continue }
        try file.seek(toOffset: 0)
        guard try file.read(upToCount: 4096)?.allSatisfy({ $0 == byte }) == true else { continue }
        try file.truncate(atOffset: 0)
        return true
      }
      return false
    }
  #endif

  @Test func `no connection, no name and a reset are outages`() async throws {
    #expect(try await failure([.reset])?.code == .offline)
    var closed: URL?
    try await LoopbackServer.run({ _ in [] }) { closed = $0.url("/") }
    let refused = try #require(closed)
    await #expect { try await send(refused) } throws: { ($0 as? CatalogError)?.code == .offline }
    let unknown = try #require(URL(string: "http://no-such-host.invalid/?secret"))
    await #expect { try await send(unknown) } throws: {
      ($0 as? CatalogError)?.code == .offline && !"\($0)".contains("secret")
    }
  }

  @Test func `what isn't HTTP is no answer`() async throws {
    let error = try await failure([.send(Array("SSH-2.0-OpenSSH_9\r\n".utf8))])
    #expect(error?.code == .badResponse || error?.code == .offline)
  }

  @Test func `a cancelled exchange ends at once, before and within the body`() async throws {
    for steps in [[LoopbackServer.Step.stall], [[LoopbackServer.Step].head(200, []), .send([0x20]), .stall]] {
      var times: [Duration] = []
      for _ in 0..<20 { times.append(try await timeToCancel(steps)) }
      times.sort()
      // What is promised is 50 ms; on a machine that is busy with other tests only the figures can say so. A
      // cancellation that waited for anything of the exchange would take the 20 s of its time-outs.
      print("cancelled within \(times[10]) (the middle of 20), \(times[19]) at most")
      #expect(times[10] < .seconds(10))
    }
  }

  private func timeToCancel(_ steps: [LoopbackServer.Step]) async throws -> Duration {
    var time = Duration.seconds(60)
    try await LoopbackServer.run({ _ in steps }) { server in
      let url = server.url("/")
      let task = Task { () async -> CatalogError? in
        do throws(CatalogError) {
          _ = try await send(url).body.collect()
          return nil
        } catch {
          return error
        }
      }
      await server.untilStalled()
      let cancelled = ContinuousClock().now
      task.cancel()
      #expect(await task.value?.code == .cancelled)
      time = ContinuousClock().now - cancelled
    }
    return time
  }

  @Test func `a fast server and a slow reader lose no byte, by way of the disk`() async throws {
    let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let steps = [[LoopbackServer.Step].head(200, []), .flood(block, count: 320)]
    try await LoopbackServer.run({ _ in steps }) { server in
      let body = try await send(server.url("/"), byteLimit: 64 << 20).body
      var count = 0
      var isRight = true
      while let bytes = try await body.next() {
        for byte in bytes {
          isRight = isRight && byte == block[count % block.count]
          count += 1
        }
      }
      #expect(count == 320 * 65_536)
      #expect(isRight)
    }
  }

  /// A gzip file of blanks: one block of a run-length, repeated (RFC 1951, RFC 1952).
  static func gzip(blanks: Int) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "head -c \(blanks) /dev/zero | tr '\\0' ' ' | gzip -9"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return [UInt8](data)
  }
}
