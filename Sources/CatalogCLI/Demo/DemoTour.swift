import CatalogDomain
import CatalogRemotes
import CatalogRepository
import CatalogTesting
import Foundation

/// The tour, step by step: each says what it does, does it, checks what came of it, and says what it saw.
struct DemoTour {
  private let console: any Console
  private let folder: DemoFolder
  private let clock = ManualWallClock()
  private let cache: CatalogCache
  private let drive: DriveCatalog
  private let ada: CachedCatalog

  private static let file = "ada.jsonl"
  private static let elsewhere = "unplugged"

  init(console: any Console) throws(CommandFailure) {
    self.console = console
    let folder = try DemoFolder()
    try folder.write(DemoCatalogs.ada, to: Self.file)
    try folder.write(DemoCatalogs.grace, to: "grace.json")
    let drive = DriveCatalog(folder.file(Self.file))
    let configuration = CatalogCache.Configuration(clock: clock)
    let (cache, ada) = try CommandFailure.translating { () throws(CatalogError) in
      let cache = try CatalogCache(path: folder.database, configuration: configuration)
      return (cache, try cache.catalog(for: "ada", remote: drive))
    }
    (self.folder, self.drive, self.cache, self.ada) = (folder, drive, cache, ada)
  }

  func run() async throws(CommandFailure) {
    try console.write(
      """
      A tour with two accounts, ada and grace, in a temporary folder, by a clock of its own.
      The policy is the standard one: \(PolicyText.sentence(.standard))

      """)
    try await load()
    try read()
    try await refreshUnchanged()
    try await goOffline()
    try await stayOffline()
    try expire()
    try await comeBack()
    try await switchAccount()
    try await signOut()
    try console.write("\nEverything held. Try 'catalogctl refresh' with a file of your own.\n")
  }

  // MARK: Steps

  private func load() async throws(CommandFailure) {
    try begin(1, "Load ada's catalog from a file of JSON Lines, while nothing is known of it.")
    let before = ada.status()
    try expect(before.presence == .neverLoaded, "before it is loaded, a catalog is never loaded")
    try expect(throws: .neverLoaded, "before it is loaded, reading fails") { () throws(CatalogError) in
      _ = try ada.snapshot()
    }
    try saw("before: never loaded, so reading fails; that is not the same as no books")
    guard case .updated(let summary) = try await refresh() else { throw broken("the first refresh loads") }
    try expect(summary.added == 9 && summary.isComplete, "nine books are added")
    try saw("refresh: \(Wording.count(summary.added, "book")) added; \(freshness)")
  }

  private func read() throws(CommandFailure) {
    try begin(2, "Read and search it, from disk alone.")
    let titles = try titles(matching: "")
    try expect(titles.first == DemoCatalogs.borrowed, "what is on loan comes first")
    try saw("list: \(titles.map { TerminalSafeText($0).description }.joined(separator: ", "))")
    let hits = try self.titles(matching: DemoCatalogs.query)
    try expect(hits == [DemoCatalogs.bilberries], "capital letters find small ones, accents count")
    try saw("search \(DemoCatalogs.query): \(hits.joined(separator: ", "))")
    let none = try self.titles(matching: "%")
    try expect(none.isEmpty, "a per cent sign is plain text")
    try saw("search %: no hits, and that is known")
  }

  private func refreshUnchanged() async throws(CommandFailure) {
    try begin(3, "Refresh again; the library has nothing new.")
    guard case .notModified = try await refresh() else { throw broken("the same again is not modified") }
    try saw("refresh: not modified, no book was touched")
  }

  private func goOffline() async throws(CommandFailure) {
    try folder.move(Self.file, to: Self.elsewhere)
    clock.advance(by: .seconds(1800))
    try begin(4, "Half an hour later, unplug the drive with the library, and go on reading.")
    try await expect(throws: .offline, "a refresh fails offline") { () async throws(CatalogError) in
      _ = try await ada.refresh()
    }
    let count = try titles(matching: "").count
    let status = ada.status()
    try expect(count == 9 && status.decision.freshness == .stale, "stale books are served")
    try expect(status.isOffline, "the status says that the remote is out")
    try saw("refresh: fails, offline; the books are as they were")
    try saw("list: \(count) books; \(freshness)")
  }

