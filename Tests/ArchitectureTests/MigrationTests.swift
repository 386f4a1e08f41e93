import CatalogMigrations
import Foundation
import Testing

/// The register of migrations against the files beside it.
@Suite(.timeLimit(.minutes(5)))
struct MigrationTests {
  private let folder = Repository.root.appending(path: "Migrations/SQL")

  @Test func `every migration file is in the register, in order and byte for byte`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { !$0.hasPrefix(".") }.sorted()
    #expect(!files.isEmpty)
    #expect(MigrationRegister.all.map(\.fileName) == files)
    for migration in MigrationRegister.all {
      let text = try Data(contentsOf: folder.appending(path: migration.fileName))
      #expect(Data(migration.sql.utf8) == text, "\(migration.fileName) isn't what is embedded.")
    }
  }

  @Test func `versions go up by one from one, as the files' numbers do`() {
    for (position, migration) in MigrationRegister.all.enumerated() {
      #expect(migration.version == position + 1)
      #expect(Int(migration.fileName.prefix(4)) == migration.version)
    }
    #expect(MigrationRegister.latestVersion == MigrationRegister.all.last?.version)
  }

  @Test func `names are four digits, a verb and a noun, and can't collide once embedded`() {
    for migration in MigrationRegister.all {
      #expect(
        migration.fileName.wholeMatch(of: #/[0-9]{4}(_[a-z0-9]+){2,}\.sql/#) != nil, "\(migration.fileName)")
    }
    // Embedding drops the first digit.
    let embedded = MigrationRegister.all.map { $0.fileName.dropFirst() }
    #expect(Set(embedded).count == embedded.count)
  }
}
