import CatalogDomain
import CatalogRepository
import CatalogSQLite
import CatalogTesting
import Foundation
import Testing

/// Sign-out erases: no byte of the account stays in any file of the folder, and nobody else is touched.
@Suite(.timeLimit(.minutes(30)), .serialized)
struct ForgetTests {
  @Test func `after any history nothing of a forgotten account is in any file, and others are unharmed`()
    async throws
  {
    var generator = Campaign.generator("forget")
    var titlesFound = 0
    let rounds = Campaign.rounds(10, long: 200)
    for round in 0..<rounds {
      titlesFound += try await forgetAfterHistory(&generator, round)
    }
    print("forget: \(rounds) histories clean, \(titlesFound) titles found before, none after")
    #expect(titlesFound > 100 * rounds, "Too little was in the files before for this to mean anything.")
  }

  private func forgetAfterHistory(_ generator: inout SeededGenerator, _ round: Int) async throws -> Int {
    let workspace = try Workspace()
    let people = ["a", "b", "c"].map { Traceable($0) }
    let cache = try workspace.open()
    for _ in 0..<generator.number(6...16) {
      try await step(cache, people, &generator)
    }
    _ = try await load(cache, people[0], books: 150...400, &generator)
    for person in people[1...] { _ = try await load(cache, person, books: 1...200, &generator) }

    let before = try workspace.files()
    let found = people[0].titles(in: before.values).count
    #expect(found >= 100, "round \(round): only \(found) titles were in the files before.")
    let others = try Others(cache, people[1...].map(\.account))
    _ = try await cache.forget(people[0].account)
    let left = people[0].traces(in: try workspace.files())
    #expect(left.isEmpty, "round \(round), seed \(generator.seed): traces in \(left)")
    #expect(try Others(cache, people[1...].map(\.account)) == others, "round \(round)")
    #expect(try cache.verify(.full).problems.isEmpty)
    #expect(try !cache.inspect().isScrubPending)
    try cache.close()
    #expect(people[0].traces(in: try workspace.files()).isEmpty)
    let reopened = try workspace.open()
    #expect(try Others(reopened, people[1...].map(\.account)) == others, "round \(round), reopened")
    return found
  }

  /// One random step of a history.
  private func step(
    _ cache: CatalogCache, _ people: [Traceable], _ generator: inout SeededGenerator
  ) async throws {
    let person = generator.pick(people)
    switch generator.number(0...9) {
    case 0:
      _ = try await cache.discard(.account(person.account))
    case 1:
      let catalog = try cache.catalog(for: person.account, remote: remote([]))
      let id = if case .number(let id) = person.identifier(2 * generator.number(0...150)) { id } else { 0 }
      try await catalog.confirm(generator.once(in: 2) ? .borrowed(id: id, until: nil) : .returned(id: id))
    case 2:
      _ = try await cache.markStale(.account(person.account))
    case 3:
      // Ada goes and comes back, and something of her first time must not survive her second going either.
      _ = try await cache.forget(person.account)
    default:
      _ = try await load(cache, person, books: 0...400, &generator)
    }
  }

  private func load(
    _ cache: CatalogCache, _ person: Traceable, books: ClosedRange<Int>, _ generator: inout SeededGenerator
  ) async throws -> RefreshOutcome {
    let name: CatalogName = generator.once(in: 4) ? "shelf" : .main
    var entries: [CatalogEntry] = []
    for number in Array(0..<500).shuffled(using: &generator).prefix(generator.number(books)) {
      entries.append(person.entry(number, &generator))
    }
    let source = ScriptedRemote { _ in }
    source.always(
      .entries(entries, conclusion: generator.once(in: 4) ? .partial(reason: "as it happens") : .complete))
    do {
      return try await cache.catalog(name, for: person.account, remote: source).refresh()
    } catch {
      // A partial first answer without a book.
      guard error.code == .badResponse else { throw error }
      return .notNeeded
    }
  }

