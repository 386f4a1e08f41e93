/// One step of the schema's history: a SQL file of this folder, embedded in the binary.
package struct Migration: Sendable {
  /// Its place in the history, from 1; `user_version` once it was applied.
  package let version: Int
  /// The name of its file.
  package let fileName: String
  /// The statements.
  package let sql: String
}

/// The schema's history, oldest first.
///
/// It is append-only: a file that has been released never changes.
package enum MigrationRegister {
  /// Every migration, in order.
  package static let all: [Migration] = [
    (name: "0001_create_catalog.sql", bytes: PackageResources._001_create_catalog_sql),
    (name: "0002_add_subtitle.sql", bytes: PackageResources._002_add_subtitle_sql),
    (name: "0003_add_validator_scope.sql", bytes: PackageResources._003_add_validator_scope_sql),
  ].enumerated().map { position, file in
    Migration(version: position + 1, fileName: file.name, sql: String(decoding: file.bytes, as: UTF8.self))
  }

  /// The version of the schema that this library writes.
  package static var latestVersion: Int { all.count }
}
