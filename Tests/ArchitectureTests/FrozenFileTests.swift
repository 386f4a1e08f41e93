import Testing

/// The boundary was there before the cache and stays as it is under it: the same blobs, byte for byte.
@Suite(.timeLimit(.minutes(5)))
struct FrozenFileTests {
  private static let blobs = [
    ("Sources/CatalogDomain/Boundary/BookSearching.swift", "50c88a5d8b6cb43954b0b7934d28ff5f17923d88"),
    ("Sources/CatalogDomain/Boundary/BookSummary.swift", "b8a37fbcc353cff05ca9a83f7bbed0b8b4f023ae"),
    ("Sources/CatalogDomain/Boundary/CatalogQuery.swift", "71cff26f724c37387d797f858917ee3cacf39ad3"),
    ("Sources/CatalogDomain/Boundary/CatalogReading.swift", "5c4de94d39255233c40a7fa5d68267be1ff59504"),
    ("Sources/CatalogDomain/Boundary/SearchPhase.swift", "cd9b3a154ea8974201a53733a895ccb00abb283e"),
    ("Sources/CatalogDomain/Boundary/SearchSession.swift", "6816159d6f0e735221942f4517c74e112933a41e"),
    (
      "Sources/CatalogTesting/Boundary/CatalogReadingContract.swift",
      "0da8ca7ee2c52fac4d12c90e21688926a27facdc"
    ),
    ("Sources/CatalogTesting/Boundary/ContractViolation.swift", "af79f44f4a82262cf78c01d4d22ddb458f1f187f"),
    ("Sources/CatalogTesting/Boundary/ControlledSearch.swift", "818f0bf4aa73cb5b05ef27d303206a2069ce6205"),
    ("Sources/CatalogTesting/Boundary/FixtureCatalog.swift", "1ea6d01ffcabccd0e067997d3e00bde613545b37"),
    ("Tests/BoundaryTests/CatalogQueryContractTests.swift", "0864e6ddeef5db29e8e4086f6bbe1322f7e10486"),
    ("Tests/BoundaryTests/SearchSessionTests.swift", "7103eebfdca8b325dec715f8ef114b21d68206cf"),
  ]

  @Test(arguments: blobs)
  func `a frozen file is the blob it was when it was frozen`(path: String, blob: String) throws {
    let found = try Repository.run("git", "hash-object", "--no-filters", path).output
    #expect(found == blob + "\n", "\(path) has changed. Put it back; a new rule is a new, named value.")
  }

  @Test func `no file was added beside the frozen ones`() throws {
    let folders = ["Sources/CatalogDomain/Boundary", "Sources/CatalogTesting/Boundary"]
    let found = try Repository.swiftFiles(under: folders).map(\.path)
    #expect(found == Self.blobs.map(\.0).filter { $0.hasPrefix("Sources/") })
  }
}
