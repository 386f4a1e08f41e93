import CatalogDomain
import CatalogRepository
import CatalogSQLite
import CatalogTesting
import Foundation
import Testing

/// What is given as a database and isn't one that can be used: each has a code, and nothing is changed.
enum UnusableFile: String, CaseIterable, CustomTestStringConvertible {
  case folder = "a folder"
  case text = "a text file"
  case textOfAPage = "a text file as long as a page"
  case anotherProgram = "another program's database"
  case future = "a database from the future"
  case headerOnly = "the first hundred bytes of a database"
  case missingFolder = "a path in a folder that isn't there"
  case link = "a symbolic link to nothing"

  var testDescription: String { rawValue }
}

@Suite(.timeLimit(.minutes(5)))
struct UnreadableFileTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func make(_ file: UnusableFile) throws -> String {
    let files = FileManager.default
    switch file {
    case .folder: try files.createDirectory(atPath: workspace.path, withIntermediateDirectories: false)
    case .text: try workspace.write(Data("not a database\n".utf8), to: "")
    case .textOfAPage: try workspace.write(Data(repeating: UInt8(ascii: "a"), count: 8192), to: "")
    case .anotherProgram:
      try workspace.write(Data(), to: "")
      let connection = try Connection(path: workspace.path, mode: .readWrite, busyTimeout: .zero)
      try connection.execute("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
    case .future:
      _ = try Worker.run(workspace.path, "open", "refresh:ada:1:10", "close")
      let connection = try Connection(path: workspace.path, mode: .readWrite, busyTimeout: .zero)
      try connection.execute("PRAGMA user_version = 999")
      _ = try connection.checkpoint(.truncate)
    case .headerOnly:
      _ = try Worker.run(workspace.path, "open", "refresh:ada:1:10", "close")
      try workspace.write(try Data(contentsOf: URL(fileURLWithPath: workspace.path)).prefix(100), to: "")
    case .missingFolder: return workspace.folder.appendingPathComponent("none/catalog.sqlite").path
    case .link:
      try files.createSymbolicLink(atPath: workspace.path, withDestinationPath: "/nowhere/catalog.sqlite")
    }
    return workspace.path
  }

  private func code(_ path: String, _ access: CatalogCache.Configuration.Access) -> CatalogError.Code? {
    do throws(CatalogError) {
      let cache = try CatalogCache(path: path, configuration: .init(access: access))
      _ = try cache.inspect()
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: UnusableFile.allCases)
  func `what isn't a usable database has a code, and stays as it is`(file: UnusableFile) throws {
    let path = try make(file)
    let before = [.folder, .link].contains(file) ? nil : try workspace.files()["catalog.sqlite"]
    let expected: (reading: [CatalogError.Code], writing: [CatalogError.Code]) =
      switch file {
      case .folder, .text, .textOfAPage, .anotherProgram: ([.notADatabase], [.notADatabase])
      case .future: ([.tooNew], [.tooNew])
      case .headerOnly: ([.corrupt, .notADatabase], [.corrupt, .notADatabase])
      case .missingFolder, .link: ([.noSuchDatabase], [.cannotCreate])
      }
    let reading = try #require(code(path, .readOnly))
    #expect(expected.reading.contains(reading), "reading: \(reading)")
    let writing = try #require(code(path, .readWrite))
    #expect(expected.writing.contains(writing), "writing: \(writing)")
    if let before { #expect(try workspace.files()["catalog.sqlite"] == before) }
  }

  @Test func `an empty file is nothing to read, and a place for a cache to be made in`() throws {
    try workspace.write(Data(), to: "")
    #expect(code(workspace.path, .readOnly) == .notADatabase)
    #expect(try workspace.files().mapValues(\.count) == ["catalog.sqlite": 0])
    #expect(code(workspace.path, .readWrite) == nil)
    #expect(code(workspace.path, .readOnly) == nil)
  }

  @Test func `a path that isn't there is said when reading, and nothing is made`() throws {
    #expect(code(workspace.path, .readOnly) == .noSuchDatabase)
    #expect(try workspace.files().isEmpty)
  }

  @Test func `a database from the future stays untouched while it is open and after`() async throws {
    let cache = try workspace.open()
    let catalog = try cache.catalog(for: "ada", remote: remote(versioned("ada", 1, books: 5)))
    _ = try await catalog.refresh()
    do {
      let newer = try Connection(path: workspace.path, mode: .readWrite, busyTimeout: .zero)
      try newer.execute("PRAGMA user_version = 999")
    }
    #expect(catalog.status().presence == .unreadable(.tooNew))
    #expect(throws: CatalogFailure.unavailable) { try catalog.books() }
    for attempt in [
      { _ = try await catalog.refresh() }, { _ = try await cache.forget("ada") },
      { _ = try await cache.markStale(.everything) }, { try await catalog.confirm(.returned(id: 2)) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: CatalogError.self) { try await attempt() }
      #expect(error?.code == .tooNew)
    }
  }

  @Test func `a file that the user may not read or write says so`() throws {
    _ = try Worker.run(workspace.path, "open", "refresh:ada:1:10", "close")
    let files = FileManager.default
    guard getuid() == 0 else {
      try files.setAttributes([.posixPermissions: 0], ofItemAtPath: workspace.path)
      #expect(code(workspace.path, .readOnly) == .permission)
      #expect(code(workspace.path, .readWrite) == .permission)
      return
    }
    let somewhere = try Workspace()
    let executable = somewhere.folder.appendingPathComponent("worker")
    try files.copyItem(at: Worker.executable, to: executable)
    for steps in [["open"], ["readonly", "open"]] {
      let said = try Worker(
        workspace.path, steps, through: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
        executable: executable
      ).finish()
      #expect(said.last == "failed open permission", "\(said)")
    }
  }
}
