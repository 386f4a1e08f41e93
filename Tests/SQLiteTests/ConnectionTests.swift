import CatalogSQLite
import Foundation
import Testing

/// A folder of its own for each test.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      Issue.record("The test's folder can't be removed: \(error)")
    }
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTests {
  let folder: Folder
  let path: String

  init() throws {
    folder = try Folder()
    path = folder.path("a b%?#é.sqlite")
    try FileSystem.createExclusively(path)
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(1))
    _ = try connection.number("PRAGMA journal_mode = WAL")
    try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT")
  }

  private func open(_ mode: Connection.Mode = .readWrite) throws(SQLiteError) -> Connection {
    try Connection(path: path, mode: mode, busyTimeout: .milliseconds(10))
  }

  private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
      // The descriptor that lists the folder is gone by now, so one of them has no target.
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      return target?.hasPrefix(folder.url.path) ?? false
    }.count
  }

  @Test func `a path with any character is opened as it is, and never made by opening`() throws {
    #expect(FileManager.default.fileExists(atPath: path))
    let missing = folder.path("missing.sqlite")
    let error = #expect(throws: SQLiteError.self) {
      _ = try Connection(path: missing, mode: .readWrite, busyTimeout: .zero)
    }
    #expect(error?.primaryCode == SQLiteError.cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: missing))
  }

  @Test func `a file is made for its owner alone, and only if there is none`() throws {
    let made = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(made == 0o600)
    let error = #expect(throws: FileSystemError.self) { try FileSystem.createExclusively(path) }
    #expect(error?.errno == FileSystemError.exists)
  }

  @Test func `a connection closes when it goes away, its statements before it`() throws {
    let before = try openDescriptors()
    do {
      let connection = try open()
      let statement = try connection.prepare("SELECT 1")
      #expect(try statement.step())
      #expect(try openDescriptors() > before)
    }
    #expect(try openDescriptors() == before)
  }

  @Test func `a statement outlives the value of its connection, never the connection`() throws {
    func statement() throws -> Statement {
      let connection = try open()
      return try connection.prepare("SELECT count(*) FROM t")
    }
    let orphan = try statement()
    #expect(try orphan.step())
    let count = orphan.integer(0)
    #expect(count == 0)
  }

  @Test func `a statement can be used inside itself, and is reset for its next use`() throws {
    let connection = try open()
    try connection.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    var pairs: [String] = []
    let outer = try connection.prepare("SELECT b FROM t ORDER BY a")
    while try outer.step() {
      let inner = try connection.prepare("SELECT b FROM t ORDER BY a")
      while try inner.step() { pairs.append(try outer.text(0) + inner.text(0)) }
    }
    #expect(pairs == ["aa", "ab", "ba", "bb"])
    let bound = try connection.prepare("SELECT ?")
    try bound.bind(1, "x")
    _ = consume bound
    let again = try connection.prepare("SELECT ?")
    #expect(try again.step())
    let isNull = again.isNull(0)
    #expect(isNull)
  }

  @Test(arguments: ["", "\u{0}", "a\u{0}b", "Cafe\u{301}", "\u{1F469}\u{200D}\u{1F467}"])
  func `text comes back byte for byte`(_ text: String) throws {
    let connection = try open()
    let insert = try connection.prepare("INSERT INTO t (b) VALUES (?)")
    try insert.bind(1, text)
    try insert.run()
    let select = try connection.prepare("SELECT b FROM t")
    #expect(try select.step())
    #expect(Array(try select.text(0).utf8) == Array(text.utf8))
    var stored = SealHasher(seed: 1)
    select.combineText(0, into: &stored)
    var original = SealHasher(seed: 1)
    original.combine(text)
    #expect(stored.finalize() == original.finalize())
  }

  @Test func `text that isn't UTF-8 is corrupt, not mended`() throws {
    let connection = try open()
    try connection.execute("INSERT INTO t VALUES (1, CAST(x'ff41' AS TEXT))")
    let select = try connection.prepare("SELECT b FROM t")
    #expect(try select.step())
    let error = #expect(throws: SQLiteError.self) { try select.text(0) }
    #expect(error?.primaryCode == SQLiteError.corrupt)
  }

  @Test func `a transaction that isn't committed is rolled back`() throws {
    let connection = try open()
    do {
      let transaction = try connection.begin(.write)
      try connection.execute("INSERT INTO t VALUES (1, 'a')")
      _ = consume transaction
    }
    let isIdle = connection.isIdle
    #expect(isIdle)
    #expect(try connection.number("SELECT count(*) FROM t") == 0)
    var transaction = try connection.begin(.write)
    try connection.execute("INSERT INTO t VALUES (1, 'a')")
    try transaction.commit()
    #expect(try connection.number("SELECT count(*) FROM t") == 1)
  }

  @Test func `a full database rolls back, and says that it is full`() throws {
    let connection = try open()
    try connection.setMaximumPageCount(3)
    let error = #expect(throws: SQLiteError.self) {
      let transaction = try connection.begin(.write)
      try connection.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
          + "INSERT INTO t SELECT i, hex(zeroblob(100)) FROM n")
      _ = consume transaction
    }
    #expect(error?.primaryCode == SQLiteError.full)
    let isIdle = connection.isIdle
    #expect(isIdle)
    #expect(try connection.number("SELECT count(*) FROM t") == 0)
  }

  @Test func `a reader sees its snapshot while another writes, and doesn't wait`() throws {
    let writer = try open()
    let reader = try open(.queryOnly)
    let snapshot = try reader.begin(.read)
    #expect(try reader.number("SELECT count(*) FROM t") == 0)
    try writer.execute("INSERT INTO t VALUES (1, 'a')")
    #expect(try reader.number("SELECT count(*) FROM t") == 0)
    #expect(try writer.checkpoint(.truncate) == false)
    _ = consume snapshot
    #expect(try reader.number("SELECT count(*) FROM t") == 1)
    #expect(try writer.checkpoint(.truncate))
    #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM t") }
  }

  @Test func `two writers exclude each other, and the second is busy`() throws {
    let first = try open()
    let second = try open()
    let holding = try first.begin(.write)
    let error = #expect(throws: SQLiteError.self) { _ = try second.begin(.write) }
    #expect(error?.primaryCode == SQLiteError.busy)
    _ = consume holding
  }

  @Test func `a file that was moved or replaced is noticed`() throws {
    let connection = try open()
    func hasMoved() -> Bool { connection.hasMoved() }
    #expect(!hasMoved())
    try FileSystem.move(path, to: path + "-elsewhere")
    #expect(hasMoved())
    try FileSystem.createExclusively(path)
    #expect(hasMoved())
  }
}
