import CatalogDomain
import CatalogRemotes
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// When "not modified" may be believed, and what it changes.
@Suite(.timeLimit(.minutes(5)))
struct HTTPConfirmationTests {
  private static let one = "[{\"id\":1,\"title\":\"first\"}]"
  private static let monday = "Mon, 07 Nov 1994 08:49:37 GMT"
  private static let sunday = "Sun, 06 Nov 1994 08:49:37 GMT"

  /// A server that has one document, and says "not modified" with these fields to whoever holds anything.
  private func server(
    _ confirmation: [HTTPField], first: [HTTPField] = [HTTPField("ETag", "\"a\"")]
  ) -> ScriptedTransport {
    ScriptedTransport { request, _ in
      let isConditional = ["If-None-Match", "If-Modified-Since"].contains {
        !request.fields.values(of: $0).isEmpty
      }
      return isConditional ? (304, confirmation, "") : (200, first, Self.one)
    }
  }

  private func isBelieved(_ confirmation: [HTTPField], of held: FetchValidators?) async throws -> Bool {
    let url = try #require(URL(string: "http://books.example/"))
    let got = try await fetch(HTTPCatalog(url, transport: server(confirmation)), validators: held)
    if case .notModified = got.conclusion { return true }
    #expect(got.entries.count == 1)
    return false
  }

  @Test func `a 304 that names another date than the one asked about is about something else`() async throws {
    let dated = FetchValidators(lastModified: Self.sunday)
    #expect(try await !isBelieved([HTTPField("Last-Modified", Self.monday)], of: dated))
    #expect(try await isBelieved([HTTPField("Last-Modified", Self.sunday)], of: dated))
    #expect(try await isBelieved([], of: dated))
    let two = [Self.sunday, Self.monday].map { HTTPField("Last-Modified", $0) }
    #expect(try await !isBelieved(two, of: dated))
    // A tag says more than a date, where both sides have one.
    let both = FetchValidators(entityTag: "\"a\"", lastModified: Self.sunday)
    let touched = HTTPField("Last-Modified", Self.monday)
    #expect(try await isBelieved([HTTPField("ETag", "W/\"a\""), touched], of: both))
    #expect(try await !isBelieved([touched], of: both))
  }

