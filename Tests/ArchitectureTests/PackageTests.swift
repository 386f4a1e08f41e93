import Foundation
import Testing

/// The manifest and the top level against the table of rooms.
@Suite(.timeLimit(.minutes(5)))
struct PackageTests {
  private struct Manifest: Decodable {
    struct Product: Decodable {
      let name: String
      let targets: [String]
    }

    struct Target: Decodable {
      struct Dependency: Decodable {
        let name: String

        // {"byName": ["CatalogDomain", null]}, or "target" or "product" in place of "byName".
        init(from decoder: any Decoder) throws {
          let container = try decoder.singleValueContainer()
          let values = try container.decode([String: [String?]].self).values
          guard values.count == 1, let name = values.first?.first ?? nil else {
            throw DecodingError.dataCorruptedError(
              in: container, debugDescription: "A dependency has one kind and a name.")
          }
          self.name = name
        }
      }

      let name: String
      let type: String
      let path: String?
      let dependencies: [Dependency]

      /// Whether it is only there for tests, as a second process that they drive is.
      var isForTests: Bool { type == "test" || path?.hasPrefix("Tests/") == true }
    }

    struct Outside: Decodable {}

    let products: [Product]
    let targets: [Target]
    let dependencies: [Outside]
  }

  private let manifest: Manifest

  init() throws {
    // A scratch path of its own: the build that runs this test holds the usual one.
    let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
    defer {
      try? FileManager.default.removeItem(at: scratch)  // It may not have been made at all.
    }
    let dump = try Repository.run("swift", "package", "--scratch-path", scratch.path, "dump-package")
    manifest = try JSONDecoder().decode(Manifest.self, from: Data(dump.output.utf8))
  }

  @Test func `the products are those of the table, each there as soon as its room is`() {
    let targets = Set(manifest.targets.map(\.name))
    for product in manifest.products {
      #expect(Set(product.targets) == Rooms.products[product.name], "The product \(product.name) differs.")
    }
    for name in Rooms.products.keys where targets.contains(name) {
      #expect(manifest.products.contains { $0.name == name }, "There is a target \(name), but no product.")
    }
  }

  @Test func `a target depends on nothing that its room may not import, and on all that it does import`()
    throws
  {
    let files = try Repository.swiftFiles(under: ["Sources", "Migrations"])
    for target in manifest.targets where !target.isForTests && target.type != "system" {
      #expect(Rooms.names.contains(target.name), "The table has no room \(target.name).")
      let declared = Set(target.dependencies.map(\.name))
      let excess = declared.subtracting(Rooms.mayDependOn(target.name))
      #expect(excess.isEmpty, "\(target.name) may not depend on \(excess.sorted()).")
      let imported = files.filter { Repository.room(of: $0.path) == target.name }
        .reduce(into: Set<String>()) { $0.formUnion($1.source.modules.imported) }
        .intersection(Rooms.names.union(Rooms.systemRooms))
      let undeclared = imported.subtracting(declared)
      #expect(undeclared.isEmpty, "\(target.name) imports \(undeclared.sorted()) without depending on it.")
    }
  }

  @Test func `the package depends on no other package`() {
    #expect(manifest.dependencies.isEmpty)
  }

  @Test func `every folder of sources and tests is a target`() throws {
    let targets = Set(manifest.targets.map(\.name))
    for folder in ["Sources", "Tests"] {
      let path = Repository.root.appending(path: folder).path
      for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasPrefix(".") {
        #expect(targets.contains(name), "\(folder)/\(name) is built by no target.")
      }
    }
  }

  @Test func `the top level holds the manifest, the README, sources, tests and migrations, and nothing else`()
    throws
  {
    let allowed: Set<String> = ["Package.swift", "README.md", "Sources", "Tests", "Migrations"]
    for name in try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
    where !name.hasPrefix(".") && !allowed.contains(name) {
      // 128: not a clone but a copy, where nothing is ignored.
      let code = try Repository.run("git", "check-ignore", "--quiet", name, allowing: [0, 1, 128]).code
      #expect(code == 0, "\(name) doesn't belong at the top level.")
    }
  }
}
