import CatalogDomain
import CatalogRepository
import CatalogTesting
import Testing

/// What adapters may hand over that is unusual, and must do no harm.
@Suite(.timeLimit(.minutes(5)))
struct AnswerTests {
  let fixture: Fixture
  let cache: CatalogCache

  init() throws {
    fixture = try Fixture()
    cache = try fixture.open()
  }

  @Test func `a bad item that claims one of the store's own numbers takes no book's place`() async throws {
    let page = FetchPage(
      entries: [text("urn:a", "A"), text("urn:b", "B")],
      rejected: [
        RejectedItem(
          position: "item 3", identifier: .number(CatalogEntry.reservedIDs.lowerBound),
          reason: "It has no title.")
      ])
    let remote = ScriptedRemote { request in Issue.record("unscripted: \(request.catalog)") }
    remote.always(.pages([page]))
    let catalog = try cache.catalog(for: "ada", remote: remote)
    for mode in [RefreshMode.always, .forced] {
      try await catalog.refresh(mode)
      #expect(try catalog.books().map(\.title) == ["A", "B"])
    }
    #expect(try cache.verify(.full).problems.isEmpty)
  }

  /// A remote that fetches its pages side by side, as the port allows.
  private struct ParallelRemote: CatalogFetching {
    @concurrent func fetch(
      _ request: FetchRequest, into sink: any FetchSink
    ) async throws(CatalogError) -> FetchConclusion {
      try await sink.begin(FetchHead())
      let failures = await withTaskGroup(of: CatalogError?.self) { group in
        for page in 0..<8 {
          group.addTask {
            do throws(CatalogError) {
              try await sink.accept(
                FetchPage(entries: (0..<200).map { book(page * 200 + $0, "page \(page)") }))
              return nil
            } catch {
              return error
            }
          }
        }
        return await group.reduce(into: [CatalogError]()) { failures, failure in
          if let failure { failures.append(failure) }
        }
      }
      if let failure = failures.first { throw failure }
      return .complete
    }
  }

  @Test func `pages that come side by side are taken one after another`() async throws {
    let catalog = try cache.catalog(for: "ada", remote: ParallelRemote())
    for _ in 0..<5 {
      try await catalog.refresh(.forced)
      #expect(try catalog.books().map(\.id) == Array(0..<1600))
    }
  }

  @Test(arguments: ["title", "subtitle", "language", "identifier", "author"])
  func `every text of a book counts towards the bound on what is kept in memory`(_ field: String) async throws
  {
    let long = String(repeating: "x", count: 2000)
    var entry = field == "identifier" ? text(long, "T") : book(1, field == "title" ? long : "T")
    if field == "subtitle" { entry.subtitle = long }
    if field == "language" { entry.language = long }
    if field == "author" { entry.authors = [long] }
    let small = try CatalogCache.inMemory(
      configuration: .init(memoryLimitInBytes: 1000, clock: fixture.clock))
    let remote = ScriptedRemote.always([entry], head: FetchHead(freshness: ServerFreshness(noStore: true)))
    let error = await #expect(throws: CatalogError.self) {
      try await small.catalog(for: "ada", remote: remote).refresh()
    }
    #expect(error?.code == .tooLarge)
  }
}
