import CatalogDomain
import CatalogRemotes
import Foundation
import TestServer
import Testing

/// What a large catalog costs; run it alone, because the figure is the whole process's.
@Suite(.timeLimit(.minutes(5)))
struct HTTPMemoryTests {
  private actor Counter: FetchSink {
    private(set) var count = 0

    func begin(_ head: FetchHead) async throws(CatalogError) {}

    func accept(_ page: FetchPage) async throws(CatalogError) { count += page.entries.count }
  }

  private static let megabytes = ProcessInfo.processInfo.environment["CATALOG_MEMORY_MB"].flatMap(Int.init)

  @Test(.enabled(if: megabytes != nil))
  func `a large catalog over HTTP costs no more than 64 MB of memory`() async throws {
    let megabytes = try #require(Self.megabytes)
    let padding = String(repeating: "x", count: 950)
    let line = Array("{\"id\":1,\"title\":\"A book\",\"padding\":\"\(padding)\"}\n".utf8)
    let block = Array(repeatElement(line, count: 1024).joined())
    let count = megabytes * 1_000_000 / block.count
    let steps = [[LoopbackServer.Step].head(200, []), .flood(block, count: count)]
    try await LoopbackServer.run({ _ in steps }) { server in
      let before = try Self.peakInKilobytes()
      let sink = Counter()
      let conclusion = try await HTTPCatalog(server.url("/")).fetch(FetchRequest(account: "ada"), into: sink)
      guard case .complete = conclusion else {
        Issue.record("\(conclusion)")
        return
      }
      #expect(await sink.count == count * 1024)
      let added = try Self.peakInKilobytes() - before
      print("\(megabytes) MB cost \(added) kB at the peak")
      #expect(added < 64 * 1024)
    }
  }

  private static func peakInKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}
