import Foundation

/// The files of this repository, as a test finds them from its own place.
enum Repository {
  struct CommandFailure: Error, CustomStringConvertible {
    let description: String
  }

  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let sources: Result<[String: SwiftSource], any Error> = Result {
    var sources: [String: SwiftSource] = [:]
    for folder in ["Migrations", "Sources", "Tests"] {
      for name in try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      where name.hasSuffix(".swift") {
        let path = "\(folder)/\(name)"
        sources[path] = SwiftSource(try String(contentsOf: root.appending(path: path), encoding: .utf8))
      }
    }
    return sources
  }

  /// The Swift files under folders, by path from the top level, sorted.
  static func swiftFiles(under folders: [String]) throws -> [(path: String, source: SwiftSource)] {
    try sources.get()
      .filter { file in folders.contains { file.key.hasPrefix($0 + "/") } }
      .sorted { $0.key < $1.key }
      .map { (path: $0.key, source: $0.value) }
  }

  /// The room that a file belongs to: its folder under `Sources`, or `Migrations`' own.
  static func room(of path: String) -> String? {
    let parts = path.split(separator: "/")
    return switch parts.first {
    case "Migrations": "CatalogMigrations"
    case "Sources" where parts.count > 2: String(parts[1])
    default: nil
    }
  }

  /// Runs a command in the repository and returns its output, and its exit code if that is one of those allowed.
  static func run(
    _ arguments: String..., allowing allowed: Set<Int32> = [0]
  ) throws -> (output: String, code: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = root
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let code = process.terminationStatus
    guard allowed.contains(code) else {
      throw CommandFailure(description: "'\(arguments.joined(separator: " "))' exited with \(code).")
    }
    return (String(decoding: output, as: UTF8.self), code)
  }
}
