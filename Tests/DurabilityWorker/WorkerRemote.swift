import CatalogDomain
import CatalogSQLite
import CatalogStore
import Foundation

/// A remote whose every title names its account and the version of the whole catalog, so that whoever reads the
/// catalog can tell whether it is of one piece.
final class WorkerRemote: CatalogFetching {
  private struct Plan: Sendable {
    var version = 0
    var books = 0
    var isHeld = false
  }

  private let plan = Guarded(Plan())

  /// Says what the next call brings, and whether it waits for a line on standard input before its end.
  func plan(version: Int, books: Int, isHeld: Bool) {
    plan.withLock { $0 = Plan(version: version, books: books, isHeld: isHeld) }
  }

  @concurrent func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    let plan = plan.withLock { $0 }
    try await sink.begin(FetchHead())
    let entries = (0..<plan.books).map { number in
      let title = "\(request.account.rawValue)-\(plan.version)-\(number)"
      // Half of the identifiers are text.
      var entry = CatalogEntry(
        identifier: number.isMultiple(of: 2)
          ? .number(number) : .text("urn:\(title.split(separator: "-")[0]):\(number)"),
        title: title)
      entry.authors = ["\(request.account.rawValue) author \(number)"]
      return entry
    }
    for start in stride(from: 0, to: entries.count, by: 100) {
      try await sink.accept(FetchPage(entries: Array(entries[start..<min(start + 100, entries.count)])))
    }
    if plan.isHeld {
      FileHandle.standardOutput.write(Data("held\n".utf8))
      _ = readLine()
    }
    return .complete
  }
}

/// The stages of an erasure one by one, as a process leaves them that is killed between two of them.
struct WorkerErasure {
  let path: String

  /// - Parameter arguments: `ACCOUNT` and then how far to go: `revoked`, `half`, `deleted`, `vacuumed`,
  ///   `truncated`.
  func perform(_ arguments: [String]) throws {
    guard arguments.count == 2 else { throw WorkerFailure(description: "stage:ACCOUNT:HOW-FAR") }
    let account = try AccountID(validating: arguments[0])
    let stages = ["revoked", "half", "deleted", "vacuumed", "truncated"]
    guard let last = stages.firstIndex(of: arguments[1]) else {
      throw WorkerFailure(description: "no such stage")
    }
    let now = ClockReading(wall: Timestamp(millisecondsSinceEpoch: 0), continuous: .zero, boot: nil)
    let store = try CatalogStore.open(path: path, options: .init(), now: now)
    _ = try store.revoke(account, now: now)
    let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(5))
    let isDoomed = "account IN (SELECT account FROM doomed)"
    if last >= 1 {
      try connection.execute("DELETE FROM book WHERE \(isDoomed) AND id % 2 = 0")
    }
    if last >= 2 {
      for table in ["book", "retired", "confirmation", "catalog"] {
        try connection.execute("DELETE FROM \(table) WHERE \(isDoomed)")
      }
      try connection.execute("DELETE FROM doomed")
    }
    if last >= 3 { try connection.execute("VACUUM") }
    if last >= 4 { _ = try connection.checkpoint(.truncate) }
    kill(getpid(), SIGKILL)
  }
}
