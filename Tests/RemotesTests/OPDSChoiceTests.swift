import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

/// Feeds that lead to several others.
@Suite(.timeLimit(.minutes(5)))
struct OPDSChoiceTests {
  private static func feed(_ ids: [String], next: String? = nil) -> String {
    OPDSWriter.feed(
      ids.map { OPDSWriter.item(CatalogEntry(identifier: .text($0), title: "Book \($0)"), .one) }, .one,
      links: next.map { "<link rel=\"next\" href=\"\($0)\"/>" } ?? "")
  }

  private static func navigation(_ hrefs: [String]) -> String {
    OPDSWriter.feed(
      hrefs.map {
        "<entry><id>n\($0)</id><title>To \($0)</title><link href=\"\($0)\" type=\"application/atom+xml\"/></entry>"
      }, .one)
  }

  private func fetched(
    _ answers: [String: String], credentials: Bool = false
  ) async throws -> (Fetched?, CatalogError?, [String]) {
    var result: (Fetched?, CatalogError?, [String]) = (nil, nil, [])
    try await LoopbackServer.run({ request in
      answers[request.target].map { .answer(200, ["ETag: \"1\""], $0) } ?? .answer(404)
    }) { server in
      let known =
        credentials ? [try HTTPCredentials.bearer(token: "t", for: "ada", at: server.url("/"))] : []
      do throws(CatalogError) {
        result.0 = try await fetch(ServerCatalog(server.url("/"), credentials: known))
      } catch {
        result.1 = error
      }
      result.2 = server.requests.map(\.target)
    }
    return result
  }

  private func titles(_ got: Fetched?) -> [String]? { got?.entries.map(\.title) }

  private func reason(_ got: Fetched?) -> String? {
    if case .partial(let reason)? = got?.conclusion { reason } else { nil }
  }

  @Test func `feeds that hold the same books in other orders are the whole catalog, each book once`()
    async throws
  {
    let (got, _, targets) = try await fetched([
      "/": Self.navigation(["/new", "/title", "/authors", "/"]),
      "/new": Self.feed(["3", "2"], next: "/new2"), "/new2": Self.feed(["1"]),
      "/title": Self.feed(["1", "2"], next: "/title2"), "/title2": Self.feed(["3"]),
      "/authors": Self.navigation(["/a", "/b"]),
    ])
    guard case .complete? = got?.conclusion else {
      Issue.record("\(reason(got) ?? "")")
      return
    }
    #expect(titles(got) == ["Book 3", "Book 2", "Book 1"])
    #expect(targets == ["/", "/new", "/new2", "/title", "/title2", "/authors"])
    #expect(got?.heads.map(\.validators) == [nil])
  }

  @Test(arguments: [
    ["/few": feed(["1"]), "/all": feed(["1", "2"])],
    ["/few": feed(["1"]), "/all": feed(["1"], next: "/gone")],
    ["/few": feed(["1", "2"])],
  ])
  func `what isn't followed may hold more, so that nothing may be removed`(answers: [String: String])
    async throws
  {
    var answers = answers
    answers["/"] = Self.navigation(["/few", "/all", "/authors"])
    answers["/authors"] = Self.navigation(["/a", "/b"])
    let (got, _, _) = try await fetched(answers)
    #expect(reason(got)?.contains("books may be missing") == true)
    #expect(titles(got)?.first == "Book 1")
  }

  @Test func `one empty feed beside ways that weren't followed isn't an empty catalog, and two are`()
    async throws
  {
    let further = ["/authors": Self.navigation(["/a", "/b"])]
    let (one, _, _) = try await fetched(
      further.merging(["/": Self.navigation(["/new", "/authors"]), "/new": Self.feed([])]) { $1 })
    #expect(reason(one)?.contains("books may be missing") == true)
    let (two, _, _) = try await fetched(
      further.merging([
        "/": Self.navigation(["/new", "/title", "/authors"]), "/new": Self.feed([]),
        "/title": Self.feed([]),
      ]) { $1 })
    #expect(two != nil && reason(two) == nil)
  }

  @Test func `where every way leads to books, all of them together are the catalog`() async throws {
    let (got, _, _) = try await fetched([
      "/": Self.navigation(["/a", "/b"]), "/a": Self.feed(["1", "2"]), "/b": Self.feed(["2", "3"]),
    ])
    #expect(titles(got) == ["Book 1", "Book 2", "Book 3"])
    #expect(reason(got) == nil)
  }

  @Test func `a feed that can't be read leaves a partial answer`() async throws {
    let (got, _, _) = try await fetched(["/": Self.navigation(["/a", "/none"]), "/a": Self.feed(["1"])])
    #expect(reason(got)?.contains("books may be missing") == true)
  }

  @Test func `where no way leads to books, or there are too many, somebody has to choose`() async throws {
    let (_, lost, _) = try await fetched([
      "/": Self.navigation(["/a", "/b"]), "/a": Self.navigation(["/c", "/d"]),
      "/b": Self.navigation(["/e", "/f"]),
    ])
    #expect(lost?.code == .badResponse)
    #expect(lost?.message.contains("'To /a' at 'http://127.0.0.1") == true)
    let (_, many, targets) = try await fetched(["/": Self.navigation((0..<33).map { "/\($0)" })])
    #expect(many?.message.contains("33 other feeds") == true)
    #expect(targets == ["/"])
  }

  @Test func `the reader's shelf isn't one of the ways, and says what is on loan`() async throws {
    let shelf =
      "<entry><id>s</id><title>Loans</title>"
      + "<link href=\"/shelf\" rel=\"http://opds-spec.org/shelf\" type=\"application/atom+xml\"/></entry>"
    var root = Self.navigation(["/a", "/b"])
    root.insert(contentsOf: shelf, at: root.range(of: "<entry>")?.lowerBound ?? root.endIndex)
    let answers = [
      "/": root, "/a": Self.feed(["1", "2"]), "/b": Self.feed(["3"]), "/shelf": Self.feed(["3"]),
    ]
    let (got, _, _) = try await fetched(answers, credentials: true)
    #expect(got?.entries.map(\.isBorrowed) == [false, false, true])
    let (_, _, targets) = try await fetched(answers)
    #expect(targets == ["/", "/a", "/b"])
    var lost = answers
    lost["/shelf"] = nil
    let (nothing, failure, _) = try await fetched(lost, credentials: true)
    #expect(nothing == nil && failure?.code == .notFound, "Loans that can't be read haven't ended.")
  }
}
