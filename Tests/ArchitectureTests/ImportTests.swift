import Testing

/// Every file's imports against the table of rooms.
@Suite(.timeLimit(.minutes(5)))
struct ImportTests {
  @Test func `no file imports what its room may not`() throws {
    let files = try Repository.swiftFiles(under: ["Sources", "Migrations"])
    #expect(files.count > 20, "Too few files were found for this to mean anything.")
    for (path, source) in files {
      let room = try #require(Repository.room(of: path), "\(path) is in no room.")
      let file = path.split(separator: "/").last.map(String.init) ?? path
      let found = Rooms.violations(in: source, room: room, file: file)
      #expect(found.isEmpty, "The table of rooms doesn't allow it: \(found.joined(separator: "; ")).")
    }
  }

  @Test func `every folder of sources is a room of the table`() throws {
    for (path, _) in try Repository.swiftFiles(under: ["Sources"]) {
      let room = try #require(Repository.room(of: path), "\(path) is in no room.")
      #expect(Rooms.names.contains(room), "\(path) is in a room that the table doesn't have.")
    }
  }

  @Test func `only one file above the room of SQLite reads the system's clocks by way of libc`() throws {
    let files = try Repository.swiftFiles(under: ["Sources"]).filter { path, source in
      Repository.room(of: path) != "CatalogSQLite"
        && !source.modules.imported.isDisjoint(with: ["Glibc", "Musl", "Darwin"])
    }
    #expect(files.count <= 1, "\(files.map(\.path))")
  }

  @Test func `tests are written with Swift Testing, without locks that look like races`() throws {
    for (path, source) in try Repository.swiftFiles(under: ["Tests"]) {
      #expect(source.modules.imported.isDisjoint(with: ["XCTest", "Synchronization"]), "\(path)")
    }
  }
}

/// The checker itself: what it must catch, and what it must not.
@Suite(.timeLimit(.minutes(5)))
struct ImportCheckerTests {
  @Test(arguments: [
    "import Foundation", "public import Foundation", "@_exported import Foundation",
    "@_exported public import Foundation", "package import Foundation", "internal import Foundation",
    "@testable import Foundation", "@preconcurrency import Foundation", "@_spi(Private) import Foundation",
    "import struct Foundation.Date", "public import class Foundation.NSString", "import Foundation.NSDate",
    "import func Foundation.sin", "import `Foundation`", "  import\tFoundation", "import\n  Foundation",
    "let x = 1; import Foundation", "import /* why */ Foundation", "/* a */ import Foundation // b",
    "#if canImport(Foundation)\n  import Foundation\n#endif",
    "#if os(Linux)\nimport Foundation\n#endif", "let s = \"\"\"\n  text\n  \"\"\"\nimport Foundation",
    "let r = #/\"/#\nimport Foundation", "// import CatalogDomain\nimport Foundation",
    "let s = \"//\"\nimport Foundation", "let s = \"/*\"\nimport Foundation",
  ])
  func `an import is found in whatever form it is written`(text: String) {
    let source = SwiftSource(text)
    #expect(source.modules.imported == ["Foundation"])
    for room in ["CatalogDomain", "CatalogSQLite", "CatalogStore", "CatalogRepository", "CatalogTesting"] {
      #expect(!Rooms.violations(in: source, room: room, file: "Made.swift").isEmpty)
    }
    #expect(Rooms.violations(in: source, room: "OfflineCatalog", file: "Made.swift").isEmpty)
  }

  @Test(arguments: [
    "// import Foundation", "/// import Foundation", "/* import Foundation */",
    "/* a /* b */ import Foundation */", "let s = \"import Foundation\"",
    "let s = \"\"\"\n  import Foundation\n  \"\"\"", "let s = #\"\" import Foundation\"#",
    "let importFoundation = 1", "reimport Foundation", "x.import Foundation",
    "let s = \"a \\\" import Foundation\"",
  ])
  func `what only looks like an import isn't one`(text: String) {
    #expect(SwiftSource(text).modules.imported.isEmpty)
  }

  @Test func `asking whether a module can be imported is caught too`() {
    let source = SwiftSource("#if canImport(FoundationNetworking)\nlet x = 1\n#endif")
    #expect(
      Rooms.violations(in: source, room: "CatalogDomain", file: "Made.swift")
        == ["CatalogDomain/Made.swift asks for FoundationNetworking with canImport"])
    #expect(Rooms.violations(in: source, room: "CatalogRemotes", file: "Made.swift").isEmpty)
  }

  @Test(arguments: [
    ("CatalogDomain", "Dispatch"), ("CatalogMigrations", "CatalogDomain"), ("CatalogSQLite", "CatalogDomain"),
    ("CatalogStore", "CSQLite"), ("CatalogStore", "Glibc"), ("CatalogRepository", "CatalogSQLite"),
    ("CatalogRepository", "CatalogRemotes"), ("OfflineCatalog", "CatalogStore"),
    ("CatalogDocuments", "FoundationNetworking"), ("CatalogRemotes", "CatalogRepository"),
    ("CatalogTesting", "Testing"), ("CatalogTesting", "CatalogRepository"), ("CatalogCLI", "CatalogStore"),
    ("NoSuchRoom", "CatalogDomain"),
  ])
  func `a room may not see what it has no business with`(room: String, module: String) {
    let source = SwiftSource("import \(module)")
    #expect(
      Rooms.violations(in: source, room: room, file: "Made.swift") == ["\(room)/Made.swift imports \(module)"]
    )
  }

  @Test func `libc is for the room of SQLite, and for the file that reads the clocks`() {
    let source = SwiftSource("#if canImport(Glibc)\n  import Glibc\n#endif")
    #expect(Rooms.violations(in: source, room: "CatalogSQLite", file: "Made.swift").isEmpty)
    #expect(Rooms.violations(in: source, room: "CatalogRepository", file: Rooms.clockFile).isEmpty)
    #expect(!Rooms.violations(in: source, room: "CatalogRepository", file: "Made.swift").isEmpty)
    #expect(!Rooms.violations(in: source, room: "CatalogStore", file: Rooms.clockFile).isEmpty)
  }

  @Test func `a reason counts only in a comment that is joined to what it explains`() {
    let pattern = SourceRules.unsafeWord
    #expect(SwiftSource("// Safe because it is locked.\nlet x = unsafe y").unexplained(pattern).isEmpty)
    #expect(
      SwiftSource("/// because\n@a\nfinal class X:\n  @unchecked Sendable {}").unexplained(pattern).isEmpty)
    #expect(SwiftSource("let x = unsafe y  // because it is locked").unexplained(pattern).isEmpty)
    #expect(
      SwiftSource("final class X: @unchecked Sendable {\n  // Sendable because").unexplained(pattern).isEmpty)
    #expect(SwiftSource("// because\n\nlet x = unsafe y").unexplained(pattern) == [3])
    #expect(SwiftSource("let because = 1\nlet x = unsafe y").unexplained(pattern) == [2])
    #expect(SwiftSource("nonisolated(unsafe) var x = 1").unexplained(pattern) == [1])
    #expect(SwiftSource("struct S: @unchecked Sendable {}").unexplained(pattern) == [1])
    #expect(
      SwiftSource("// unsafe\nlet s = \"unsafe\"\nlet unsafely = 1; let r = #/unsafe/#").unexplained(pattern)
        .isEmpty)
  }
}
