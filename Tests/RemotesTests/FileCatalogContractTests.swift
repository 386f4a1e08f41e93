import CatalogDocuments
import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FileCatalogContractTests {
  static let sources = [
    source("a file of lines") { $0.map { $0 + "\n" }.joined() },
    source("a file with an array") { "[" + $0.joined(separator: ",\n") + "]\n" },
  ]

  @Test(arguments: sources, CatalogFetchingContract.cases)
  func `a file keeps the contract of a remote`(
    source: CatalogFetchingSource, promise: CatalogFetchingContract.Case
  ) async throws {
    switch try await promise.run(over: source) {
    case .staged: break
    case .impossible(let reason):
      #expect(source.description == "a file of lines" && reason == Self.emptyLines)
    }
  }

  private static let emptyLines = "a file without a line is empty, which is no catalog"

  private static func source(
    _ description: String, format: @escaping @Sendable ([String]) -> String
  ) -> CatalogFetchingSource {
    CatalogFetchingSource(description) { scenario, body in
      if case .books([]) = scenario, format([]).isEmpty { return .impossible(emptyLines) }
      try await TemporaryFolder.with { folder in
        try await stage(scenario, in: folder, format: format, body)
      }
      return .staged
    }
  }

  private static func stage(
    _ scenario: FetchingScenario, in folder: TemporaryFolder, format: ([String]) -> String,
    _ body: (StagedRemote) async throws -> Void
  ) async throws {
    func lend(_ items: [String]) async throws {
      try await body(StagedRemote(FileCatalog(try folder.write(format(items)))))
    }
    func items(_ entries: [CatalogEntry]) -> [String] {
      entries.map(PlainCatalogWriter.line(for:))
    }
    func inserting(_ item: String, in entries: [CatalogEntry]) -> [String] {
      items(Array(entries.prefix(1))) + [item] + items(Array(entries.dropFirst()))
    }
    switch scenario {
    case .books(let entries), .unchanging(let entries):
      try await lend(items(entries))
    case .badItem(.text(let identifier), let entries):
      try await lend(inserting("{\"id\":\"\(identifier)\"}", in: entries))
    case .badItem(.number(let identifier), let entries):
      try await lend(inserting("{\"id\":\(identifier)}", in: entries))
    case .unreadableItem(let entries):
      try await lend(inserting("{\"title\":\"of no book\"}", in: entries))
    case .cutOff(let entries):
      let whole = format(items(entries))
      try await body(StagedRemote(FileCatalog(try folder.write(String(whole.dropLast(12))))))
    case .tooLarge:
      var limits = DocumentLimits()
      limits.bytes = 20
      let file = try folder.write(format(items([CatalogEntry(identifier: .number(1), title: "Long")])))
      try await body(StagedRemote(FileCatalog(file, limits: limits)))
    case .unreachable:
      try await body(StagedRemote(FileCatalog(folder.url.appendingPathComponent("missing.jsonl"))))
    case .stalled:
      let pipe = try folder.makePipe()
      let writer = Writer()
      let half = String(format(items([CatalogEntry(identifier: .number(1), title: "Half")])).dropLast(12))
      try await body(
        StagedRemote(FileCatalog(pipe)) { await writer.keep(try await write(half, toPipe: pipe)) })
    }
  }

  /// Keeps a pipe open.
  private actor Writer {
    private var handle: FileHandle?

    func keep(_ handle: FileHandle) {
      self.handle = handle
    }
  }
}