  @Test func `a reader in an old snapshot delays the erasure, and the next scrub finishes it`() async throws {
    var generator = Campaign.generator("forget beside a reader")
    let workspace = try Workspace()
    let (ada, ben) = (Traceable("a"), Traceable("b"))
    let cache = try workspace.open()
    _ = try await load(cache, ada, books: 300...300, &generator)
    _ = try await load(cache, ben, books: 100...100, &generator)
    let others = try Others(cache, [ben.account])
    let handle = try cache.catalog(for: ada.account, remote: remote([]))
    do {
      let reader = try Connection(path: workspace.path, mode: .queryOnly, busyTimeout: .seconds(1))
      let snapshot = try reader.begin(.read)
      let count = try reader.number("SELECT count(*) FROM book")
      #expect(count == 400)
      let error = await #expect(throws: CatalogError.self) { try await cache.forget(ada.account) }
      #expect(error?.code == .bytesRemain)
      #expect(try cache.inspect().isScrubPending)
      guard case .revoked = handle.status().presence else {
        Issue.record("the handle isn't revoked: \(handle.status().presence)")
        return
      }
      #expect(!ada.traces(in: try workspace.files()).isEmpty, "Nothing was in the way: the test is vain.")
      #expect(try reader.number("SELECT count(*) FROM book") == 400)
      _ = consume snapshot
    }
    try await cache.scrub()
    #expect(ada.traces(in: try workspace.files()).isEmpty)
    #expect(try !cache.inspect().isScrubPending)
    #expect(try Others(cache, [ben.account]) == others)
  }

  @Test func `files that were set aside are erased too, whether or not the account has come back since`()
    async throws
  {
    var generator = Campaign.generator("forget what was set aside")
    for comesBack in [true, false] {
      let workspace = try Workspace()
      let ada = Traceable("a")
      do {
        let cache = try workspace.open()
        _ = try await load(cache, ada, books: 300...300, &generator)
        try cache.close()
      }
      // The first page is the schema's: SQLite can't read a thing without it.
      var bytes = try #require(try workspace.files()["catalog.sqlite"])
      bytes.replaceSubrange(100..<4096, with: Data(repeating: 0xA5, count: 3996))
      try workspace.write(bytes, to: "")
      let cache = try workspace.open { $0.unreadable = .setAsideAndRebuild }
      #expect(try cache.inspect().setAsidePaths.isEmpty == false)
      #expect(ada.titles(in: try workspace.files().values).count >= 100)
      if comesBack { _ = try await load(cache, ada, books: 10...10, &generator) }
      _ = try await cache.forget(ada.account)
      #expect(ada.traces(in: try workspace.files()).isEmpty, "comes back: \(comesBack)")
      #expect(try cache.inspect().setAsidePaths.isEmpty)
    }
  }

  @Test func `an erasure that is owed isn't forgotten because the file is damaged meanwhile`() async throws {
    var generator = Campaign.generator("an erasure owed")
    let workspace = try Workspace()
    let (ada, ben) = (Traceable("a"), Traceable("b"))
    do {
      let cache = try workspace.open()
      for person in [ada, ben] { _ = try await load(cache, person, books: 300...300, &generator) }
      try cache.close()
    }
    _ = try Worker.run(workspace.path, "stage:\(ada.account.rawValue):revoked")
    #expect(ada.titles(in: try workspace.files().values).count >= 100)
    // A page of rows is overwritten, which a walk over the rows to be deleted meets.
    var bytes = try #require(try workspace.files()["catalog.sqlite"])
    let place = try #require(bytes.range(of: Data("\(ada.mark)#".utf8))).lowerBound / 4096 * 4096
    bytes.replaceSubrange(place..<place + 4096, with: Data(repeating: 0xA5, count: 4096))
    try workspace.write(bytes, to: "")
    do {
      let cache = try workspace.open { $0.unreadable = .setAsideAndRebuild }
      // The first write rebuilds.
      _ = try await cache.markStale(.everything)
      _ = try await load(cache, ben, books: 10...10, &generator)
      try cache.close()
    }
    #expect(ada.traces(in: try workspace.files()).isEmpty)
  }
}

/// Everything of some accounts that a sign-out of another must leave as it is.
struct Others: Equatable {
  let rows: [String]

  init(_ cache: CatalogCache, _ accounts: [AccountID]) throws {
    var rows: [String] = []
    for catalog in try cache.inspect().catalogs where accounts.contains(catalog.account) {
      let stamp = catalog.stamp.map { "\($0)" } ?? "none"
      rows.append("\(catalog.accountNumber) \(catalog.name.rawValue) \(stamp) \(catalog.status.revision)")
      guard case .loaded = catalog.status.presence else { continue }
      let handle = try cache.catalog(catalog.name, for: catalog.account, remote: remote([]))
      rows += try handle.entries().map { "\($0.id) \($0.entry)" }
    }
    self.rows = rows
  }
}
