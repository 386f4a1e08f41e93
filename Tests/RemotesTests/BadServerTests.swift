import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogRepository
import CatalogTesting
import Foundation
import TestServer
import Testing

/// What a server can do to a reader: each is an error of a kind that is known, and what was held is as it was.
@Suite(.timeLimit(.minutes(5)))
struct BadServerTests {
  private typealias Step = LoopbackServer.Step

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var code: CatalogError.Code
    var steps: @Sendable (LoopbackServer.Request) -> [LoopbackServer.Step]

    init(
      _ name: String, _ code: CatalogError.Code,
      _ steps: @escaping @Sendable (LoopbackServer.Request) -> [LoopbackServer.Step]
    ) {
      (self.name, self.code, self.steps) = (name, code, steps)
    }

    var testDescription: String { name }
  }

  private static let books = "[{\"id\":1,\"title\":\"one\"},{\"id\":2,\"title\":\"two\"}]"
  private static let page = "<!DOCTYPE html><html><body>Sign in</body></html>"
  private static let deep =
    "[{\"id\":9,\"title\":\"t\",\"x\":" + String(repeating: "[", count: 10_000)
    + String(repeating: "]", count: 10_000) + "}]"

  static let cases: [Case] = [
    Case("reset", .offline) { _ in [.reset] },
    Case("closed without an answer", .offline) { _ in [] },
    Case("silence", .timedOut) { _ in [.stall] },
    Case("silence within the body", .timedOut) { _ in
      [[Step].head(200, ["Content-Length: 100"]), .send(Array("[{".utf8)), .stall]
    },
    Case("a drip", .timedOut) { _ in
      [[Step].head(200, []), .drip(Array(repeating: 0x20, count: 1 << 16), milliseconds: 20)]
    },
    Case("cut off", .offline) { _ in
      [[Step].head(200, ["Content-Length: \(books.utf8.count)"]), .send(Array(books.utf8.prefix(30)))]
    },
    Case("cut off within a chunk", .offline) { _ in
      [[Step].head(200, ["Transfer-Encoding: chunked"]), .send(Array("40\r\n[{\"id\":1".utf8)), .reset]
    },
    Case("shorter than it says", .badResponse) { _ in
      [[Step].head(200, ["Content-Length: 30"]), .send(Array(books.utf8))]
    },
    Case("cut off without a length", .badResponse) { _ in
      [[Step].head(200, []), .send(Array(books.utf8.prefix(30)))]
    },
    Case("no HTTP", .badResponse) { _ in [.send(Array("220 mail.example ready\r\n".utf8))] },
    Case("HTML", .badResponse) { _ in .answer(200, ["Content-Type: text/html"], page) },
    Case("HTML as JSON", .badResponse) { _ in .answer(200, ["Content-Type: application/json"], page) },
    Case("the feed of a blog", .badResponse) { _ in
      .answer(
        200, ["Content-Type: application/atom+xml"],
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>b</id><entry><id>p</id><title>A post</title><link href=\"/p\"/></entry></feed>"
      )
    },
    Case("a page to sign in at", .badResponse) { request in
      request.path == "/" ? .answer(302, ["Location: /login"]) : .answer(200, [], page)
    },
    Case("401 Basic", .unauthorized) { _ in .answer(401, ["WWW-Authenticate: Basic realm=\"x\""]) },
    Case("401 Digest", .unauthorized) { _ in
      .answer(401, ["WWW-Authenticate: Digest realm=\"x\", nonce=\"n\""])
    },
    Case("403", .forbidden) { _ in .answer(403) },
    Case("404", .notFound) { _ in .answer(404) },
    Case("410", .gone) { _ in .answer(410) },
    Case("429", .throttled) { _ in .answer(429, ["Retry-After: 100"]) },
    Case("500", .serverError) { _ in .answer(500) },
    Case("503", .serverError) { _ in .answer(503, ["Retry-After: 100"]) },
    Case("204", .badResponse) { _ in .answer(204) },
    Case("206", .badResponse) { _ in .answer(206, ["Content-Range: bytes 0-9/100"], "[{\"id\":1,") },
    Case("304 to what wasn't asked", .badResponse) { _ in [[Step].head(304, [])] },
    Case("a circle", .badResponse) { request in
      .answer(302, ["Location: \(request.path == "/" ? "/a" : "/")"])
    },
    Case("a redirect without end", .badResponse) { request in
      .answer(302, ["Location: \(request.path)a"])
    },
    Case("a redirect to a file", .badResponse) { _ in .answer(302, ["Location: file:///etc/passwd"]) },
    Case("a redirect to nowhere", .badResponse) { _ in .answer(302) },
    Case("a redirect to a name that isn't one", .offline) { _ in
      .answer(302, ["Location: http://no-such-host.invalid/"])
    },
    Case("too large", .tooLarge) { _ in
      [[Step].head(200, []), .flood(Array(repeating: 0x20, count: 1 << 16), count: 1 << 20)]
    },
    Case("ten thousand levels", .badResponse) { _ in .answer(200, [], deep) },
    Case("not one book", .badResponse) { _ in .answer(200, [], "[{\"title\":\"nameless\"}]") },
    Case("a scalar", .badResponse) { _ in .answer(200, [], "7") },
    Case("nothing", .badResponse) { _ in .answer(200, [], "") },
  ]

  /// A cache that holds two books, and a way to try to refresh it from elsewhere.
  private func attempt(
    at url: URL, limits: DocumentLimits = Self.limits
  ) async throws -> (code: CatalogError.Code?, before: [BookSummary], after: [BookSummary]) {
    try await TemporaryFolder.with { folder in
      let cache = try CatalogCache(path: folder.url.appendingPathComponent("cache.sqlite").path)
      let good = ScriptedRemote { _ in }
      var lent = CatalogEntry(identifier: .number(2), title: "two")
      lent.isBorrowed = true
      good.script(.entries([CatalogEntry(identifier: .number(1), title: "one"), lent]))
      let before = try await cache.catalog(for: "ada", remote: good).load()
      var options = HTTPOptions()
      options.retries = 0
      options.deadline = .milliseconds(700)
      let catalog = try cache.catalog(
        for: "ada", remote: ServerCatalog(url, limits: limits, options: options))
      var code: CatalogError.Code?
      do throws(CatalogError) { try await catalog.refresh() } catch { code = error.code }
      let after = try catalog.snapshot()
      #expect(after.status.lastFailure?.code == code)
      #expect(after.status.savedAt == before.status.savedAt)
      #expect(try cache.verify(.full).problems.isEmpty)
      try cache.close()
      return (code, before.books, after.books)
    }
  }

  private static var limits: DocumentLimits {
    var limits = DocumentLimits()
    limits.bytes = 4 << 20
    return limits
  }

  @Test(arguments: cases)
  func `whatever a server does, what was held is as it was, and the failure has a name`(
    expected: Case
  ) async throws {
    try await LoopbackServer.run(expected.steps) { server in
      let (code, before, after) = try await attempt(at: server.url("/"))
      #expect(code == expected.code)
      #expect(after == before)
    }
  }

  @Test func `no server, no name and a bomb are no worse`() async throws {
    var closed: URL?
    try await LoopbackServer.run({ _ in [] }) { closed = $0.url("/") }
    let nameless = try #require(URL(string: "http://no-such-host.invalid/"))
    for url in [try #require(closed), nameless] {
      let (code, before, after) = try await attempt(at: url)
      #expect(code == .offline)
      #expect(after == before)
    }
    let bomb = try URLSessionTransportTests.gzip(blanks: 64 << 20)
    try await LoopbackServer.run({ _ in .answer(200, ["Content-Encoding: gzip"], bomb) }) { server in
      let (code, before, after) = try await attempt(at: server.url("/"))
      #expect(code == .tooLarge)
      #expect(after == before)
    }
  }

  @Test
  func `a password that is refused until it is banned is shown once by each refresh, and the ban has a name`()
    async throws
  {
    let answers = Counter()
    try await LoopbackServer.run({ _ in
      answers.next() < 2 ? .answer(401, ["WWW-Authenticate: Basic realm=\"x\""]) : .answer(403)
    }) { server in
      let wrong = try HTTPCredentials.basic(user: "a", password: "b", for: "ada", at: server.url("/"))
      for code in [CatalogError.Code.unauthorized, .unauthorized, .forbidden, .forbidden] {
        let error = await #expect(throws: CatalogError.self) {
          try await fetch(ServerCatalog(server.url("/"), credentials: [wrong]))
        }
        #expect(error?.code == code)
      }
      #expect(server.requests.count == 4)
    }
  }

  @Test func `two feeds with one id are two feeds, and a book of both is one book`() async throws {
    func feed(_ ids: [String]) -> String {
      OPDSWriter.feed(
        ids.map { OPDSWriter.item(CatalogEntry(identifier: .text($0), title: "Book \($0)"), .one) }, .one)
    }
    let ways = ["/a", "/b"].map {
      "<entry><id>\($0)</id><title>T</title><link href=\"\($0)\" type=\"application/atom+xml\"/></entry>"
    }
    let answers = ["/": OPDSWriter.feed(ways, .one), "/a": feed(["1", "2"]), "/b": feed(["2", "3"])]
    #expect(answers.values.allSatisfy { $0.contains("urn:feed") })
    try await LoopbackServer.run({ .answer(200, [], answers[$0.path] ?? "") }) { server in
      let got = try await fetch(ServerCatalog(server.url("/")))
      #expect(got.entries.map(\.title) == ["Book 1", "Book 2", "Book 3"])
    }
  }

  @Test func `the same bytes again cost no row, and other bytes with the same books none either`()
    async throws
  {
    let count = Counter()
    try await LoopbackServer.run({ _ in
      // The third answer says the same in other words, as a server does that writes the time into its feed.
      .answer(200, ["ETag: \"\(count.next())\""], count.value < 3 ? Self.books : "\n" + Self.books + " ")
    }) { server in
      try await TemporaryFolder.with { folder in
        let cache = try CatalogCache(path: folder.url.appendingPathComponent("cache.sqlite").path)
        let catalog = try cache.catalog(for: "ada", remote: ServerCatalog(server.url("/")))
        guard case .updated = try await catalog.refresh() else {
          Issue.record("The first answer is new.")
          return
        }
        for _ in 0..<2 {
          guard case .notModified = try await catalog.refresh() else {
            Issue.record("The books are the same.")
            continue
          }
        }
        #expect(server.requests.map { $0.value("If-None-Match") } == [nil, "\"0\"", "\"1\""])
        try cache.close()
      }
    }
  }
}

/// Counts from zero, whoever asks.
private final class Counter: @unchecked Sendable {
  // Unchecked because the lock guards the number.
  private let lock = NSLock()
  private var number = 0

  var value: Int { lock.withLock { number } }

  func next() -> Int {
    lock.withLock {
      defer { number += 1 }
      return number
    }
  }
}
