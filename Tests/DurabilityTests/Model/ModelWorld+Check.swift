import CatalogDomain
import CatalogRepository
import Testing

extension ModelWorld {
  /// Compares everything that can be read through a handle with the model.
  func check(_ handle: Handle, _ kept: [Key: Timestamp], _ generator: inout SeededGenerator) throws {
    guard !handle.isClosed else { return }
    let status = handle.catalog.status()
    guard let model = models[handle.key] else {
      #expect(status.presence == .revoked, "\(label)")
      #expect(throws: CatalogFailure.unavailable, "\(label)") { try handle.catalog.books() }
      #expect(throws: CatalogError.self, "\(label)") { try handle.catalog.entry(id: 1) }
      return
    }
    let decision = handle.catalog.policy.decide(stamp: model.stamp(keeping: kept[handle.key]), now: now)
    #expect(status.decision == decision, "\(label)")
    #expect(status.presence == (model.isLoaded ? .loaded : .neverLoaded), "\(label)")
    #expect(status.bookCount == (model.isLoaded ? model.books.count : nil), "\(label)")
    #expect(status.isComplete == (model.isLoaded && model.isComplete), "\(label)")
    #expect(status.savedAt == model.stamp?.validatedAt.wall, "\(label)")
    #expect(status.lastFailure == model.failure, "\(label)")
    #expect(
      status.isRefreshing
        == handles.contains { $0.key == handle.key && $0.flight != nil && !$0.isClosed }, "\(label)")
    checkRevision(status.revision, model.revision, handle.key)

    guard model.isLoaded, decision.books == .serve else {
      #expect(throws: CatalogFailure.unavailable, "\(label)") { try handle.catalog.books() }
      return
    }
    let books = model.books.values.sorted { $0.id < $1.id }
    #expect(
      try handle.catalog.books()
        == books.map {
          BookSummary(id: $0.id, title: $0.entry.title, isBorrowed: $0.entry.isBorrowed(at: now.wall))
        }, "\(label)")
    let entries = try handle.catalog.entries()
    #expect(entries.map(\.id) == books.map(\.id), "\(label)")
    #expect(
      zip(entries, books).allSatisfy { $0.entry.hasSameBytes(as: judged($1.entry)) }, "\(label)")
    try checkSingles(handle, books, &generator)
  }

  private func checkSingles(
    _ handle: Handle, _ books: [CatalogModel.Book], _ generator: inout SeededGenerator
  ) throws {
    let id = generator.once(in: 3) ? 999_999 : generator.pick(books.map(\.id) + [999_999])
    #expect(
      try handle.catalog.entry(id: id) == books.first { $0.id == id }.map { judged($0.entry) }, "\(label)")
    let identifier = generator.pick(
      books.map(\.entry.identifier) + [.text("urn:none"), .number(1 << 62), .text("urn:3")])
    let found = try handle.catalog.entry(identifier: identifier)
    let expected = books.first { $0.entry.identifier == identifier }
    #expect(found?.id == expected?.id, "\(label)")
    #expect(found?.entry == expected.map { judged($0.entry) }, "\(label)")
  }

  /// A revision rises with each change, and with nothing else.
  private func checkRevision(_ revision: UInt64, _ number: Int, _ key: Key) {
    if let last = revisions[key] {
      if last.model == number {
        #expect(revision == last.store, "\(label): the revision rose without a change.")
      } else {
        #expect(revision > last.store, "\(label): the revision didn't rise.")
      }
    }
    revisions[key] = (revision, number)
  }

  private func judged(_ entry: CatalogEntry) -> CatalogEntry {
    var entry = entry
    entry.isBorrowed = entry.isBorrowed(at: now.wall)
    return entry
  }
}
