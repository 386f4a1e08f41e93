import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// What a process notices of another's writes.
@Suite(.timeLimit(.minutes(5)))
struct ChangesTests {
  @Test func `changes follow what another process refreshes, invalidates and forgets`() async throws {
    let workspace = try Workspace()
    let cache = try workspace.open()
    let catalog = try cache.catalog(for: "ada", remote: remote([]))
    var states = catalog.changes().makeAsyncIterator()
    var status = await states.next()
    #expect(status?.presence == .neverLoaded)
    // The clock stands still, so a look from time to time isn't what notices.
    let steps: [(String, (CatalogStatus) -> Bool)] = [
      ("refresh:ada:1:5", { $0.presence == .loaded && $0.bookCount == 5 }),
      ("stale:ada", { $0.decision.rule == .markedStale }),
      ("discard:ada", { $0.presence == .neverLoaded }),
      ("forget:ada", { $0.presence == .revoked }),
    ]
    for (step, isShown) in steps {
      let said = try Worker.run(workspace.path, "open", step, "close")
      #expect(said.last == "done close", "\(said)")
      while let seen = status, !isShown(seen) { status = await states.next() }
      #expect(status != nil, "the stream ended before \(step) was shown")
    }
  }
}