  private func stayOffline() async throws(CommandFailure) {
    clock.advance(by: .seconds(4 * 86_400))
    try begin(5, "Four days later, still offline, ask for what is fresh enough.")
    let snapshot = try await result { () async throws(CatalogError) in try await ada.load() }
    guard case .savedAfter(let error) = snapshot.origin, error.code == .offline else {
      throw broken("stale books are served after the refresh failed, and say so")
    }
    try expect(snapshot.books.count == 9, "all books are served")
    try expect(!snapshot.books.contains(where: \.isBorrowed), "a loan that has ended is over, offline too")
    try saw(
      "load: \(snapshot.books.count) books, saved \(age), because the refresh failed: \(error.code.name)")
    try saw("status: \(freshness)")
    try saw("the loan of '\(DemoCatalogs.borrowed)' has ended by itself meanwhile")
  }

  private func expire() throws(CommandFailure) {
    clock.advance(by: .seconds(4 * 86_400))
    try begin(6, "Four more days later: too old for the policy.")
    try expect(throws: .unavailable, "expired books aren't served") { () throws(CatalogError) in
      _ = try ada.snapshot()
    }
    try expect(!canRead, "a query over an expired catalog fails; it isn't empty")
    let status = ada.status()
    try expect(status.bookCount == 9 && status.decision.freshness == .expired, "the books are still held")
    try saw("list: unavailable, which is not an empty list; \(freshness)")
  }

  private func comeBack() async throws(CommandFailure) {
    try folder.move(Self.elsewhere, to: Self.file)
    try folder.write(DemoCatalogs.adaLater, to: Self.file)
    try begin(7, "Plug the drive in again; the library has corrected one title meanwhile.")
    guard case .updated(let summary) = try await refresh() else {
      throw broken("a changed file is an update")
    }
    try expect(summary.changed == 1 && summary.added == 0 && summary.removed == 0, "one book is written")
    try saw("refresh: \(Wording.count(summary.changed, "book")) changed, none added or removed; \(freshness)")
  }

  private func switchAccount() async throws(CommandFailure) {
    try begin(8, "Switch to grace, who has no books.")
    let session = AccountSession(cache: cache) { [drive, folder] account -> any CatalogFetching in
      if account == "ada" { return drive }
      return FileCatalog(folder.file("grace.json"))
    }
    try CommandFailure.translating { () throws(CatalogError) in try session.switchAccount(to: "ada") }
    session.search?.search(DemoCatalogs.query)
    try expect(hits(session) == 1, "ada's search finds her book")
    try CommandFailure.translating { () throws(CatalogError) in try session.switchAccount(to: "grace") }
    guard let grace = session.catalog else { throw broken("grace is signed in") }
    try expect(grace.status().presence == .neverLoaded, "nothing is known of grace's catalog yet")
    session.search?.search(DemoCatalogs.query)
    try expect(hits(session) == nil, "a search of what isn't known is unavailable, not without hits")
    try saw("before it is loaded: grace's search is unavailable, and shows nothing of ada's")
    _ = try await result { () async throws(CatalogError) in try await grace.refresh() }
    let books = try CommandFailure.translating { () throws(CatalogError) in try grace.snapshot().books }
    try expect(books.isEmpty && grace.status().presence == .loaded, "grace's catalog is known to be empty")
    session.search?.search(DemoCatalogs.query)
    try expect(hits(session) == 0, "grace's search knows that there are no hits")
    try saw("after: loaded, no books; her search has no hits, and that is known")
  }

