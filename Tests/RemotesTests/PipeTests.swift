import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PipeTests {
  private static let books = (1...3000).map { CatalogEntry(identifier: .number($0), title: "Book \($0)") }

  @Test func `a named pipe is read to its end, each time anew`() async throws {
    try await TemporaryFolder.with { folder in
      let pipe = try folder.makePipe()
      for _ in 1...2 {
        async let written: Void = write(lines(Self.books), toPipe: pipe).close()
        let outcome = try await fetch(FileCatalog(pipe))
        try await written
        #expect(outcome.entries == Self.books)
        #expect(outcome.heads.map(\.validators) == [nil])
      }
    }
  }

  @Test func `a pipe whose writer says nothing is empty, which is no catalog`() async throws {
    try await TemporaryFolder.with { folder in
      let pipe = try folder.makePipe()
      async let written: Void = write("", toPipe: pipe).close()
      let error = await #expect(throws: CatalogError.self) { try await fetch(FileCatalog(pipe)) }
      try await written
      #expect(error?.code == .badResponse)
      #expect(error?.message.contains("'\(pipe.path)' is empty") == true)
    }
  }

  @Test func `waiting for a pipe's first writer can be cancelled`() async throws {
    try await TemporaryFolder.with { folder in
      let pipe = try folder.makePipe()
      let (starts, started) = AsyncStream<Void>.makeStream()
      let flight = Task {
        started.yield()
        return await #expect(throws: CatalogError.self) { try await fetch(FileCatalog(pipe)) }
      }
      for await _ in starts { break }
      flight.cancel()
      #expect(await flight.value?.code == .cancelled)
      // Lets go of whoever still waits for a writer; opening for both never waits.
      try FileHandle(forUpdating: pipe).close()
    }
  }

  @Test func `a device is read as a pipe is`() async throws {
    let error = await #expect(throws: CatalogError.self) { try await fetch(FileCatalog(path: "/dev/null")) }
    #expect(error?.code == .badResponse)
    #expect(error?.message.contains("is empty") == true)
  }
}
