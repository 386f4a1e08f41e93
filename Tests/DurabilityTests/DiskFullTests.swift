import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// No room: what was there stands and is read, and the error says what it is.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DiskFullTests {
  /// A small file system of its own; only the administrator can have one.
  private static var canMount: Bool { getuid() == 0 && mount("none", size: "64k", nil) }

  private static func mount(_ source: String, size: String, _ path: String?) -> Bool {
    do {
      let place =
        path
        ?? FileManager.default.temporaryDirectory
        .appendingPathComponent("offline-catalog-mount-\(UUID().uuidString)").path
      if path == nil {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      }
      defer {
        // A probe goes away again.
        if path == nil { _ = unmount(place) && run("rmdir", place) }
      }
      return run("mount", "-t", "tmpfs", "-o", "size=\(size)", source, place)
    } catch {
      return false
    }
  }

  private static func unmount(_ path: String) -> Bool { run("umount", "--lazy", path) }

  private static func run(_ command: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return false
    }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Leaves so many bytes free, by a file that takes the rest.
  private func leave(_ bytes: Int, in folder: URL) throws {
    let filler = folder.appendingPathComponent("filler")
    try Data().write(to: filler)
    let free =
      try FileManager.default.attributesOfFileSystem(forPath: folder.path)[.systemFreeSize] as? NSNumber
    let count = max(0, (free?.intValue ?? 0) - bytes)
    try Data(repeating: 1, count: count).write(to: filler)
  }

  private func onSmallDisk(_ body: (Workspace) async throws -> Void) async throws {
    let workspace = try Workspace()
    try #require(Self.mount("none", size: "2m", workspace.folder.path))
    do {
      try await body(workspace)
    } catch {
      _ = Self.unmount(workspace.folder.path)
      throw error
    }
    #expect(Self.unmount(workspace.folder.path))
  }

  @Test(.enabled(if: canMount, "needs a file system of its own"))
  func `on a disk that fills up the old snapshot stands, and the error is diskFull`() async throws {
    try await onSmallDisk { workspace in
      let cache = try workspace.open()
      let catalog = try cache.catalog(for: "ada", remote: remote(versioned("ada", 1, books: 100)))
      _ = try await catalog.refresh()
      var failures = 0
      var isDone = false
      for free in stride(from: 0, through: 400, by: 20) where !isDone {
        try leave(free * 1024, in: workspace.folder)
        let more = try cache.catalog(for: "ada", remote: remote(versioned("ada", 2, books: 1500)))
        do throws(CatalogError) {
          _ = try await more.refresh()
          isDone = true
        } catch {
          failures += 1
          #expect(error.code == .diskFull, "\(free) kB free: \(error)")
        }
        let books = try catalog.books()
        #expect(books.count == (isDone ? 1500 : 100), "\(free) kB free")
        #expect(books.allSatisfy { $0.title.hasPrefix("ada-\(isDone ? 2 : 1)-") })
        #expect(try cache.verify(.full).problems.isEmpty, "\(free) kB free")
      }
      print("disk full: \(failures) refreshes refused, then one taken: \(isDone)")
      #expect(isDone && failures > 2)
      try leave(0, in: workspace.folder)
      let reading = try workspace.open { $0.access = .readOnly }
      #expect(try reading.catalog(for: "ada", remote: remote([])).books().count == 1500)
      try FileManager.default.removeItem(at: workspace.folder.appendingPathComponent("filler"))
      try cache.close()
    }
  }

  @Test(.enabled(if: canMount, "needs a file system of its own"))
  func `a sign-out on a nearly full disk is never half done, and is finished when there is room`()
    async throws
  {
    var generator = Campaign.generator("forget on a full disk")
    var tally: [String: Int] = [:]
    for free in stride(from: 0, through: 480, by: Campaign.isLong ? 8 : 60) {
      try await onSmallDisk { workspace in
        let (ada, ben) = (Traceable("a"), Traceable("b"))
        let cache = try workspace.open()
        for person in [ada, ben] {
          let entries = (0..<700).map { person.entry($0, &generator) }
          _ = try await cache.catalog(for: person.account, remote: remote(entries)).refresh()
        }
        let handle = try cache.catalog(for: ada.account, remote: remote([]))
        let others = try Others(cache, [ben.account])
        try leave(free * 1024, in: workspace.folder)
        var isRevoked = true
        var isErased = false
        do throws(CatalogError) {
          _ = try await cache.forget(ada.account)
          tally["done", default: 0] += 1
          isErased = true
        } catch {
          tally["\(error.code)", default: 0] += 1
          #expect(error.code == .bytesRemain || error.code == .diskFull, "\(free) kB free: \(error)")
          isRevoked = error.code == .bytesRemain
        }
        if isErased { #expect(ada.traces(in: try workspace.files()).isEmpty, "\(free) kB free") }
        if isRevoked { #expect(handle.status().presence == .revoked, "\(free) kB free") }
        #expect(try Others(cache, [ben.account]) == others, "\(free) kB free")

        try FileManager.default.removeItem(at: workspace.folder.appendingPathComponent("filler"))
        if isRevoked { try await cache.scrub() } else { _ = try await cache.forget(ada.account) }
        #expect(ada.traces(in: try workspace.files()).isEmpty, "\(free) kB free")
        #expect(try Others(cache, [ben.account]) == others, "\(free) kB free")
        #expect(try cache.verify(.full).problems.isEmpty)
        try cache.close()
      }
    }
    print("forget on a full disk: \(tally.sorted { $0.key < $1.key })")
  }

  @Test func `a limit on the size of files is met like a full disk, wherever it is met`() throws {
    var (refused, named) = (0, 0)
    var isDone = false
    for limit in stride(from: 8, through: 1200, by: Campaign.isLong ? 8 : 48) where !isDone {
      let workspace = try Workspace()
      _ = try Worker.run(workspace.path, "open", "refresh:ada:1:100", "close")
      let said = try Worker.run(
        workspace.path, "limit:\(limit * 1024)", "open", "refresh:ada:2:1500", "books:ada", "verify:ada",
        "close")
      if said.contains("done refresh:ada:2:1500") {
        isDone = true
      } else {
        refused += 1
        let failure = said.first { $0.hasPrefix("failed") } ?? ""
        // SQLite doesn't always keep the system's number of an error that a commit met (sqlite3_system_errno).
        #expect(failure.hasSuffix(" diskFull") || failure.hasSuffix(" ioError"), "\(limit) kB: \(said)")
        named += failure.hasSuffix(" diskFull") ? 1 : 0
      }
      let cache = try workspace.open()
      let books = try cache.catalog(for: "ada", remote: remote([])).books()
      #expect(books.count == (isDone ? 1500 : 100), "\(limit) kB")
      #expect(books.allSatisfy { $0.title.hasPrefix("ada-\(isDone ? 2 : 1)-") }, "\(limit) kB")
      #expect(try cache.verify(.full).problems.isEmpty, "\(limit) kB")
      if said.contains("done open"), !isDone {
        #expect(said.contains("books 100 ada-1-0"), "\(limit) kB: \(said)")
      }
    }
    print("file size limit: \(refused) refused, then one taken: \(isDone)")
    #expect(isDone && refused > 2 && named > 0)
  }
}
