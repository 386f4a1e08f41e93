import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import TestServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OPDSCatalogContractTests {
  @Test(arguments: CatalogFetchingContract.cases)
  func `an OPDS 1 catalog keeps the contract of a remote`(promise: CatalogFetchingContract.Case) async throws
  {
    switch try await promise.run(over: OPDSWriter.source(.one)) {
    case .staged: break
    case .impossible(let reason): #expect(reason == OPDSWriter.notInXML)
    }
  }

  @Test(arguments: CatalogFetchingContract.cases)
  func `an OPDS 2 catalog keeps the contract of a remote`(promise: CatalogFetchingContract.Case) async throws
  {
    #expect(try await promise.run(over: OPDSWriter.source(.two)) == .staged)
  }
}

/// Writes feeds for the contract's scenarios.
enum OPDSWriter {
  enum Version: String {
    case one, two
  }

  static let notInXML = "XML has no numbers, and no control characters"

  static func source(_ version: Version) -> CatalogFetchingSource {
    CatalogFetchingSource("OPDS \(version)") { scenario, body in
      var options = HTTPOptions()
      options.retries = 0
      func lend(_ items: [String], limits: DocumentLimits = .init(), dropping: Int = 0) async throws {
        let text = String(feed(items, version).dropLast(dropping))
        try await LoopbackServer.run({ request in
          let tag = "\"\(text.utf8.count)\""
          return request.value("If-None-Match") == tag
            ? [[LoopbackServer.Step].head(304, ["ETag: \(tag)"])] : .answer(200, ["ETag: \(tag)"], text)
        }) { server in
          try await body(StagedRemote(OPDSCatalog(server.url("/"), limits: limits, options: options)))
        }
      }
      func items(_ entries: [CatalogEntry]) -> [String] { entries.map { item($0, version) } }
      func inserting(_ item: String, in entries: [CatalogEntry]) -> [String] {
        items(Array(entries.prefix(1))) + [item] + items(Array(entries.dropFirst()))
      }
      switch scenario {
      case .books(let entries), .unchanging(let entries):
        guard version == .two || entries.allSatisfy(canBeXML) else { return .impossible(notInXML) }
        try await lend(items(entries))
      case .badItem(let id, let entries):
        guard case .text(let id) = id else { return .impossible(notInXML) }
        try await lend(
          inserting(
            version == .one
              ? "<entry><id>\(id)</id><link rel=\"http://opds-spec.org/acquisition\" href=\"x\"/></entry>"
              : "{\"metadata\":{\"identifier\":\"\(id)\"}}", in: entries))
      case .unreadableItem(let entries):
        try await lend(
          inserting(
            version == .one
              ? "<entry><title>of no book</title><author/><link href=\"x\" rel=\"http://opds-spec.org/acquisition\"/></entry>"
              : "{\"metadata\":{\"title\":\"of no book\"}}", in: entries))
      case .cutOff(let entries): try await lend(items(entries), dropping: 12)
      case .tooLarge:
        var limits = DocumentLimits()
        limits.bytes = 20
        try await lend(items([CatalogEntry(identifier: .text("1"), title: "Long")]), limits: limits)
      case .unreachable:
        var url: URL?
        try await LoopbackServer.run({ _ in [] }) { url = $0.url("/") }
        try await body(StagedRemote(OPDSCatalog(try #require(url), options: options)))
      case .stalled:
        let half = Array(feed([], version).utf8.prefix(10))
        let steps = [[LoopbackServer.Step].head(200, []), .send(half), .stall]
        try await LoopbackServer.run({ _ in steps }) { server in
          try await body(
            StagedRemote(OPDSCatalog(server.url("/"), options: options)) { await server.untilStalled() })
        }
      }
      return .staged
    }
  }

  private static func canBeXML(_ entry: CatalogEntry) -> Bool {
    guard case .text = entry.identifier else { return false }
    return entry.title.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0.value < 0xFFFE || $0.value > 0xFFFF
    }
  }

  static func feed(_ items: [String], _ version: Version, links: String = "") -> String {
    switch version {
    case .one:
      "<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:opds=\"http://opds-spec.org/2010/catalog\" "
        + "xmlns:dc=\"http://purl.org/dc/terms/\"><id>urn:feed</id>\(links)" + items.joined(separator: "\n")
        + "</feed>"
    case .two:
      "{\"metadata\":{\"title\":\"Feed\"},\"links\":[\(links)],\"publications\":["
        + items.joined(separator: ",\n") + "]}"
    }
  }

  static func item(_ entry: CatalogEntry, _ version: Version) -> String {
    version == .one ? atom(entry) : publication(entry)
  }

  private static func atom(_ entry: CatalogEntry) -> String {
    guard case .text(let id) = entry.identifier else { return "" }
    func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
    let until = entry.borrowedUntil.map { " until=\"\(RFC3339.text($0))\"" } ?? ""
    let state =
      entry.isBorrowed
      ? "<opds:availability status=\"available\" since=\"2026-01-01T00:00:00Z\"\(until)/>" : ""
    return "<entry><id>\(escaped(id))</id><title>\(escaped(entry.title))</title>"
      + entry.authors.map { "<author><name>\(escaped($0))</name></author>" }.joined()
      + (entry.language.map { "<dc:language>\($0)</dc:language>" } ?? "")
      + (entry.updated.map { "<updated>\(RFC3339.text($0))</updated>" } ?? "")
      + "<link rel=\"http://opds-spec.org/acquisition\" href=\"x\">\(state)</link></entry>"
  }

  private static func publication(_ entry: CatalogEntry) -> String {
    var metadata: [String: Any] = ["title": entry.title, "author": entry.authors]
    switch entry.identifier {
    case .number(let number): metadata["identifier"] = number
    case .text(let text): metadata["identifier"] = text
    }
    metadata["language"] = entry.language
    metadata["modified"] = entry.updated.map(RFC3339.text)
    var availability = ["state": "available", "since": "2026-01-01T00:00:00Z"]
    availability["until"] = entry.borrowedUntil.map(RFC3339.text)
    var link: [String: Any] = ["rel": "http://opds-spec.org/acquisition", "href": "x"]
    if entry.isBorrowed { link["properties"] = ["availability": availability] }
    let object: [String: Any] = ["metadata": metadata, "links": [link]]
    guard let data = try? JSONSerialization.data(withJSONObject: object) else { return "" }  // It can't fail.
    return String(decoding: data, as: UTF8.self)
  }
}
