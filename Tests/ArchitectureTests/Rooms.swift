/// The table of rooms: what each may import, and what the package offers.
enum Rooms {
  private static let libc: Set<String> = ["Darwin", "Glibc", "Musl"]
  private static let freeAboveTheDomain: Set<String> = ["Dispatch", "Observation"]
  private static let publicRooms: Set<String> = [
    "CatalogDocuments", "CatalogDomain", "CatalogRemotes", "CatalogRepository", "CatalogTesting",
    "OfflineCatalog",
  ]

  private static let table: [String: Set<String>] = [
    "CatalogDomain": [],
    "CatalogMigrations": [],
    "CatalogSQLite": libc.union(freeAboveTheDomain).union(["CSQLite"]),
    "CatalogStore": freeAboveTheDomain.union(["CatalogDomain", "CatalogMigrations", "CatalogSQLite"]),
    "CatalogRepository": freeAboveTheDomain.union(["CatalogDomain", "CatalogStore"]),
    "OfflineCatalog": freeAboveTheDomain.union(["CatalogDomain", "CatalogRepository", "Foundation"]),
    "CatalogDocuments": freeAboveTheDomain.union(["CatalogDomain", "Foundation", "FoundationXML"]),
    "CatalogRemotes": freeAboveTheDomain.union([
      "CatalogDocuments", "CatalogDomain", "Foundation", "FoundationNetworking",
    ]),
    "CatalogTesting": freeAboveTheDomain.union(["CatalogDomain"]),
    "CatalogCLI": publicRooms.union(freeAboveTheDomain).union(["Foundation"]),
    "catalogctl": publicRooms.union(freeAboveTheDomain).union(["CatalogCLI", "Foundation"]),
  ]

  /// The one file above the domain that reads the system's clocks and boot identity.
  static let clockFile = "SystemWallClock.swift"

  /// The rooms that are in Swift.
  static var names: Set<String> { Set(table.keys) }

  /// The folders that hold no Swift of their own.
  static let systemRooms: Set<String> = ["CSQLite"]

  /// The products, each with its targets.
  static let products: [String: Set<String>] = [
    "OfflineCatalog": ["OfflineCatalog", "CatalogDomain", "CatalogRepository"],
    "CatalogRemotes": ["CatalogRemotes", "CatalogDocuments"],
    "CatalogTesting": ["CatalogTesting"],
    "catalogctl": ["catalogctl"],
  ]

  /// What a file of a room may import.
  static func mayImport(_ room: String, file: String) -> Set<String> {
    let allowed = table[room] ?? []
    return file == clockFile && room == "CatalogRepository" ? allowed.union(libc) : allowed
  }

  /// The targets of this package that a room may depend on.
  static func mayDependOn(_ room: String) -> Set<String> {
    (table[room] ?? []).intersection(names.union(systemRooms))
  }

  /// What is wrong with a file's imports, one sentence each.
  static func violations(in source: SwiftSource, room: String, file: String) -> [String] {
    let allowed = mayImport(room, file: file)
    let (imported, asked) = source.modules
    return imported.subtracting(allowed).sorted().map { "\(room)/\(file) imports \($0)" }
      + asked.subtracting(allowed).sorted().map { "\(room)/\(file) asks for \($0) with canImport" }
  }
}
