import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// A sign-out is never undone, and is finished by whoever comes next, wherever it was broken off.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct ForgetCrashTests {
  @Test(arguments: ["revoked", "half", "deleted", "vacuumed", "truncated"])
  func `an erasure that was killed between two stages is finished by the next open`(stage: String)
    async throws
  {
    var generator = Campaign.generator("killed when \(stage)")
    let workspace = try Workspace()
    let (ada, ben) = (Traceable("a"), Traceable("b"))
    let others: Others
    do {
      let cache = try workspace.open()
      for person in [ada, ben] {
        let entries = (0..<400).map { person.entry($0, &generator) }
        _ = try await cache.catalog(for: person.account, remote: remote(entries)).refresh()
      }
      others = try Others(cache, [ben.account])
      try cache.close()
    }
    let said = try Worker.run(workspace.path, "stage:\(ada.account.rawValue):\(stage)")
    #expect(said.last?.hasPrefix("begin stage") == true, "It wasn't killed: \(said)")
    if stage != "truncated" {
      #expect(!ada.traces(in: try workspace.files()).isEmpty, "Nothing was left to be erased.")
    }
    let reading = try workspace.open { $0.access = .readOnly }
    #expect(try reading.inspect().isScrubPending)
    try reading.close()

    let cache = try workspace.open()
    #expect(ada.traces(in: try workspace.files()).isEmpty)
    #expect(try !cache.inspect().isScrubPending)
    #expect(try !cache.inspect().catalogs.contains { $0.account == ada.account })
    #expect(try cache.verify(.full).problems.isEmpty)
    #expect(try Others(cache, [ben.account]) == others)
  }

  @Test func `a write in a process that had the cache open finishes what another left`() async throws {
    var generator = Campaign.generator("left by another process")
    let workspace = try Workspace()
    let (ada, ben) = (Traceable("a"), Traceable("b"))
    let cache = try workspace.open()
    for person in [ada, ben] {
      let entries = (0..<400).map { person.entry($0, &generator) }
      _ = try await cache.catalog(for: person.account, remote: remote(entries)).refresh()
    }
    _ = try Worker.run(workspace.path, "stage:\(ada.account.rawValue):half")
    #expect(!ada.traces(in: try workspace.files()).isEmpty)
    _ = try await cache.markStale(.account(ben.account))
    #expect(ada.traces(in: try workspace.files()).isEmpty)
    #expect(try !cache.inspect().isScrubPending)
  }
}
