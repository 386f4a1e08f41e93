import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// What happens to a refresh in flight when *another process* decides something meanwhile.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct RaceTests {
  private let workspace: Workspace
  private let source = ScriptedRemote { _ in Issue.record("The remote was asked once too often.") }

  init() throws {
    workspace = try Workspace()
  }

  /// Holds a refresh of ada's in flight, lets something happen, and then lets it end.
  private func refreshHeld(
    _ catalog: CachedCatalog, _ meanwhile: () async throws -> Void
  ) async throws -> Result<RefreshOutcome, CatalogError> {
    source.script(.entries(versioned("ada", 2, books: 50)))
    source.hold(.beforeConclusion)
    let flight = Task { () -> Result<RefreshOutcome, CatalogError> in
      do throws(CatalogError) {
        return .success(try await catalog.refresh(.forced))
      } catch {
        return .failure(error)
      }
    }
    try await source.waitUntilHeld()
    try await meanwhile()
    source.release()
    return await flight.value
  }

  private func loaded(_ cache: CatalogCache) async throws -> CachedCatalog {
    let catalog = try cache.catalog(for: "ada", remote: source)
    source.script(.entries(versioned("ada", 1, books: 50)))
    _ = try await catalog.refresh()
    return catalog
  }

  private func worker(_ steps: String...) throws {
    let said = try Worker(workspace.path, ["open"] + steps + ["close"]).finish()
    #expect(said.last == "done close", "\(said)")
    #expect(!said.contains { $0.hasPrefix("failed") }, "\(said)")
  }

  @Test(arguments: [false, true])
  func `another process forgets the account: nothing is written, and the handle is dead for good`(
    comesBack: Bool
  ) async throws {
    let cache = try workspace.open()
    let catalog = try await loaded(cache)
    let result = try await refreshHeld(catalog) {
      try worker("forget:ada")
      if comesBack { try worker("refresh:ada:9:7") }
    }
    guard case .failure(let error) = result, error.code == .revoked else {
      Issue.record("the flight came to \(result)")
      return
    }
    #expect(try workspace.filesHolding("ada-2-").isEmpty)
    #expect(catalog.status().presence == .revoked)
    #expect(throws: CatalogFailure.unavailable) { try catalog.books() }
    await #expect(throws: CatalogError.self) { try await catalog.confirm(.borrowed(id: 2, until: nil)) }
    let anew = try cache.catalog(for: "ada", remote: source)
    if comesBack {
      #expect(try anew.books().map(\.title).allSatisfy { $0.hasPrefix("ada-9-") })
      #expect(try anew.books().count == 7)
    } else {
      #expect(try workspace.filesHolding("ada author").isEmpty)
      #expect(anew.status().presence == .neverLoaded)
    }
    #expect(catalog.status().presence == .revoked)
    #expect(try cache.verify(.full).problems.isEmpty)
  }

  @Test func `a flight of a process that was paused is dead after another forgot and registered the account`()
    throws
  {
    let paused = try Worker(
      workspace.path, ["open", "refresh:ada:1:30", "hold:ada:2:30", "books:ada", "status:ada"])
    _ = try paused.wait(for: "held")
    let cache = try workspace.open()
    try worker("forget:ada", "refresh:ada:3:5")
    try cache.close()
    try paused.goOn()
    let said = paused.finish()
    #expect(said.contains("failed hold:ada:2:30 revoked"), "\(said)")
    #expect(said.contains("status revoked"), "\(said)")
    let reopened = try workspace.open()
    let books = try reopened.catalog(for: "ada", remote: source).books()
    #expect(books.count == 5 && books.allSatisfy { $0.title.hasPrefix("ada-3-") })
    #expect(try workspace.filesHolding("ada-2-").isEmpty)
  }

  @Test func `another process discards the catalog: the answer is superseded, the handle lives on`()
    async throws
  {
    let cache = try workspace.open()
    let catalog = try await loaded(cache)
    let result = try await refreshHeld(catalog) { try worker("discard:ada") }
    guard case .success(.superseded) = result else {
      Issue.record("the flight came to \(result)")
      return
    }
    #expect(catalog.status().presence == .neverLoaded)
    #expect(throws: CatalogFailure.unavailable) { try catalog.books() }
    source.script(.entries(versioned("ada", 3, books: 5)))
    _ = try await catalog.refresh()
    #expect(try catalog.books().count == 5)
  }

  @Test func `another process marks the catalog stale: the rows are taken, and aren't fresh`() async throws {
    let cache = try workspace.open()
    let catalog = try await loaded(cache)
    #expect(catalog.status().decision.freshness == .fresh)
    let result = try await refreshHeld(catalog) { try worker("stale:ada") }
    guard case .success(.updated) = result else {
      Issue.record("the flight came to \(result)")
      return
    }
    #expect(try catalog.books().allSatisfy { $0.title.hasPrefix("ada-2-") })
    #expect(catalog.status().decision.freshness == .stale)
    #expect(catalog.status().decision.rule == .markedStale)
    source.script(.entries(versioned("ada", 3, books: 5)))
    _ = try await catalog.refresh()
    #expect(catalog.status().decision.freshness == .fresh)
  }

  @Test func `another process confirms a loan: it is applied on top of the answer that was begun before it`()
    async throws
  {
    let cache = try workspace.open()
    let catalog = try await loaded(cache)
    let result = try await refreshHeld(catalog) { try worker("confirm:ada:4") }
    guard case .success(.updated) = result else {
      Issue.record("the flight came to \(result)")
      return
    }
    let books = try catalog.books()
    #expect(books.allSatisfy { $0.title.hasPrefix("ada-2-") })
    #expect(books.filter(\.isBorrowed).map(\.id) == [4])
    source.script(.entries(versioned("ada", 3, books: 50)))
    _ = try await catalog.refresh()
    #expect(source.requests.last?.validators == nil)
    #expect(try catalog.books().allSatisfy { !$0.isBorrowed })
  }

  @Test func `of two flights in two processes the one begun later stays, whichever ends last`() async throws {
    let cache = try workspace.open()
    let catalog = try await loaded(cache)
    // Ours is begun first and ends last.
    let result = try await refreshHeld(catalog) { try worker("refresh:ada:9:20") }
    guard case .success(.superseded) = result else {
      Issue.record("the older flight came to \(result)")
      return
    }
    #expect(try catalog.books().allSatisfy { $0.title.hasPrefix("ada-9-") })
    // Theirs is begun first and ends last.
    let theirs = try Worker(workspace.path, ["open", "hold:ada:10:20", "close"])
    _ = try theirs.wait(for: "held")
    source.script(.entries(versioned("ada", 11, books: 30)))
    _ = try await catalog.refresh(.forced)
    try theirs.goOn()
    let said = theirs.finish()
    #expect(said.contains("superseded"), "\(said)")
    #expect(try catalog.books().count == 30)
    #expect(try catalog.books().allSatisfy { $0.title.hasPrefix("ada-11-") })
  }

  @Test(arguments: [false, true])
  func `the file is removed or replaced in flight: nothing is written, and the handle says so`(
    isReplaced: Bool
  ) async throws {
    let other = try Workspace()
    let cache = try workspace.open()
    let catalog = try await loaded(cache)
    let result = try await refreshHeld(catalog) {
      try FileManager.default.removeItem(atPath: workspace.path)
      guard isReplaced else { return }
      _ = try Worker.run(other.path, "open", "refresh:ada:9:20", "close")
      try FileManager.default.copyItem(atPath: other.path, toPath: workspace.path)
    }
    guard case .failure(let error) = result, error.code == .replaced else {
      Issue.record("the flight came to \(result)")
      return
    }
    #expect(throws: CatalogFailure.unavailable) { try catalog.books() }
    let anew = try cache.catalog(for: "ada", remote: source)
    if isReplaced {
      // The log of the file before it mustn't be taken for the new one's.
      #expect(try anew.books().allSatisfy { $0.title.hasPrefix("ada-9-") })
      #expect(try anew.books().count == 20)
    } else {
      #expect(anew.status().presence == .neverLoaded)
    }
    #expect(try cache.verify(.full).problems.isEmpty)
  }
}
