import CatalogDomain
import CatalogRepository
import CatalogSQLite
import CatalogTesting
import Foundation
import Testing

/// A log that has grown long is copied after a commit; that is housekeeping, and no part of the commit.
@Suite(.timeLimit(.minutes(5)))
struct LongLogTests {
  @Test func `a write that is committed isn't called a failure because the log can't be copied`() throws {
    let workspace = try Workspace()
    let books = 70_000
    _ = try Worker.run(workspace.path, "open", "register:ada", "close")
    do {
      // The catalog's rows come after this, where the limit on the size of files doesn't let them be copied to.
      let connection = try Connection(path: workspace.path, mode: .readWrite, busyTimeout: .seconds(5))
      try connection.execute("CREATE TABLE filler (bytes); INSERT INTO filler VALUES (zeroblob(14000000))")
      #expect(try connection.checkpoint(.truncate))
    }
    _ = try Worker.run(workspace.path, "open", "refresh:ada:1:\(books)", "close")
    let said = try Worker.run(
      workspace.path, "limit:12000000", "open", "refresh:ada:2:\(books)", "books:ada", "close")
    #expect(
      said.contains("books \(books) ada-2-0"), "The write wasn't committed, so the test is vain: \(said)")
    #expect(said.contains("done refresh:ada:2:\(books)"), "\(said)")
    #expect(said.contains("failed close diskFull"), "The log could be copied, so the test is vain: \(said)")
  }
}
