import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

/// Real feeds and real answers, if the folder that has them is named.
extension OPDSCatalogTests {
  /// Every document of the shared folder: none crashes, and none is silently empty.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["CATALOG_SHARED_DATA"] != nil))
  func `every real feed gives books, a reason, or an error that says why`() async throws {
    let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["CATALOG_SHARED_DATA"] ?? "")
      .appendingPathComponent("feeds")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { !$0.hasSuffix(".md") }
    #expect(names.count == 43)
    for name in names {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
      let (got, failure, _) = try await fetched(["/": .answer(200, [], bytes)])
      if let failure {
        #expect(failure.code == (name.hasPrefix("auth-") ? .unauthorized : .badResponse))
        print("| \(name) | - | - | error: \(failure.message.prefix(150)) |")
      } else if let got {
        let end = reason(got).map { "partial: \($0.prefix(150))" } ?? "complete"
        let left = Set(got.rejected.map(\.reason)).sorted().joined(separator: " ")
        print("| \(name) | \(got.entries.count) | \(got.rejected.count) \(left) | \(end) |")
        #expect(!got.entries.isEmpty || !got.rejected.isEmpty || name == "opds1-empty-0.xml")
      }
    }
  }

  /// The raw answers of real servers, played back as they came.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["CATALOG_SHARED_DATA"] != nil))
  func `every captured answer has the outcome that was measured`() async throws {
    let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["CATALOG_SHARED_DATA"] ?? "")
      .appendingPathComponent("captures")
    let errors: [(String, CatalogError.Code)] = [
      ("calibre/06-acq-title-beyond-end", .notFound), ("calibre/11-search-none", .notFound),
      ("calibre/01-root", .badResponse), ("calibre/26-cond-ims", .badResponse),
      ("calibre/31-badlib", .badResponse), ("calibre/50-digest-noauth", .unauthorized),
      ("calibre/52-digest-basic-sent", .badResponse), ("calibre/53-basic-noauth", .unauthorized),
      ("calibre/54-basic-ok", .badResponse), ("calibre/55-basic-bad-6", .forbidden),
      ("calibre/60-page-with-nul-title", .serverError), ("calibre/27-cond-inm-star", .badResponse),
      ("calibreweb/22-badauth-4", .throttled), ("nginx/08-private-401", .unauthorized),
      ("nginx/10-redirect", .offline), ("nginx/11-502", .serverError), ("nginx/03-inm", .badResponse),
    ]
    for (name, code) in errors {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name + ".http")))
      let (_, failure, _) = try await fetched(["/": [.send(bytes)]])
      #expect(failure?.code == code, "\(name): \(failure.map { "\($0)" } ?? "no error")")
      if name.hasSuffix("badauth-4") { #expect(failure?.retryAfter == .seconds(59)) }
      if name.contains("digest-noauth") { #expect(failure?.message.contains("'digest'") == true) }
    }
    let books: [(String, Int, isWhole: Bool)] = [
      ("calibre/03-acq-newest-p1", 30, false), ("calibre/04-acq-newest-p2", 30, false),
      ("calibre/05-acq-title-last", 17, true), ("calibre/05b-acq-title-lastlink", 30, false),
      ("calibre/10-search-unicode", 2, true), ("calibreweb/09-search", 8, true),
      ("calibre/09-search-ok", 9, true), ("calibreweb/04-new-p1", 60, false),
      ("calibreweb/06-new-last", 17, true), ("calibreweb/11-search-none", 0, true),
      ("calibreweb/07-new-beyond", 0, true),
    ]
    for (name, count, isWhole) in books {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name + ".http")))
      let (got, failure, _) = try await fetched(["/": [.send(bytes)]])
      #expect(failure == nil, "\(name): \(failure.map { "\($0)" } ?? "")")
      #expect(got?.entries.count == count, "\(name)")
      #expect(isComplete(got) == isWhole, "\(name)")
    }
    let strong = "\"6b0da9de-2d2ad\""
    for (name, tag) in [("nginx/01-200", strong), ("nginx/02-gzip", "W/" + strong)] {
      var bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name + ".http")))
      // The body was written down whole, not in the chunks that it came in.
      if let coding = bytes.firstRange(of: Array("Transfer-Encoding: chunked\r\n".utf8)) {
        bytes.removeSubrange(coding)
      }
      let (got, failure, _) = try await fetched(["/": [.send(bytes)]])
      let head = try #require(got?.heads.first, "\(name): \(failure.map { "\($0)" } ?? "")")
      #expect(head.validators?.entityTag == tag)
      #expect(head.freshness.lifetime == .seconds(300))
      #expect(got?.entries.isEmpty == false)
    }
    let unchanged = [UInt8](
      try Data(contentsOf: folder.appendingPathComponent("nginx/04-inm-weak.http")))
    try await LoopbackServer.run({ _ in [.send(unchanged)] }) { server in
      let held = FetchValidators(entityTag: "W/" + strong)
      let got = try await fetch(OPDSCatalog(server.url("/")), validators: held)
      guard case .notModified(let head) = got.conclusion else {
        Issue.record("\(got.conclusion)")
        return
      }
      #expect(head.validators?.entityTag == strong)
    }
  }
}
