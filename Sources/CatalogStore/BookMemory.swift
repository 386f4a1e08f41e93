internal import CatalogDomain
internal import CatalogSQLite

/// The books that were read last, kept so that reading them again costs a look at two numbers.
///
/// An array is right as long as the reading connection's `data_version` and the catalog's version are those it
/// was read under, and no loan has ended since. The least recently used go first when the limit is reached.
final class BookMemory: Sendable {
  struct Key: Hashable, Sendable {
    let account: Int64
    let catalog: Int64
  }

  struct Entry: Sendable {
    var books: [BookSummary]
    var version: Int64
    /// By reader number: the `data_version` under which the reader saw these rows.
    var dataVersions: [Int: Int64]
    /// Loans were judged at this moment; the array holds from then until `nextLoanEnd`.
    var judgedAt: Timestamp
    var nextLoanEnd: Timestamp?
    var sizeInBytes: Int

    func isRight(for reader: Int, dataVersion: Int64, version: Int64, now: Timestamp) -> Bool {
      self.version == version && dataVersions[reader] == dataVersion && judgedAt <= now
        && nextLoanEnd.map { now < $0 } ?? true
    }
  }

  private struct State: Sendable {
    var entries: [Key: Entry] = [:]
    var byUse: [Key] = []
    var totalBytes = 0
    /// The version of a catalog whose every column was found to be what was written.
    var sealed: [Key: Int64] = [:]
    /// The version of a catalog whose rows were found not to be what was written.
    var broken: [Key: Int64] = [:]

    mutating func remove(_ key: Key) {
      guard let entry = entries.removeValue(forKey: key) else { return }
      totalBytes -= entry.sizeInBytes
      byUse.removeAll { $0 == key }
    }
  }

  private let limitInBytes: Int
  private let state = Lock(State())

  init(limitInBytes: Int) {
    self.limitInBytes = limitInBytes
  }

  func entry(_ key: Key) -> Entry? {
    state.withLock { state in
      guard let entry = state.entries[key] else { return nil }
      state.byUse.removeAll { $0 == key }
      state.byUse.append(key)
      return entry
    }
  }

  func keep(_ entry: Entry, for key: Key) {
    guard entry.sizeInBytes <= limitInBytes else { return remove(key) }
    state.withLock { state in
      state.remove(key)
      state.entries[key] = entry
      state.byUse.append(key)
      state.totalBytes += entry.sizeInBytes
      while state.totalBytes > limitInBytes, let oldest = state.byUse.first { state.remove(oldest) }
    }
  }

  func remove(_ key: Key) {
    state.withLock { $0.remove(key) }
  }

  func isSealed(_ key: Key, version: Int64) -> Bool {
    state.withLock { $0.sealed[key] == version }
  }

  /// Whether rows of this version were found not to be what was written.
  func isBroken(_ key: Key, version: Int64) -> Bool {
    state.withLock { $0.broken[key] == version }
  }

  func noteBroken(_ key: Key, version: Int64) {
    state.withLock { $0.broken[key] = version }
  }

  /// Notes that the rows were found to be what was written, after all.
  func noteSound(_ key: Key) {
    state.withLock { _ = $0.broken.removeValue(forKey: key) }
  }

  func noteSealed(_ key: Key, version: Int64) {
    state.withLock { $0.sealed[key] = version }
  }

  func removeAll() {
    state.withLock { $0 = State() }
  }
}
