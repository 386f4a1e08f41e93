import CatalogDomain
import CatalogRepository
import CatalogSQLite
import CatalogTesting
import Foundation
import Testing

/// Damaged files: what is read is what was written or nothing, and the next refresh repairs it or says why not.
@Suite(.timeLimit(.minutes(20)), .serialized)
struct CorruptionTests {
  private static let accounts = ["ada", "ben", "cyd"]
  private static let books = 250

  /// The files of a cache of three accounts: closed, or left by a crash with all of version 2 in the log.
  private func template(isCrashed: Bool) throws -> [String: Data] {
    let workspace = try Workspace()
    let loads = Self.accounts.map { "refresh:\($0):1:\(Self.books)" }
    _ = try Worker(workspace.path, ["open"] + loads + ["close"]).finish()
    if isCrashed {
      let again = Self.accounts.map { "refresh:\($0):2:\(Self.books)" }
      _ = try Worker(workspace.path, ["open"] + again + ["die"]).finish()
    }
    return try workspace.files()
  }

  private func damage(
    _ files: [String: Data], isCrashed: Bool, _ generator: inout SeededGenerator
  ) -> (files: [String: Data], how: String) {
    var files = files
    let names =
      isCrashed ? ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"] : ["catalog.sqlite"]
    let name = generator.pick(names)
    guard var bytes = files[name], bytes.count >= 8192 else { return (files, "nothing") }
    let pages = bytes.count / 4096
    let how: String
    switch generator.number(0...5) {
    case 0:
      how = "a few bytes"
      for _ in 0..<generator.number(1...40) {
        bytes[generator.number(0...bytes.count - 1)] = UInt8(truncatingIfNeeded: generator.next())
      }
    case 1:
      how = "a bit"
      bytes[generator.number(0...bytes.count - 1)] ^= 1 << UInt8(generator.number(0...7))
    case 2:
      how = "a page of zeros"
      let place = generator.number(0...pages - 1) * 4096
      bytes.replaceSubrange(place..<place + 4096, with: Data(count: 4096))
    case 3:
      how = "cut off"
      bytes = bytes.prefix(generator.number(0...bytes.count - 1))
    case 4:
      how = "two pages swapped"
      let (one, other) = (generator.number(0...pages - 1) * 4096, generator.number(0...pages - 1) * 4096)
      let (first, second) = (bytes[one..<one + 4096], bytes[other..<other + 4096])
      bytes.replaceSubrange(one..<one + 4096, with: Data(second))
      bytes.replaceSubrange(other..<other + 4096, with: Data(first))
    default:
      how = "a run of noise"
      let count = generator.number(16...2000)
      let place = generator.number(0...bytes.count - count)
      bytes.replaceSubrange(
        place..<place + count,
        with: Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }))
    }
    files[name] = bytes
    return (files, "\(how) in \(name)")
  }

  @Test(arguments: [false, true])
  func `rows are never invented, and a refresh repairs them or says why not`(isCrashed: Bool) async throws {
    var generator = Campaign.generator("damage, crashed: \(isCrashed)")
    let template = try template(isCrashed: isCrashed)
    let rounds = Campaign.rounds(60, long: 600)
    var tally: [String: Int] = [:]
    for round in 0..<rounds {
      let workspace = try Workspace()
      let (files, how) = damage(template, isCrashed: isCrashed, &generator)
      for (name, bytes) in files { try bytes.write(to: workspace.folder.appendingPathComponent(name)) }
      let label = "round \(round), seed \(generator.seed), \(how)"
      let rebuilds = generator.once(in: 2)
      for access in [CatalogCache.Configuration.Access.readOnly, .readWrite] {
        let served = try await use(workspace, access, rebuilds: rebuilds, isCrashed: isCrashed, label)
        tally["\(access) \(served)", default: 0] += 1
      }
    }
    print("damage: \(tally.sorted { $0.key < $1.key })")
  }

  private func use(
    _ workspace: Workspace, _ access: CatalogCache.Configuration.Access, rebuilds: Bool, isCrashed: Bool,
    _ label: String
  ) async throws -> String {
    let cache: CatalogCache
    do throws(CatalogError) {
      cache = try CatalogCache(
        path: workspace.path,
        configuration: .init(
          access: access, unreadable: rebuilds ? .setAsideAndRebuild : .fail, clock: workspace.clock))
    } catch {
      #expect(isTyped(error), "\(label): \(error)")
      #expect(!rebuilds || access == .readOnly, "\(label): it wasn't rebuilt: \(error)")
      return "can't be opened"
    }
    var served = 0
    for account in Self.accounts {
      served += try read(cache, account, isCrashed: isCrashed, label) ? 1 : 0
    }
    do throws(CatalogError) {
      _ = try cache.verify(.full)
      _ = try cache.inspect()
    } catch {
      #expect(isTyped(error), "\(label): \(error)")
    }
    if access == .readWrite {
      for account in Self.accounts { try await repair(cache, account, rebuilds: rebuilds, label) }
    }
    do throws(CatalogError) {
      try cache.close()
    } catch {
      #expect(isTyped(error), "\(label): \(error)")
    }
    return "served \(served)"
  }

  private func isTyped(_ error: CatalogError) -> Bool {
    [.corrupt, .notADatabase, .ioError, .replaced, .tooNew, .needsMigration, .neverLoaded].contains(
      error.code)
  }

  /// Reads in every way there is.
  ///
  /// - Returns: Whether the books were served.
  private func read(
    _ cache: CatalogCache, _ account: String, isCrashed: Bool, _ label: String
  ) throws -> Bool {
    let catalog: CachedCatalog
    do throws(CatalogError) {
      catalog = try cache.catalog(for: AccountID(stringLiteral: account), remote: remote([]))
    } catch {
      #expect(isTyped(error), "\(label): \(error)")
      return false
    }
    do {
      let books = try catalog.books()
      let versions = Set(books.map { $0.title.split(separator: "-").dropLast().joined(separator: "-") })
      let allowed = isCrashed ? ["\(account)-1", "\(account)-2"] : ["\(account)-1"]
      #expect(versions.count == 1 && allowed.contains(versions.first ?? ""), "\(label): \(versions)")
      #expect(books.count == Self.books, "\(label)")
      #expect(zip(books, books.dropFirst()).allSatisfy { $0.id < $1.id }, "\(label)")
      #expect(Set(books.map(\.title)).count == Self.books, "\(label)")
    } catch {
      // There is one failure, and its reason is in the status.
      return false
    }
    for (id, number) in [(4, 4), (100, 100), (1 << 62, 1)] {
      do throws(CatalogError) {
        let entry = try catalog.entry(id: id)
        #expect(
          entry?.title.hasSuffix("-\(number)") == true, "\(label): entry \(id) is \(entry?.title ?? "none")")
        #expect(entry?.authors == ["\(account) author \(number)"], "\(label)")
      } catch {
        #expect(isTyped(error), "\(label): \(error)")
      }
    }
    return true
  }

  private func repair(_ cache: CatalogCache, _ account: String, rebuilds: Bool, _ label: String) async throws
  {
    var failure: CatalogError?
    // A rebuilt cache is asked for a handle anew.
    for _ in 0..<4 {
      do throws(CatalogError) {
        let catalog = try cache.catalog(
          for: AccountID(stringLiteral: account), remote: remote(versioned(account, 7, books: 90)))
        _ = try await catalog.refresh()
        let books = try? catalog.books()  // Unavailable is the finding.
        #expect(
          books?.count == 90 && books?.allSatisfy { $0.title.hasPrefix("\(account)-7-") } == true,
          "\(label): refreshed, but \(books?.count ?? -1) books are read, \(catalog.status().presence)")
        return
      } catch {
        failure = error
        #expect(isTyped(error), "\(label): \(error)")
      }
    }
    #expect(!rebuilds, "\(label): it may be rebuilt, but isn't: \(failure.map { "\($0)" } ?? "")")
  }

  @Test func `a file that is set aside is kept as it was`() async throws {
    let files = try template(isCrashed: false)
    let workspace = try Workspace()
    for (name, bytes) in files { try bytes.write(to: workspace.folder.appendingPathComponent(name)) }
    var broken = try #require(files["catalog.sqlite"])
    broken.replaceSubrange(0..<4096, with: Data(repeating: 7, count: 4096))
    try workspace.write(broken, to: "")
    let cache = try workspace.open { $0.unreadable = .setAsideAndRebuild }
    let paths = try cache.inspect().setAsidePaths
    let kept = try #require(paths.first { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
    #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == broken)
    #expect(try cache.inspect().catalogs.isEmpty)
    _ = try await cache.catalog(for: "ada", remote: remote(versioned("ada", 3, books: 5))).refresh()
    #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == broken)
  }

  @Test func `numbers that can't be right are reported and repaired, and trap nothing`() async throws {
    let workspace = try Workspace()
    for (name, bytes) in try template(isCrashed: false) {
      try bytes.write(to: workspace.folder.appendingPathComponent(name))
    }
    let cache = try workspace.open()
    let connection = try Connection(path: workspace.path, mode: .readWrite, busyTimeout: .zero)
    try connection.execute("UPDATE catalog SET book_count = 9223372036854775807")
    #expect(try cache.verify(.full).problems.count == 3)
    _ = try cache.inspect()
    _ = try cache.preview(.everything)
    #expect(throws: CatalogFailure.unavailable) { try cache.catalog(for: "ada", remote: remote([])).books() }
    _ = try await cache.markStale(.everything)
    try connection.execute(
      """
      INSERT INTO catalog (account, name, number, version, next_text_id, book_count)
      SELECT account, 'shelf', number + 1000, version, next_text_id, 9223372036854775807 FROM catalog
      """)
    _ = try await cache.forget("ada")
    #expect(try workspace.filesHolding("ada author").isEmpty)
    let ben = try cache.catalog(for: "ben", remote: remote(versioned("ben", 2, books: 9)))
    _ = try await ben.refresh()
    #expect(try ben.books().count == 9)
  }
}
