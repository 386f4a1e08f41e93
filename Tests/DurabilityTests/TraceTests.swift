import CatalogDomain
import CatalogRepository
import CatalogSQLite
import CatalogTesting
import Foundation
import Testing

/// The state in which the files lie when somebody comes to read.
enum LogState: String, CaseIterable, CustomTestStringConvertible {
  case noLog = "no log"
  case emptyLog = "an empty log"
  case logWithIndex = "a log with its index"
  case logWithoutIndex = "a log without its index"
  case logWithLiveWriter = "a log whose writer lives"
  case tornLog = "a log that ends in the middle of a commit"
  case hotJournal = "a hot journal"
  case noLock = "no lock, no log"

  var testDescription: String { rawValue }
}

/// Reading leaves no trace: not a byte, not a file, not a date.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct TraceTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  /// Puts the files into a state.
  ///
  /// - Returns: The writer that has to live for it; nil if there is none.
  private func prepare(_ state: LogState) throws -> Worker? {
    let path = workspace.path
    let files = FileManager.default
    _ = try Worker.run(path, "open", "refresh:ada:1:300", "refresh:ben:1:20", "close")
    switch state {
    case .noLog, .noLock:
      for suffix in ["-wal", "-shm"] + (state == .noLock ? ["-lock"] : [])
      where files.fileExists(atPath: path + suffix) {
        try files.removeItem(atPath: path + suffix)
      }
    case .emptyLog: break
    case .logWithIndex:
      _ = try Worker.run(path, "open", "refresh:ada:2:400", "die")
    case .logWithoutIndex:
      _ = try Worker.run(path, "open", "refresh:ada:2:400", "die")
      try files.removeItem(atPath: path + "-shm")
    case .logWithLiveWriter:
      let writer = try Worker(path, ["open", "refresh:ada:2:400", "hold:ben:2:20", "close"])
      _ = try writer.wait(for: "held")
      return writer
    case .tornLog:
      _ = try Worker.run(path, "open", "refresh:ada:2:400", "die")
      let log = URL(fileURLWithPath: path + "-wal")
      let bytes = try Data(contentsOf: log)
      try (bytes + bytes.suffix(9000)).write(to: log)
    case .hotJournal:
      try makeHotJournal(path)
    }
    return nil
  }

  /// A journal whose transaction was neither committed nor rolled back, and its writer gone.
  private func makeHotJournal(_ path: String) throws {
    let files = FileManager.default
    let elsewhere = try Workspace()
    for name in try files.contentsOfDirectory(atPath: workspace.folder.path) where name.hasSuffix("sqlite") {
      try files.copyItem(atPath: path, toPath: elsewhere.path)
    }
    let connection = try Connection(path: elsewhere.path, mode: .readWrite, busyTimeout: .zero)
    _ = try connection.number("PRAGMA journal_mode = DELETE")
    try connection.execute("PRAGMA cache_size = 2; PRAGMA cache_spill = 1")
    let transaction = try connection.begin(.write)
    try connection.execute("UPDATE book SET title = title || ' never committed'")
    for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
      try files.removeItem(atPath: path + suffix)
    }
    for suffix in ["", "-journal"] {
      try workspace.write(try Data(contentsOf: URL(fileURLWithPath: elsewhere.path + suffix)), to: suffix)
    }
    _ = consume transaction
  }

  /// Everything about the folder that reading could change.
  private func listing() throws -> [String] {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: workspace.folder.path).sorted().map { name in
      let path = workspace.folder.appendingPathComponent(name).path
      let attributes = try files.attributesOfItem(atPath: path)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      return "\(name) \(attributes[.modificationDate] ?? "") \(attributes[.posixPermissions] ?? "") "
        + "\(attributes[.systemFileNumber] ?? "") \(bytes.base64EncodedString())"
    }
  }

  private func expectedVersion(_ state: LogState) -> (version: Int, books: Int) {
    switch state {
    case .noLog, .emptyLog, .hotJournal, .noLock: (1, 300)
    case .logWithIndex, .logWithoutIndex, .logWithLiveWriter, .tornLog: (2, 400)
    }
  }

  @Test(arguments: LogState.allCases)
  func `reading changes nothing in the folder, and reads what was committed`(state: LogState) throws {
    let writer = try prepare(state)
    let before = try listing()
    let expected = expectedVersion(state)
    let cache = try workspace.open { $0.access = .readOnly }
    let catalog = try cache.catalog(for: "ada", remote: remote([]))
    for _ in 0..<2 {
      let books = try catalog.books()
      #expect(books.count == expected.books)
      #expect(
        books.allSatisfy {
          $0.title.hasPrefix("ada-\(expected.version)-") && !$0.title.hasSuffix("committed")
        })
      #expect(try catalog.entries().count == expected.books)
      #expect(try catalog.entry(id: 4)?.title == "ada-\(expected.version)-4")
      #expect(catalog.status().bookCount == expected.books)
      #expect(try cache.inspect().catalogs.count == 2)
      #expect(try cache.verify(.full).problems.isEmpty)
      #expect(throws: CatalogError.self) { try cache.catalog(for: "nobody", remote: remote([])) }
      _ = try cache.preview(.everything)
    }
    try cache.close()
    #expect(try listing() == before)
    try writer?.goOn()
    if let writer { #expect(writer.finish().last == "done close") }
  }

  @Test(arguments: LogState.allCases)
  func `a folder that the user can't write to is read all the same`(state: LogState) throws {
    let writer = try prepare(state)
    let files = FileManager.default
    let somewhere = try Workspace()
    var (executable, through) = (Worker.executable, [String]())
    if getuid() == 0 {
      // The administrator may write everywhere, so it is nobody who reads: their files, not their folder.
      for name in try files.contentsOfDirectory(atPath: workspace.folder.path) {
        try files.setAttributes(
          [.ownerAccountID: 65534], ofItemAtPath: workspace.folder.appendingPathComponent(name).path)
      }
      through = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
      // The package may lie where nobody else can go.
      executable = somewhere.folder.appendingPathComponent("worker")
      try files.copyItem(at: Worker.executable, to: executable)
    }
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: workspace.folder.path)
    defer {
      do {
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workspace.folder.path)
      } catch {
        Issue.record("The folder stays as it is: \(error)")
      }
    }
    let before = try listing()
    let expected = expectedVersion(state)
    let steps = ["readonly", "open", "books:ada", "entries:ada", "inspect:ada", "verify:ada", "close"]
    let said = try Worker(workspace.path, steps, through: through, executable: executable).finish()
    #expect(said.contains("books \(expected.books) ada-\(expected.version)-0"), "\(said)")
    #expect(said.contains("entries \(expected.books)"), "\(said)")
    #expect(said.contains("verify []"), "\(said)")
    #expect(said.last == "done close", "\(said)")
    #expect(try listing() == before)
    try writer?.goOn()
    _ = writer?.finish()
  }

  @Test func `a cache that is opened while another of the same file closes is open`() async throws {
    let path = workspace.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<Campaign.rounds(100, long: 1000) {
            let cache = try CatalogCache(path: path)
            _ = try cache.inspect()
            try cache.close()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a cache that is closed takes nothing of the system with it, whoever holds on to it`() throws {
    let descriptors = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") }
    guard FileManager.default.fileExists(atPath: "/proc/self/fd") else { return }
    let places = try (0..<20).map { _ in try Workspace() }
    let caches = try places.map { try $0.open() }
    let open = {
      try descriptors().filter { name in
        // Descriptors come and go while their names are read.
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        return places.contains { target?.hasPrefix($0.path) == true && target?.hasSuffix("-lock") == false }
      }.count
    }
    #expect(try open() >= 20)
    for cache in caches { try cache.close() }
    #expect(try open() == 0)
  }

  @Test func `a cache for reading only writes nothing, also if the same file is open for writing here`()
    async throws
  {
    let writing = try workspace.open()
    let catalog = try writing.catalog(for: "ada", remote: remote(versioned("ada", 1, books: 5)))
    _ = try await catalog.refresh()
    let reading = try workspace.open { $0.access = .readOnly }
    for attempt in [
      { _ = try await reading.markStale(.everything) }, { _ = try await reading.discard(.everything) },
      { _ = try await reading.forget("ada") },
      { _ = try await reading.catalog(for: "ada", remote: remote([])).refresh() },
      { try await reading.catalog(for: "ada", remote: remote([])).confirm(.returned(id: 0)) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: CatalogError.self) { try await attempt() }
      #expect(error?.code == .permission)
    }
    #expect(try reading.catalog(for: "ada", remote: remote([])).books().count == 5)
    #expect(catalog.status().decision.freshness == .fresh)
  }
}
