// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "OfflineCatalog",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "OfflineCatalog", targets: ["OfflineCatalog", "CatalogDomain", "CatalogRepository"]),
    .library(name: "CatalogRemotes", targets: ["CatalogRemotes", "CatalogDocuments"]),
    .library(name: "CatalogTesting", targets: ["CatalogTesting"]),
    .executable(name: "catalogctl", targets: ["catalogctl"]),
  ],
  targets: [
    .target(name: "CatalogDomain"),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "CatalogSQLite", dependencies: ["CSQLite"]),
    .target(name: "CatalogMigrations", path: "Migrations", resources: [.embedInCode("SQL")]),
    .target(name: "CatalogStore", dependencies: ["CatalogDomain", "CatalogSQLite", "CatalogMigrations"]),
    .target(name: "CatalogRepository", dependencies: ["CatalogDomain", "CatalogStore"]),
    .target(name: "OfflineCatalog", dependencies: ["CatalogDomain", "CatalogRepository"]),
    .target(name: "CatalogDocuments", dependencies: ["CatalogDomain"]),
    .target(name: "CatalogRemotes", dependencies: ["CatalogDomain", "CatalogDocuments"]),
    .target(name: "CatalogTesting", dependencies: ["CatalogDomain"]),
    .target(
      name: "CatalogCLI",
      dependencies: [
        "CatalogDocuments", "CatalogDomain", "CatalogRemotes", "CatalogRepository", "CatalogTesting",
        "OfflineCatalog",
      ]),
    .executableTarget(name: "catalogctl", dependencies: ["CatalogCLI"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["CatalogRemotes", "CatalogTesting", "OfflineCatalog"]),
    .testTarget(name: "SQLiteTests", dependencies: ["CatalogSQLite"]),
    .testTarget(name: "ArchitectureTests", dependencies: ["CatalogMigrations"]),
    .testTarget(
      name: "BoundaryTests",
      dependencies: ["CatalogDomain", "CatalogRepository", "CatalogTesting"]),
    .testTarget(name: "OfflineCatalogTests", dependencies: ["CatalogTesting", "OfflineCatalog"]),
    .testTarget(name: "DomainTests", dependencies: ["CatalogDomain", "CatalogTesting"]),
    .testTarget(name: "TestingTests", dependencies: ["CatalogDomain", "CatalogTesting"]),
    .testTarget(
      name: "RepositoryTests",
      dependencies: [
        "CatalogDomain", "CatalogMigrations", "CatalogRepository", "CatalogSQLite", "CatalogStore",
        "CatalogTesting",
      ],
      resources: [.copy("Fixtures")]),
    .testTarget(name: "DocumentsTests", dependencies: ["CatalogDomain", "CatalogDocuments"]),
    .target(name: "TestServer", dependencies: ["CatalogDomain"], path: "Tests/TestServer"),
    .testTarget(
      name: "RemotesTests",
      dependencies: [
        "CatalogDomain", "CatalogDocuments", "CatalogRemotes", "CatalogRepository", "CatalogTesting",
        "TestServer",
      ]),
    .testTarget(
      name: "RealServerTests",
      dependencies: ["CatalogDomain", "CatalogRemotes", "CatalogRepository", "CatalogTesting"]),
    .testTarget(
      name: "CLITests",
      dependencies: ["CatalogCLI", "CatalogDomain", "CatalogRepository", "TestServer", "catalogctl"],
      exclude: ["Golden"]),
    .executableTarget(
      name: "DurabilityWorker",
      dependencies: [
        "CatalogDomain", "CatalogRepository", "CatalogSQLite", "CatalogStore", "CatalogTesting",
      ],
      path: "Tests/DurabilityWorker"),
    .testTarget(
      name: "DurabilityTests",
      dependencies: [
        "CatalogDomain", "CatalogRepository", "CatalogSQLite", "CatalogStore", "CatalogTesting",
        "DurabilityWorker",
      ],
      exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}
