import CatalogDomain
import CatalogRepository
import CatalogSQLite
import CatalogTesting
import Foundation
import Testing

/// What is under way when a cache is suspended or closed.
@Suite(.timeLimit(.minutes(5)))
struct SuspendTests {
  let fixture: Fixture
  let remote = ScriptedRemote.always([book(1, "one")])

  init() throws {
    fixture = try Fixture()
  }

  /// The descriptors that this process has open on the database and the files beside it, but for the lock.
  private func openFiles() throws -> [String] {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
      // One that was closed meanwhile isn't open; losing the error says just that.
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
    }.filter { $0.hasPrefix(fixture.path) && !$0.hasSuffix("-lock") }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "open files can't be listed"))
  func `an erasure that is under way when the cache is suspended doesn't open the file again`() async throws {
    let cache = try fixture.open()
    try await cache.catalog(for: "ada", remote: remote).refresh()
    let erasing: Task<CatalogError?, Never>
    do {
      let reader = try Connection(path: fixture.path, mode: .queryOnly, busyTimeout: .seconds(1))
      let snapshot = try reader.begin(.read)
      _ = try reader.number("SELECT count(*) FROM book")
      erasing = Task {
        do throws(CatalogError) {
          try await cache.forget("ada")
          return nil
        } catch {
          return error
        }
      }
      // Once the rows are gone it is about to empty the log, which the reader keeps it from.
      let watcher = try Connection(path: fixture.path, mode: .queryOnly, busyTimeout: .seconds(1))
      while try watcher.number("SELECT scrub != 0 AND NOT EXISTS (SELECT 1 FROM doomed) FROM meta") != 1 {
        await Task.yield()
      }
      cache.suspend()
      _ = consume snapshot
    }
    #expect(await erasing.value?.code == .bytesRemain)
    #expect(try openFiles() == [])
    cache.resume()
    try await cache.scrub()
    #expect(try !cache.inspect().isScrubPending)
  }

  @Test(arguments: ["suspend", "close"])
  func `leaving the file doesn't wait for a reader in an old snapshot`(_ how: String) async throws {
    let cache = try fixture.open { $0.busyTimeout = .seconds(60) }
    try await cache.catalog(for: "ada", remote: remote).refresh()
    let reader = try Connection(path: fixture.path, mode: .queryOnly, busyTimeout: .seconds(1))
    let snapshot = try reader.begin(.read)
    _ = try reader.number("SELECT count(*) FROM book")
    let begun = ContinuousClock.now
    if how == "suspend" { cache.suspend() } else { try cache.close() }
    #expect(ContinuousClock.now - begun < .seconds(30))
    _ = consume snapshot
  }

  @Test func `a refresh that ends while the cache is suspended writes nothing, and the next one does`()
    async throws
  {
    let cache = try fixture.open()
    let catalog = try cache.catalog(for: "ada", remote: remote)
    remote.hold(.beforeConclusion)
    let flying = Task { try await catalog.refresh() }
    try await remote.waitUntilHeld()
    cache.suspend()
    #expect(throws: CatalogFailure.unavailable) { try catalog.books() }
    remote.release()
    let error = await #expect(throws: CatalogError.self) { _ = try await flying.value }
    #expect(error?.code == .locked)
    cache.resume()
    #expect(catalog.status().presence == .neverLoaded)
    try await catalog.refresh()
    #expect(try catalog.books().map(\.title) == ["one"])
  }

  @Test func `a refresh that ends after the cache was closed writes nothing`() async throws {
    let cache = try fixture.open()
    let catalog = try cache.catalog(for: "ada", remote: remote)
    remote.hold(.beforeConclusion)
    let flying = Task { try await catalog.refresh() }
    try await remote.waitUntilHeld()
    try cache.close()
    remote.release()
    let error = await #expect(throws: CatalogError.self) { _ = try await flying.value }
    #expect(error?.code == .unavailable)
    let again = try fixture.open()
    #expect(try again.catalog(for: "ada", remote: remote).status().presence == .neverLoaded)
  }

  @Test func `a cache in memory forgets, suspends and resumes as one on disk does`() async throws {
    let cache = try CatalogCache.inMemory(configuration: .init(clock: fixture.clock))
    let ada = try cache.catalog(for: "ada", remote: remote)
    let ben = try cache.catalog(for: "ben", remote: remote)
    try await ada.refresh()
    try await ben.refresh()
    cache.suspend()
    #expect(ben.status().presence == .unreadable(.locked))
    cache.resume()
    try await cache.forget("ada")
    #expect(ada.status().presence == .revoked)
    #expect(try ben.books().map(\.title) == ["one"])
    #expect(try cache.verify(.full).problems.isEmpty)
    #expect(try !cache.inspect().isScrubPending)
  }
}