  private func signOut() async throws(CommandFailure) {
    try begin(9, "Sign ada out while a refresh of hers is in flight: all of its answer has come.")
    let before = try folder.traces(of: DemoCatalogs.traces)
    try expect(before.found.count == DemoCatalogs.traces.count, "ada's texts are found in the files before")
    try saw(
      "before: \(before.found.count) of \(DemoCatalogs.traces.count) texts of hers are in the cache's files")
    let held = HeldCatalog(drive)
    let late = try CommandFailure.translating { () throws(CatalogError) in
      try cache.catalog(for: "ada", remote: held)
    }
    let flight = Task { () async -> Result<RefreshOutcome, CatalogError> in
      do throws(CatalogError) {
        return .success(try await late.refresh(.forced))
      } catch {
        return .failure(error)
      }
    }
    try expect(await held.waitForArrival(), "the refresh is in flight")
    let report = try await result { () async throws(CatalogError) in try await cache.forget("ada") }
    held.release()
    guard case .failure(let error) = await flight.value, error.code == .revoked else {
      throw broken("a refresh that ends after the sign-out is refused")
    }
    try saw(
      "sign-out: \(Wording.count(report.books, "book")) forgotten; then the refresh ends: \(error.code.name)")
    try expect(ada.status().presence == .revoked && !canRead, "the old handle is dead")
    let again = try CommandFailure.translating { () throws(CatalogError) in
      try cache.catalog(for: "ada", remote: drive)
    }
    try expect(again.status().presence == .neverLoaded, "nothing came back")
    try saw("ada's old handle: revoked; signed in again: never loaded, nothing came back")
    let after = try folder.traces(of: DemoCatalogs.traces)
    try expect(after.found.isEmpty, "no byte of ada's titles is left")
    try saw("after: 0 of \(DemoCatalogs.traces.count) texts of hers are in the cache's \(after.files) files")
    let known = try CommandFailure.translating { () throws(CatalogError) in
      try cache.catalog(for: "grace", remote: FileCatalog(folder.file("grace.json"))).status()
    }
    try expect(known.presence == .loaded && known.bookCount == 0, "grace's catalog is as it was")
    let verified = try CommandFailure.translating { () throws(CatalogError) in try cache.verify(.full) }
    try expect(verified.problems.isEmpty, "the database is sound")
    try saw("grace's catalog is as it was, and the database is sound")
  }

  // MARK: Doing

  private func refresh() async throws(CommandFailure) -> RefreshOutcome {
    try await result { () async throws(CatalogError) in try await ada.refresh() }
  }

  private func result<Value>(
    _ body: () async throws(CatalogError) -> Value
  ) async throws(CommandFailure) -> Value {
    do throws(CatalogError) {
      return try await body()
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The titles as an app asks for them: through the boundary, which knows nothing of caches.
  private func titles(matching query: String) throws(CommandFailure) -> [String] {
    do {
      return try CatalogQuery(source: ada).titles(matching: query)
    } catch {
      throw broken("the catalog can be read")
    }
  }

  private var canRead: Bool {
    do {
      _ = try CatalogQuery(source: ada).titles(matching: "")
      return true
    } catch {
      return false
    }
  }

  /// How many hits a search screen shows; nil if it says that search is unavailable.
  private func hits(_ session: AccountSession) -> Int? {
    if case .loaded(let books)? = session.search?.phase { books.count } else { nil }
  }

  private var age: String {
    ada.status().decision.age.map { "\(AgeText.text($0)) ago" } ?? "at an unknown time"
  }

  private var freshness: String {
    let decision = ada.status().decision
    return
      "\(decision.freshness.rawValue) (\(decision.rule.rawValue)), \(AgeText.text(decision.age ?? .zero)) old"
  }

  // MARK: Saying

  private func begin(_ number: Int, _ what: String) throws(CommandFailure) {
    guard !Task.isCancelled else { throw .failed(.interrupted, "The tour was interrupted.") }
    try console.write("\n\(number). \(what)\n")
  }

  private func saw(_ what: String) throws(CommandFailure) {
    try console.write("   \(what)\n")
  }

  private func expect(_ holds: Bool, _ what: String) throws(CommandFailure) {
    guard holds else { throw broken(what) }
  }

  private func expect(
    throws code: CatalogError.Code, _ what: String, _ body: () throws(CatalogError) -> Void
  ) throws(CommandFailure) {
    do throws(CatalogError) {
      try body()
    } catch {
      return try expect(error.code == code, what)
    }
    throw broken(what)
  }

  private func expect(
    throws code: CatalogError.Code, _ what: String, _ body: () async throws(CatalogError) -> Void
  ) async throws(CommandFailure) {
    do throws(CatalogError) {
      try await body()
    } catch {
      return try expect(error.code == code, what)
    }
    throw broken(what)
  }

  private func broken(_ what: String) -> CommandFailure {
    .failed(.failed, "This step of the tour doesn't hold: \(what). Please report it with this output.")
  }
}
