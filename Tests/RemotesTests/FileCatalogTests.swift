import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FileCatalogTests {
  private static let two = "{\"id\":1,\"title\":\"first\"}\n{\"id\":2,\"title\":\"second\"}\n"

  @Test func `a file that is touched, replaced or longer has other validators`() async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      let original = try await validators(of: file)
      #expect(original != nil)
      #expect(try await validators(of: file) == original)
      _ = try folder.write(Self.two, secondsAgo: 1800)
      let touched = try await validators(of: file)
      #expect(touched != nil && touched != original)
      let modified = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]
      let other = try folder.write(Self.two, to: "other")
      try FileManager.default.setAttributes(
        [.modificationDate: try #require(modified)], ofItemAtPath: other.path)
      #expect(try await validators(of: other) != touched)
    }
  }

  @Test func `an unchanged file isn't even opened`() async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      let held = try await validators(of: file)
      var limits = DocumentLimits()
      limits.bytes = 1
      let outcome = try await fetch(FileCatalog(file, limits: limits), validators: held)
      guard case .notModified(let head) = outcome.conclusion else {
        Issue.record("expected 'not modified'")
        return
      }
      #expect(head.validators == held)
    }
  }

  @Test func `other bounds on an item ask for the file anew`() async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      var limits = DocumentLimits()
      limits.titleBytes = 5
      let strict = try await fetch(FileCatalog(file, limits: limits))
      #expect(strict.rejected.map(\.identifier) == [.number(2)])
      let again = try await fetch(FileCatalog(file), validators: strict.heads.first?.validators)
      #expect(again.entries.count == 2)
    }
  }

  @Test(arguments: [(0.0, false), (0.05, false), (-60.0, false), (0.2, true)])
  func `a file modified just now has no validators, because a change might not show`(
    secondsAgo: Double, hasValidators: Bool
  ) async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      let modified = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
      try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: file.path)
      let catalog = FileCatalog(file, limits: .init(), now: { modified.addingTimeInterval(secondsAgo) })
      let head = try await fetch(catalog).heads.first
      #expect((head?.validators != nil) == hasValidators)
    }
  }

  @Test(arguments: [(1.9, false), (2.1, true)])
  func `where times are whole seconds, just now lasts two of them`(
    secondsAgo: Double, hasValidators: Bool
  ) async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      let modified = Date(timeIntervalSinceReferenceDate: 800_000_000)
      try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: file.path)
      let catalog = FileCatalog(file, limits: .init(), now: { modified.addingTimeInterval(secondsAgo) })
      let head = try await fetch(catalog).heads.first
      #expect((head?.validators != nil) == hasValidators)
    }
  }

  @Test(arguments: ["appended", "rewritten", "replaced", "removed"])
  func `a file that changes while it is read is an error that says so`(change: String) async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      let sink = RecordingSink { event throws(CatalogError) in
        guard case .head = event else { return }
        do {
          switch change {
          case "appended":
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("{".utf8))
          case "rewritten":
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: Data(Self.two.replacing("first", with: "FIRST").utf8))
          case "replaced":
            try Data(Self.two.utf8).write(to: file, options: .atomic)
          default:
            try FileManager.default.removeItem(at: file)
          }
        } catch {
          throw CatalogError(.ioError, "The test couldn't change the file.", cause: error)
        }
      }
      let error = await #expect(throws: CatalogError.self) {
        try await FileCatalog(file).fetch(FetchRequest(account: "ada"), into: sink)
      }
      if change == "removed" {
        #expect(error?.code == .notFound)
      } else {
        #expect(error?.code == .badResponse)
        #expect(error?.message.contains("changed while it was read") == true)
      }
    }
  }

  @Test func `a missing file, a directory and an address that isn't a file's are told apart`() async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      try await expect(.notFound, "'/no/such/file'", FileCatalog(path: "/no/such/file"))
      try await expect(.notFound, "catalog.jsonl/x'", FileCatalog(path: file.path + "/x"))
      try await expect(.badResponse, "is a directory", FileCatalog(folder.url))
      let web = try #require(URL(string: "https://user:secret@example.org/?token=secret"))
      try await expect(.notFound, "'https'", FileCatalog(web))
      let link = folder.url.appendingPathComponent("dangling")
      try FileManager.default.createSymbolicLink(
        at: link, withDestinationURL: URL(fileURLWithPath: "/nowhere"))
      try await expect(.notFound, "dangling'", FileCatalog(link))
    }
  }

  @Test func `a link is followed`() async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      let link = folder.url.appendingPathComponent("link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      #expect(try await fetch(FileCatalog(link)).entries.count == 2)
      #expect(try await validators(of: link) == validators(of: file))
    }
  }

  @Test func `a file that may not be read is an error of permission`() async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(Self.two)
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
      // The superuser may read everything.
      guard !FileManager.default.isReadableFile(atPath: file.path) else { return }
      try await expect(.permission, "may not be read", FileCatalog(file))
    }
  }

  @Test func `a file of two gigabytes is too large before it is read`() async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write("[")
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: 2 << 30)
      try await expect(.tooLarge, "2147483648 bytes", FileCatalog(file))
    }
  }

  @Test(arguments: ["", "{\"id\":1,\"title\":\"a\"}\n{\"id\":2,\"ti", "<html>", "{\"books\":[]}"])
  func `what is no catalog names the file`(text: String) async throws {
    try await TemporaryFolder.with { folder in
      let file = try folder.write(text)
      try await expect(.badResponse, "'\(file.path)'", FileCatalog(file))
    }
  }

  @Test func `pages hold at most five hundred books`() async throws {
    try await TemporaryFolder.with { folder in
      let entries = (1...1234).map { CatalogEntry(identifier: .number($0), title: "Book \($0)") }
      let outcome = try await fetch(FileCatalog(try folder.write(lines(entries))))
      #expect(outcome.pages.map(\.entries.count) == [500, 500, 234])
      #expect(outcome.entries == entries)
    }
  }

  private func validators(of file: URL) async throws -> FetchValidators? {
    try await fetch(FileCatalog(file)).heads.first?.validators
  }

  private func expect(_ code: CatalogError.Code, _ saying: String, _ catalog: FileCatalog) async throws {
    let error = await #expect(throws: CatalogError.self) { try await fetch(catalog) }
    #expect(error?.code == code)
    #expect(error?.message.contains(saying) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("secret") == false)
  }
}
