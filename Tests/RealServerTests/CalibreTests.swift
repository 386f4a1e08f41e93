import CatalogDomain
import CatalogRemotes
import CatalogRepository
import Foundation
import Testing

/// Against calibre's content server, if it is installed.
@Suite(
  .enabled(if: RealServer.isUsable("calibre-server"), "calibre isn't installed, and CATALOG_CI_REAL isn't 1"),
  .serialized, .timeLimit(.minutes(10)))
struct CalibreTests {
  /// Titles that break things, and enough others for several pages of 30.
  private static let titles =
    [
      "Cafe\u{301}", "Café", "A & B <c> \"d\"", "100% _x_ + /", "Война и мир", "שלום", "東京", "İstanbul",
      "ΟΔΟΣ", "e\u{301}\u{308}", "👩‍👩‍👧", "a\u{202E}b", "&amp;", "]]>", "Sea: a tale", "Title, The",
    ] + (1...50).map { "Book \($0)" }

  private let folder: ServerFolder
  private let environment: [String: String]
  private var library: String { folder.path("lib") }

  init() throws {
    folder = try ServerFolder()
    environment = [
      "CALIBRE_CONFIG_DIRECTORY": folder.path("config"), "QT_QPA_PLATFORM": "offscreen",
      "XDG_RUNTIME_DIR": folder.url.path, "CALIBRE_NO_SI_DANGER_DANGER": "1",
    ]
    let titles = String(decoding: try JSONEncoder().encode(Self.titles), as: UTF8.self)
    try folder.file("titles.json", titles)
    let script = try folder.file(
      "fill.py",
      """
      import io, json
      from calibre.library import db
      from calibre.ebooks.metadata.book.base import Metadata
      cache = db(\(Self.python(library))).new_api
      for title in json.load(open(\(Self.python(folder.path("titles.json"))), encoding='utf-8')):
          book = cache.create_book_entry(Metadata(title, ['A. Author']), add_duplicates=True)
          cache.add_format(book, 'TXT', io.BytesIO(b'text'))
      """)
    try RealServer.run("calibre-debug", ["-e", script], environment: environment)
  }

  private static func python(_ text: String) -> String { "'\(text)'" }

  private func server(_ options: [String] = []) async throws -> RealServer {
    let log = folder.url.appendingPathComponent("server.log")
    return try await RealServer("calibre-server", environment: environment, log: log) { port in
      [
        "--listen-on", "127.0.0.1", "--port", "\(port)", "--disable-use-bonjour", "--enable-local-write",
      ] + options + [library]
    }
  }

  /// What calibre itself says that it holds.
  private func held(_ place: String) throws -> [String] {
    struct Row: Decodable {
      var title: String
    }
    let data = try RealServer.run(
      "calibredb", ["list", "--fields", "title", "--for-machine", "--with-library", place],
      environment: environment)
    return try JSONDecoder().decode([Row].self, from: data).map(\.title)
  }

  private func catalog(
    _ server: RealServer, _ account: AccountID = "ada", credentials: [HTTPCredentials] = [],
    target: String = "/opds"
  ) throws -> CachedCatalog {
    let cache = try CatalogCache(path: folder.path("cache.sqlite"))
    return try cache.catalog(
      for: account, remote: ServerCatalog(try server.url(target), credentials: credentials))
  }

  private func summary(_ outcome: RefreshOutcome) -> RefreshSummary? {
    if case .updated(let summary) = outcome { summary } else { nil }
  }

  private func same(_ left: [String], _ right: [String]) -> Bool {
    // By bytes: that Swift takes two spellings for one would hide a title that was changed on the way.
    left.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
      == right.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test func `the cache holds what calibre holds, title by title, through changes and its end`() async throws
  {
    let server = try await server()
    let place = try server.url("/#lib").absoluteString
    let catalog = try catalog(server)
    let first = try #require(summary(try await catalog.refresh()))
    #expect(first.added == Self.titles.count)
    #expect(first.isComplete, "\(first.partialReason ?? "")")
    #expect(same(try catalog.books().map(\.title), try held(place)))
    print("calibre: \(try catalog.books().count) books, as calibre's own list has them")

    guard case .notModified = try await catalog.refresh() else {
      Issue.record("The same books again are no change.")
      return
    }

    let write = ["--with-library", place]
    try RealServer.run(
      "calibredb", ["add", "--empty", "--title", "Added later", "--authors", "B"] + write,
      environment: environment)
    try RealServer.run(
      "calibredb", ["set_metadata", "--field", "title:Sea: changed", "15"] + write, environment: environment)
    try RealServer.run("calibredb", ["remove", "20"] + write, environment: environment)
    let second = try #require(summary(try await catalog.refresh()))
    #expect(second.added == 1 && second.changed == 1 && second.removed == 1)
    #expect(same(try catalog.books().map(\.title), try held(place)))

    let search = OPDSSearch(try server.url("/opds"), account: "ada")
    #expect(try await search.hits(for: "changed").map(\.title) == ["Sea: changed"])
    // What means something in an address arrives as what was typed.
    #expect(try await search.hits(for: "100% _x_").contains { $0.title == "100% _x_ + /" })
    #expect(try await search.hits(for: "nothing is called this").isEmpty)
    let books = try await search.books(matching: "Café", ids: catalog.ids)
    #expect(!books.isEmpty)
    #expect(try books.allSatisfy { book in try catalog.entry(id: book.id)?.title == book.title })

    server.stop()
    let failure = await #expect(throws: CatalogError.self) { try await catalog.refresh() }
    #expect(failure?.code == .offline)
    #expect(try catalog.books().count == Self.titles.count)
    #expect(catalog.status().lastFailure?.code == .offline)
    let outage = await #expect(throws: CatalogError.self) { try await search.hits(for: "sea") }
    #expect(outage?.code == .offline)
  }

  @Test(arguments: ["basic", "digest"])
  func `a password is taken, refused, or of a scheme that can't be done, as the server asks`(
    mode: String
  ) async throws {
    let users = folder.path("users.sqlite")
    try RealServer.run(
      "calibre-server", ["--userdb", users, "--manage-users", "--", "add", "alice", "pass word"],
      environment: environment)
    let server = try await server([
      "--enable-auth", "--auth-mode", mode, "--userdb", users, "--ban-after", "50",
    ])
    func code(_ password: String?) async throws -> CatalogError? {
      let origin = try server.url("/")
      let credentials = try password.map {
        [try HTTPCredentials.basic(user: "alice", password: $0, for: "ada", at: origin)]
      }
      let catalog = try catalog(server, credentials: credentials ?? [])
      do throws(CatalogError) {
        _ = try await catalog.refresh()
        return nil
      } catch {
        #expect(!"\(error)".contains("pass word"))
        return error
      }
    }
    if mode == "basic" {
      #expect(try await code(nil)?.code == .unauthorized)
      #expect(try await code("wrong")?.code == .unauthorized)
      #expect(try await code("pass word") == nil)
    } else {
      let anonymous = try await code(nil)
      #expect(anonymous?.code == .unauthorized)
      #expect(anonymous?.message.contains("'digest'") == true)
      // Basic sent to it is answered with a 400, and only a stranger is told what it wants.
      let refused = try await code("pass word")
      #expect(refused?.code == .unauthorized)
      #expect(refused?.message.contains("'digest'") == true)
    }
  }
}
