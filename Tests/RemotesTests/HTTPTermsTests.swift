import CatalogDomain
import CatalogRemotes
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// A catalog that comes in several documents may be kept and shown on the strictest terms of all of them.
@Suite(.timeLimit(.minutes(5)))
struct HTTPTermsTests {
  private static let generous = HTTPField("Cache-Control", "max-age=3600, stale-if-error=600")
  private static let strict = HTTPField("Cache-Control", "max-age=5, must-revalidate, stale-if-error=9")

  private static func feed(_ ids: [String], links: String = "") -> String {
    OPDSWriter.feed(
      ids.map { OPDSWriter.item(CatalogEntry(identifier: .text($0), title: "Book \($0)"), .one) }, .one,
      links: links)
  }

  /// The directives and the age at receipt that a cache holds after it was refreshed from a server.
  private func held(
    _ remote: some CatalogFetching
  ) async throws -> (directives: ServerFreshness?, initialAge: Duration?, outcome: RefreshOutcome) {
    try await TemporaryFolder.with { folder in
      let cache = try CatalogCache(path: folder.url.appendingPathComponent("cache.sqlite").path)
      let catalog = try cache.catalog(for: "ada", remote: remote)
      let outcome = try await catalog.refresh()
      let stamp = try cache.inspect().catalogs.first?.stamp
      try cache.close()
      return (stamp?.directives, stamp?.initialAge, outcome)
    }
  }

  @Test func `the terms of a later page hold for the whole`() async throws {
    let url = try #require(URL(string: "https://books.example/1"))
    let expected = ServerFreshness(
      lifetime: .seconds(5), staleIfError: .seconds(9), mustRevalidate: true)
    let plain = ScriptedTransport { request, _ in
      request.url.path == "/2"
        ? (200, [Self.strict, HTTPField("Age", "3")], "[{\"id\":2,\"title\":\"b\"}]")
        : (200, [Self.generous, HTTPField("Link", "</2>; rel=next")], "[{\"id\":1,\"title\":\"a\"}]")
    }
    let opds = ScriptedTransport { request, _ in
      request.url.path == "/2"
        ? (200, [Self.strict, HTTPField("Age", "3")], Self.feed(["2"]))
        : (200, [Self.generous], Self.feed(["1"], links: "<link rel=\"next\" href=\"/2\"/>"))
    }
    for remote in [
      HTTPCatalog(url, transport: plain) as any CatalogFetching, OPDSCatalog(url, transport: opds),
    ] {
      let (directives, initialAge, _) = try await held(remote)
      #expect(directives == expected)
      #expect(try #require(initialAge) >= .seconds(3))
    }
  }

  @Test func `the terms of the loans hold for the whole`() async throws {
    let url = try #require(URL(string: "https://books.example/1"))
    let mine = try HTTPCredentials.bearer(token: "t", for: "ada", at: url)
    let feed = Self.feed(["1"], links: "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>")
    let script = ScriptedTransport { request, _ in
      request.url.path == "/shelf" ? (200, [Self.strict], Self.feed(["2"])) : (200, [Self.generous], feed)
    }
    let (directives, _, _) = try await held(OPDSCatalog(url, credentials: [mine], transport: script))
    #expect(directives?.lifetime == .seconds(5))
    #expect(directives?.mustRevalidate == true)
  }

  @Test func `the terms of a feed that only leads on, and of every feed it leads to, hold for the whole`()
    async throws
  {
    let url = try #require(URL(string: "https://books.example/1"))
    let ways = ["/a", "/b"].map {
      "<entry><id>\($0)</id><title>T</title><link href=\"\($0)\" type=\"application/atom+xml\"/></entry>"
    }
    for strict in ["/1", "/a", "/b"] {
      for term in [Self.strict, HTTPField("Cache-Control", "no-store")] {
        let script = ScriptedTransport { request, _ in
          let field = request.url.path == strict ? term : Self.generous
          let body = request.url.path == "/1" ? OPDSWriter.feed(ways, .one) : Self.feed([request.url.path])
          return (200, [field], body)
        }
        let (directives, _, outcome) = try await held(OPDSCatalog(url, transport: script))
        if term == Self.strict {
          #expect(directives?.lifetime == .seconds(5), "\(strict)")
        } else if case .notStored = outcome {
        } else {
          Issue.record("\(strict): \(outcome)")
        }
      }
    }
  }

  @Test func `loans that may not be stored aren't stored`() async throws {
    let url = try #require(URL(string: "https://books.example/1"))
    let mine = try HTTPCredentials.bearer(token: "t", for: "ada", at: url)
    let feed = Self.feed(["1"], links: "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>")
    for page in [1, 2] {
      let script = ScriptedTransport { request, _ in
        let noStore = [HTTPField("Cache-Control", "no-store")]
        switch request.url.path {
        case "/shelf":
          return (
            200, page == 1 ? noStore : [], Self.feed(["2"], links: "<link rel=\"next\" href=\"/more\"/>")
          )
        case "/more": return (200, noStore, Self.feed(["3"]))
        default: return (200, [], feed)
        }
      }
      let (_, _, outcome) = try await held(OPDSCatalog(url, credentials: [mine], transport: script))
      guard case .notStored = outcome else {
        Issue.record("page \(page): \(outcome)")
        continue
      }
    }
  }
}
