import CatalogDomain
import CatalogRemotes
import CatalogRepository
import Foundation
import Testing

/// Against nginx, if it is installed: real validators, real redirects, and a log of what was sent.
@Suite(
  .enabled(if: RealServer.isUsable("nginx"), "nginx isn't installed, and CATALOG_CI_REAL isn't 1"),
  .serialized, .timeLimit(.minutes(5)))
struct NginxTests {
  private static let books = (1...2000).map { "{\"id\": \($0), \"title\": \"Book \($0)\"}\n" }.joined()

  private let folder: ServerFolder

  init() throws {
    folder = try ServerFolder()
    try folder.file("www/books.jsonl", Self.books)
    try FileManager.default.createDirectory(atPath: folder.path("tmp"), withIntermediateDirectories: true)
  }

  /// nginx on two ports: the second is another origin.
  private func server(other: Int) async throws -> RealServer {
    let folder = folder
    return try await RealServer("nginx", log: folder.url.appendingPathComponent("nginx.out")) { port in
      let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map { "\($0)_temp_path \(folder.path("tmp"));" }.joined(separator: "\n")
      let configuration = try folder.file(
        "nginx.conf",
        """
        worker_processes 1;
        daemon off;
        error_log \(folder.path("error.log"));
        pid \(folder.path("nginx.pid"));
        events { worker_connections 64; }
        http {
          \(temporary)
          log_format sent '$server_port $request_uri $status $http_authorization|$http_cookie';
          access_log \(folder.path("access.log")) sent;
          default_type application/octet-stream;
          server {
            listen 127.0.0.1:\(port);
            root \(folder.path("www"));
            location / { add_header Cache-Control "max-age=300, stale-if-error=60"; add_header Set-Cookie "a=b"; }
            location = /same { return 307 /books.jsonl; }
            location = /away { return 302 http://127.0.0.1:\(other)/books.jsonl; }
            location = /down { return 503; }
          }
          server { listen 127.0.0.1:\(other); root \(folder.path("www")); }
        }
        """)
      return ["-p", folder.url.path, "-c", configuration, "-e", folder.path("error.log")]
    }
  }

  /// The lines of the log about what was asked for, the first question whether it is up left out.
  private func log() throws -> [String] {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path("access.log"))), as: UTF8.self)
      .split(separator: "\n").map(String.init).filter { !$0.contains(" / ") }
  }

  @Test func `real validators are sent back, a 304 moves the stamp, and a change is seen`() async throws {
    let server = try await server(other: try RealServer.freePort())
    let cache = try CatalogCache(path: folder.path("cache.sqlite"))
    let catalog = try cache.catalog(for: "ada", remote: ServerCatalog(try server.url("/books.jsonl")))
    guard case .updated(let first) = try await catalog.refresh() else {
      Issue.record("The first answer brings books.")
      return
    }
    #expect(first.added == 2000)
    let held = try #require(try cache.inspect().catalogs.first)
    #expect(held.validators?.entityTag != nil && held.validators?.lastModified != nil)
    #expect(held.stamp?.directives.lifetime == .seconds(300))
    #expect(held.stamp?.directives.staleIfError == .seconds(60))
    guard case .notModified = try await catalog.refresh() else {
      Issue.record("nginx honours validators.")
      return
    }
    let statuses = try log().map { String($0.split(separator: " ")[2]) }
    #expect(statuses == ["200", "304"])
    #expect(try log().allSatisfy { $0.hasSuffix("-|-") }, "Nothing was sent along, cookies above all.")
    try folder.file("www/books.jsonl", Self.books + "{\"id\": 5000, \"title\": \"More\"}\n")
    guard case .updated(let changed) = try await catalog.refresh() else {
      Issue.record("Other bytes are another answer.")
      return
    }
    #expect(changed.added == 1 && changed.changed == 0 && changed.removed == 0)
  }

  @Test func `the server's log shows no account's credentials in another's request, nor at another server`()
    async throws
  {
    let other = try RealServer.freePort()
    let server = try await server(other: other)
    let origin = try server.url("/")
    let credentials = [
      try HTTPCredentials.bearer(token: "of-ada", for: "ada", at: origin),
      try HTTPCredentials.basic(user: "bob", password: "x", for: "bob", at: origin),
    ]
    let cache = try CatalogCache(path: folder.path("cache.sqlite"))
    var options = HTTPOptions()
    options.firstWait = .milliseconds(1)
    let expected = ["ada": "Bearer of-ada", "bob": "Basic Ym9iOng=", "eve": "-"]
    for account in ["ada", "bob", "eve"] {
      for target in ["/books.jsonl", "/same", "/away", "/down"] {
        let before = try log().count
        let catalog = try cache.catalog(
          CatalogName(validating: target.filter(\.isLetter)), for: AccountID(validating: account),
          remote: ServerCatalog(try server.url(target), credentials: credentials, options: options))
        if target == "/down" {
          await #expect(throws: CatalogError.self) { try await catalog.refresh() }
        } else {
          _ = try await catalog.refresh()
        }
        let lines = try log().dropFirst(before)
        let count = ["/books.jsonl": 1, "/same": 2, "/away": 2, "/down": 3][target]
        #expect(lines.count == count)
        for line in lines {
          let sent = line.hasPrefix("\(other) ") ? "-" : expected[account]
          #expect(line.hasSuffix(" \(sent ?? "")|-"), "\(line)")
        }
      }
    }
    print("nginx's log, of \(try log().count) requests:\n" + (try log().joined(separator: "\n")))
    let database = try Data(contentsOf: URL(fileURLWithPath: folder.path("cache.sqlite")))
    for secret in ["of-ada", "Ym9iOng="] { #expect(database.range(of: Data(secret.utf8)) == nil) }
  }
}
