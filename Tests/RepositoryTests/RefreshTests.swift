import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RefreshTests {
  let fixture: Fixture
  let cache: CatalogCache
  let remote = ScriptedRemote { request in Issue.record("unscripted: \(request.catalog)") }
  let catalog: CachedCatalog

  init() throws {
    fixture = try Fixture()
    cache = try fixture.open()
    catalog = try cache.catalog(for: "ada", remote: remote)
  }

  private func titles() throws -> [String] { try catalog.books().map(\.title) }

  private func updated(_ outcome: RefreshOutcome) throws -> RefreshSummary {
    guard case .updated(let summary) = outcome else {
      throw ContractViolation("expected rows to be updated, got \(outcome)")
    }
    return summary
  }

  @Test func `a refresh adds, changes and removes what differs, and says how much`() async throws {
    remote.script(.entries([book(1, "one"), book(2, "two"), book(3, "three")]))
    var summary = try updated(await catalog.refresh())
    #expect((summary.added, summary.changed, summary.removed, summary.total) == (3, 0, 0, 3))
    remote.script(.entries([book(2, "two"), book(3, "drei"), book(4, "four")]))
    summary = try updated(await catalog.refresh())
    #expect((summary.added, summary.changed, summary.removed, summary.total) == (1, 1, 1, 3))
    #expect(try titles() == ["two", "drei", "four"])
  }

  @Test func `an empty complete answer is believed`() async throws {
    remote.script(.entries([book(1, "one")]), .entries([]))
    try await catalog.refresh()
    try await catalog.refresh()
    #expect(try catalog.books().isEmpty)
    #expect(catalog.status().presence == .loaded)
    #expect(catalog.status().bookCount == 0)
  }

  @Test func `a partial answer adds and changes, deletes nothing, and says so`() async throws {
    remote.script(
      .entries([book(1, "one"), book(2, "two")]),
      .entries([book(2, "zwei"), book(3, "three")], conclusion: .partial(reason: "page 2 failed")))
    try await catalog.refresh()
    let summary = try updated(await catalog.refresh())
    let found = try titles()
    #expect(found == ["one", "zwei", "three"])
    #expect(!summary.isComplete && summary.partialReason == "page 2 failed")
    #expect(!catalog.status().isComplete)
  }

  @Test func `a first answer that is partial and empty loads nothing`() async throws {
    remote.script(.entries([], conclusion: .partial(reason: "page 1 failed")))
    let error = await #expect(throws: CatalogError.self) { try await catalog.refresh() }
    #expect(error?.code == .badResponse)
    #expect(catalog.status().presence == .neverLoaded)
    #expect(catalog.status().lastFailure?.code == .badResponse)
  }

  @Test func `a first answer that is partial loads what it brought`() async throws {
    remote.script(.entries([book(1, "one")], conclusion: .partial(reason: "page 2 failed")))
    try await catalog.refresh()
    #expect(try titles() == ["one"])
    #expect(!catalog.status().isComplete)
  }

  @Test func `a bad item with a readable identifier keeps its row, and the answer stays complete`()
    async throws
  {
    remote.script(
      .entries([book(1, "one"), book(2, "two"), text("urn:x", "ex")]),
      .pages([
        FetchPage(
          entries: [book(3, "three")],
          rejected: [
            RejectedItem(position: "item 2", identifier: .number(2), reason: "no title"),
            RejectedItem(position: "item 3", identifier: .text("urn:x"), reason: "no title"),
            RejectedItem(position: "item 4", identifier: .number(9), reason: "no title"),
          ])
      ]))
    try await catalog.refresh()
    let summary = try updated(await catalog.refresh())
    #expect(try titles() == ["two", "three", "ex"])
    #expect(summary.isComplete && summary.removed == 1 && summary.rejectedCount == 3)
    #expect(summary.rejected.map(\.position) == ["item 2", "item 3", "item 4"])
  }

  @Test func `a bad item without an identifier makes the answer partial`() async throws {
    remote.script(
      .entries([book(1, "one")]),
      .pages([
        FetchPage(entries: [book(2, "two")], rejected: [RejectedItem(position: "item 1", reason: "no id")])
      ]))
    try await catalog.refresh()
    let summary = try updated(await catalog.refresh())
    #expect(try titles() == ["one", "two"])
    #expect(!summary.isComplete && summary.removed == 0)
  }

  @Test func `of a repeated book the first wins, and the others are counted`() async throws {
    remote.script(
      .pages([
        FetchPage(entries: [book(1, "first"), text("a", "A")]),
        FetchPage(entries: [
          book(1, "second"), text("a", "B"), text("a\u{301}", "composed"), text("\u{E1}", "other"),
        ]),
      ]))
    let summary = try updated(await catalog.refresh())
    #expect(summary.repeated == 2)
    #expect(try titles() == ["first", "A", "composed", "other"])
  }

  @Test func `a readable book takes the place of an unreadable one of the same identifier`() async throws {
    remote.script(
      .pages([
        FetchPage(
          entries: [],
          rejected: [RejectedItem(position: "item 1", identifier: .number(1), reason: "no title")]),
        FetchPage(entries: [book(1, "good")]),
      ]))
    try await catalog.refresh()
    #expect(try titles() == ["good"])
  }

  @Test func `text identifiers get ids in the order met, and keep them for good`() async throws {
    remote.script(
      .entries([text("b", "B"), text("a", "A")]), .entries([text("c", "C"), text("a", "A")]),
      .entries([text("c", "C"), text("b", "B again"), text("a", "A")]),
      .entries([text("a", "A"), text("b", "B"), text("c", "C"), text("d", "D")]))
    try await catalog.refresh()
    let base = CatalogEntry.reservedIDs.lowerBound
    #expect(try catalog.books().map(\.id) == [base, base + 1])
    try await catalog.refresh()
    #expect(try titles() == ["A", "C"])
    try await catalog.refresh()
    #expect(try titles() == ["B again", "A", "C"])
    try await cache.discard(.everything)
    try await catalog.refresh()
    #expect(try titles() == ["B", "A", "C", "D"])
    #expect(try catalog.entry(identifier: .text("c"))?.id == base + 2)
    #expect(try catalog.entry(id: base + 3)?.identifier == .text("d"))
  }

  @Test func `an integer identifier in the store's own range is left out and named`() async throws {
    remote.script(.entries([book(CatalogEntry.reservedIDs.lowerBound, "taken"), book(1, "one")]))
    let summary = try updated(await catalog.refresh())
    #expect(summary.rejectedCount == 1 && !summary.isComplete)
    #expect(try titles() == ["one"])
  }

  @Test func `validators go back, and not modified moves the stamp and touches no row`() async throws {
    let head = FetchHead(
      validators: FetchValidators(entityTag: "\"1\"", lastModified: "yesterday", scope: "here"))
    remote.script(.entries([book(1, "one")], head: head), .entries([book(1, "one")], head: head))
    try await catalog.refresh()
    fixture.clock.advance(by: .seconds(3600))
    guard case .notModified = try await catalog.refresh() else {
      Issue.record("expected not modified")
      return
    }
    #expect(remote.requests[0].validators == nil)
    #expect(remote.requests[1].validators == head.validators)
    #expect(catalog.status().decision.age == .zero)
    #expect(try titles() == ["one"])
  }

  @Test func `the same books again are as good as not modified`() async throws {
    remote.always(.entries([book(1, "one"), text("x", "ex")]))
    try await catalog.refresh()
    guard case .notModified = try await catalog.refresh() else {
      Issue.record("expected not modified")
      return
    }
  }

  @Test func `not modified about rows that are gone is asked once more, unconditionally`() async throws {
    let head = FetchHead(validators: FetchValidators(entityTag: "\"1\""))
    remote.always(.entries([book(1, "one")], head: head))
    try await catalog.refresh()
    remote.hold()
    async let flying = catalog.refresh()
    try await remote.waitUntilHeld()
    try await catalog.confirm(.borrowed(id: 1, until: nil))
    remote.release()
    _ = try await flying
    #expect(remote.requests.map(\.validators) == [nil, head.validators, nil])
    // The second request was begun after the confirmation, so its answer is newer.
    #expect(try catalog.books() == [BookSummary(id: 1, title: "one", isBorrowed: false)])
  }

  @Test func `a remote that says not modified to an unconditional request is a bad response`() async throws {
    remote.always(.notModified())
    let error = await #expect(throws: CatalogError.self) { try await catalog.refresh() }
    #expect(error?.code == .badResponse)
    #expect(catalog.status().presence == .neverLoaded)
  }

  @Test func `a forced refresh sends no validators`() async throws {
    let head = FetchHead(validators: FetchValidators(entityTag: "\"1\""))
    remote.always(.entries([book(1, "one")], head: head))
    try await catalog.refresh()
    try await catalog.refresh(.forced)
    #expect(remote.requests.map(\.validators) == [nil, nil])
  }

  @Test func `a refresh if needed asks nobody while it is fresh`() async throws {
    remote.always(.entries([book(1, "one")]))
    try await catalog.refresh()
    guard case .notNeeded = try await catalog.refresh(.ifNeeded) else {
      Issue.record("expected not needed")
      return
    }
    fixture.clock.advance(by: .seconds(600))
    try await catalog.refresh(.ifNeeded)
    #expect(remote.calls == 2)
  }

  @Test func `a failure changes no row, and is said until a refresh succeeds`() async throws {
    remote.script(.entries([book(1, "one")]), .failure(.timedOut), .entries([book(1, "one")]))
    try await catalog.refresh()
    await #expect(throws: CatalogError.self) { try await catalog.refresh() }
    #expect(try titles() == ["one"])
    #expect(catalog.status().lastFailure?.code == .timedOut)
    #expect(catalog.status().isOffline)
    try await catalog.refresh()
    #expect(catalog.status().lastFailure == nil)
  }

  @Test func `an answer that fails half-way leaves no trace`() async throws {
    remote.script(
      .entries([book(1, "one")]),
      .pages([FetchPage(entries: [book(2, "two")]), FetchPage(entries: [book(3, "three")])]))
    try await catalog.refresh()
    remote.hold(.beforePage(1))
    let flying = Task { try await catalog.refresh() }
    try await remote.waitUntilHeld()
    flying.cancel()
    let error = await #expect(throws: CatalogError.self) { _ = try await flying.value }
    #expect(error?.code == .cancelled)
    #expect(try titles() == ["one"])
    #expect(catalog.status().lastFailure == nil)
  }

  @Test func `progress is told in the caller's context`() async throws {
    remote.script(
      .pages(
        [FetchPage(entries: [book(1, "one")]), FetchPage(entries: [book(2, "two")])],
        head: FetchHead(expectedBooks: 2)))
    var steps: [RefreshProgress] = []
    try await catalog.refresh { steps.append($0) }
    #expect(steps.allSatisfy { $0.expectedBooks == 2 && $0.books <= 2 })
  }

  @Test func `what may not be stored is on no disk, and load delivers it all the same`() async throws {
    let head = FetchHead(freshness: ServerFreshness(noStore: true))
    remote.always(.entries([book(7, "secret seven"), text("urn:s", "secret text")], head: head))
    guard case .notStored = try await catalog.refresh() else {
      Issue.record("expected not stored")
      return
    }
    let shown = try await catalog.load()
    guard case .notStored = shown.origin else {
      Issue.record("expected the origin notStored, got \(shown.origin)")
      return
    }
    #expect(shown.books.map(\.title) == ["secret seven", "secret text"])
    #expect(catalog.status().presence == .neverLoaded)
    for (name, bytes) in try fixture.files() {
      #expect(bytes.range(of: Data("secret".utf8)) == nil, "\(name) has it")
    }
  }

  @Test func `an answer that may not be stored makes what is held stale`() async throws {
    remote.script(
      .entries([book(1, "one")]),
      .entries([book(1, "newer")], head: FetchHead(freshness: ServerFreshness(noStore: true))))
    try await catalog.refresh()
    try await catalog.refresh()
    #expect(catalog.status().decision.rule == .markedStale)
    #expect(try titles() == ["one"])
  }

  @Test func `an answer over the memory bound that may not be stored is too large`() async throws {
    let small = try CatalogCache.inMemory(
      configuration: .init(memoryLimitInBytes: 1000, clock: fixture.clock))
    let long = (1...50).map { book($0, String(repeating: "long ", count: 20)) }
    remote.script(.entries(long, head: FetchHead(freshness: ServerFreshness(noStore: true))))
    let error = await #expect(throws: CatalogError.self) {
      try await small.catalog(for: "ada", remote: remote).refresh()
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func `an answer of which no item is a book is a bad response, and changes nothing`() async throws {
    remote.script(
      .entries([book(1, "one")]),
      .pages([
        FetchPage(
          entries: [],
          rejected: [
            RejectedItem(position: "item 1", identifier: .number(7), reason: "It has no 'title'."),
            RejectedItem(position: "item 2", reason: "It has no 'id'."),
          ])
      ]))
    try await catalog.refresh()
    let error = await #expect(throws: CatalogError.self) { try await catalog.refresh() }
    #expect(error?.code == .badResponse)
    #expect(error?.message.contains("item 1: It has no 'title'.") == true)
    #expect(try titles() == ["one"])
  }

  @Test func `what is left out is named also when no book differs`() async throws {
    let page = FetchPage(
      entries: [book(1, "one")],
      rejected: [RejectedItem(position: "item 2", identifier: .number(2), reason: "bad")])
    remote.always(.pages([page]))
    try await catalog.refresh()
    let summary = try updated(await catalog.refresh())
    #expect((summary.added, summary.changed, summary.removed, summary.total) == (0, 0, 0, 1))
    #expect(summary.rejected.map(\.position) == ["item 2"])
  }

  @Test func `rows that were damaged are fetched by a refresh if needed`() async throws {
    remote.always(.entries([book(1, "an undamaged title")]))
    try await catalog.refresh()
    try cache.close()
    try fixture.damage("an undamaged title", "an unmanaged title")
    let again = try fixture.open().catalog(for: "ada", remote: remote)
    try await again.refresh(.ifNeeded)
    #expect(try again.books().map(\.title) == ["an undamaged title"])
  }
}