  @Test func `a 304 whose tags aren't one, or can't be read, is about something else`() async throws {
    let held = FetchValidators(entityTag: "\"a\"")
    #expect(
      try await !isBelieved([HTTPField("ETag", "\"a\""), HTTPField("ETag", "\"b\"")], of: held))
    #expect(try await !isBelieved([HTTPField("ETag", "b")], of: held))
    #expect(try await isBelieved([HTTPField("ETag", "\"a\""), HTTPField("ETag", "\"a\"")], of: held))
  }

  @Test func `a 304 that names a next page is asked again, since one document was held`() async throws {
    let held = FetchValidators(entityTag: "\"a\"")
    let script = ScriptedTransport { request, _ in
      let next = HTTPField("Link", "</2>; rel=next")
      if request.url.path == "/2" { return (200, [], "[{\"id\":2,\"title\":\"second\"}]") }
      return request.fields.values(of: "If-None-Match").isEmpty
        ? (200, [next], Self.one) : (304, [next, HTTPField("ETag", "\"a\"")], "")
    }
    let url = try #require(URL(string: "http://books.example/"))
    let got = try await fetch(HTTPCatalog(url, transport: script), validators: held)
    #expect(got.entries.map(\.title) == ["first", "second"])
  }

  @Test func `where a redirect leads elsewhere than it did, "not modified" is about something else`()
    async throws
  {
    for (path, title) in [("/a", "a"), ("/b", "b")] {
      let script = ScriptedTransport { request, count in
        if request.url.path == "/" { return (302, [HTTPField("Location", count == 1 ? "/a" : path)], "") }
        let tag = HTTPField("ETag", "\"1\"")
        return request.fields.values(of: "If-None-Match") == ["\"1\""]
          ? (304, [tag], "")
          : (200, [tag], "[{\"id\":1,\"title\":\"\(request.url.path.dropFirst())\"}]")
      }
      let url = try #require(URL(string: "http://books.example/"))
      let catalog = HTTPCatalog(url, transport: script)
      let held = try #require(try await fetch(catalog).heads.first?.validators)
      let got = try await fetch(catalog, validators: held)
      if title == "a" {
        guard case .notModified = got.conclusion else {
          Issue.record("The same document behind the same redirect: \(got.conclusion)")
          continue
        }
        #expect(await script.sent.count == 4)
      } else {
        #expect(got.entries.map(\.title) == ["b"])
      }
    }
  }

  @Test func `what was held without loans isn't confirmed once there are credentials for the shelf`()
    async throws
  {
    let item = OPDSWriter.item(CatalogEntry(identifier: .text("1"), title: "A"), .one)
    let feed = OPDSWriter.feed(
      [item], .one, links: "<link rel=\"http://opds-spec.org/shelf\" href=\"/shelf\"/>")
    let script = ScriptedTransport { request, _ in
      if request.url.path == "/shelf" { return (200, [], feed) }
      return request.fields.values(of: "If-None-Match").isEmpty
        ? (200, [HTTPField("ETag", "\"s\"")], feed) : (304, [HTTPField("ETag", "\"s\"")], "")
    }
    let url = try #require(URL(string: "http://books.example/"))
    let held = try #require(try await fetch(OPDSCatalog(url, transport: script)).heads.first?.validators)
    let mine = try HTTPCredentials.bearer(token: "t", for: "ada", at: url)
    for remote in [
      OPDSCatalog(url, credentials: [mine], transport: script) as any CatalogFetching,
      ServerCatalog(url, kind: .opds, credentials: [mine], transport: script),
    ] {
      let got = try await fetch(remote, validators: held)
      #expect(got.entries.map(\.isBorrowed) == [true])
    }
  }

  /// The directives that a cache holds after an answer with some fields and a "not modified" with others.
  private func directives(
    after first: [HTTPField], then confirmation: [HTTPField], heuristic: HTTPFreshness.Heuristic = .off
  ) async throws -> ServerFreshness? {
    var options = HTTPOptions()
    options.heuristic = heuristic
    let url = try #require(URL(string: "http://books.example/"))
    let tag = HTTPField("ETag", "\"a\"")
    let script = server(confirmation + [tag], first: first + [tag])
    return try await TemporaryFolder.with { folder in
      let cache = try CatalogCache(path: folder.url.appendingPathComponent("cache.sqlite").path)
      let catalog = try cache.catalog(
        for: "ada", remote: HTTPCatalog(url, options: options, transport: script))
      _ = try await catalog.refresh()
      guard case .notModified = try await catalog.refresh() else {
        Issue.record("It wasn't confirmed.")
        return nil
      }
      let held = try cache.inspect().catalogs.first?.stamp?.directives
      try cache.close()
      return held
    }
  }

  @Test func `a 304 without Cache-Control leaves what was said, and a later end doesn't prolong it`()
    async throws
  {
    let said = HTTPField("Cache-Control", "max-age=60, must-revalidate, stale-if-error=9")
    let held = ServerFreshness(lifetime: .seconds(60), staleIfError: .seconds(9), mustRevalidate: true)
    #expect(try await directives(after: [said], then: []) == held)
    let date = HTTPField("Date", Self.sunday)
    #expect(
      try await directives(after: [said], then: [date, HTTPField("Expires", Self.monday)]) == held)
    var none = held
    none.lifetime = .zero
    #expect(try await directives(after: [said], then: [HTTPField("Expires", "0")]) == none)
    // A guess isn't something that was said.
    let dated = [HTTPField("Date", Self.monday), HTTPField("Last-Modified", Self.sunday)]
    #expect(
      try await directives(after: [said], then: dated, heuristic: .tenthOfAge(cap: .seconds(5))) == held)
  }

  @Test func `a 304 with Cache-Control replaces all that was said by that field`() async throws {
    let said = HTTPField("Cache-Control", "max-age=60, must-revalidate, stale-if-error=9")
    #expect(
      try await directives(after: [said], then: [HTTPField("Cache-Control", "max-age=3600")])
        == ServerFreshness(lifetime: .seconds(3600)))
  }
}
