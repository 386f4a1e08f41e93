import CatalogDomain
import CatalogTesting
import Testing

/// One suite for every source of `BoundarySources`.
@Suite(.timeLimit(.minutes(5)))
struct CatalogQueryContractTests {
  @Test(arguments: BoundarySources.available, CatalogReadingContract.cases)
  func `a query over a source keeps the contract`(
    source: CatalogReadingSource, promise: CatalogReadingContract.Case
  ) async throws {
    try await promise.run(over: source)
  }

  @Test(arguments: BoundarySources.unavailable)
  func `a source that has established nothing is unavailable, never empty`(
    source: CatalogReadingSource
  ) async throws {
    var asked = false
    try await source.withCatalog(holding: []) { catalog in
      try CatalogReadingContract.requireUnavailable(catalog)
      asked = true
    }
    #expect(asked)
  }

  @Test func `an error of the source passes through a query unchanged`() {
    struct Broken: Error, Equatable {}
    struct BrokenCatalog: CatalogReading {
      func books() throws -> [BookSummary] { throw Broken() }
    }
    #expect(throws: Broken()) { try CatalogQuery(source: BrokenCatalog()).titles(matching: "") }
  }
}
