import CatalogDomain
import CatalogRepository
import CatalogTesting
import Testing

/// How often a remote that failed is asked by nobody but the cache itself.
extension LoadTests {
  /// Loads, waits for what goes on behind, and returns how often the remote has been asked.
  private func callsAfterLoad() async throws -> Int {
    _ = try await catalog.load()
    await waitUntilQuiet()
    return remote.calls
  }

  /// Has books that are stale, and may be served while they are refreshed behind.
  private func makeStale() async throws {
    remote.script(.entries([book(1, "one")]))
    _ = try await catalog.load()
    fixture.clock.advance(by: .seconds(600))
  }

  @Test func `after a failure loads don't ask again behind for half a minute`() async throws {
    try await makeStale()
    remote.script(.failure(.offline), .failure(.serverError), .entries([book(1, "two")]))
    #expect(try await callsAfterLoad() == 2)
    #expect(try await callsAfterLoad() == 2)
    fixture.clock.advance(by: .milliseconds(29_999))
    #expect(try await callsAfterLoad() == 2)
    fixture.clock.advance(by: .milliseconds(1))
    #expect(try await callsAfterLoad() == 3)
    fixture.clock.advance(by: .seconds(30))
    #expect(try await callsAfterLoad() == 4)
    #expect(try catalog.books().map(\.title) == ["two"])
  }

  @Test(arguments: [CatalogError.Code.unauthorized, .forbidden])
  func `after a refusal loads don't ask again behind for an hour, as that brings bans`(
    code: CatalogError.Code
  ) async throws {
    try await makeStale()
    remote.script(.failure(code), .entries([book(1, "two")]))
    #expect(try await callsAfterLoad() == 2)
    fixture.clock.advance(by: .seconds(3599))
    #expect(try await callsAfterLoad() == 2)
    fixture.clock.advance(by: .seconds(1))
    #expect(try await callsAfterLoad() == 3)
  }

  @Test func `a server that asks to be left alone is, by every load`() async throws {
    let error = CatalogError(.throttled, "Wait.", retryAfter: .seconds(3000))
    remote.script(.failure(error))
    let first = await #expect(throws: CatalogError.self) { try await catalog.load() }
    #expect(first?.retryAfter == .seconds(3000))
    fixture.clock.advance(by: .seconds(1000))
    let second = await #expect(throws: CatalogError.self) { try await catalog.load() }
    #expect(second?.code == .throttled)
    #expect(second?.retryAfter == .seconds(2000))
    #expect(remote.calls == 1)
    fixture.clock.advance(by: .seconds(2000))
    remote.script(.entries([book(1, "one")]))
    #expect(try await catalog.load().books.map(\.title) == ["one"])
  }

  @Test func `an outage with a wish to be left alone serves what is held, and says which`() async throws {
    remote.script(.entries([book(1, "one")]))
    _ = try await catalog.load()
    fixture.clock.advance(by: .seconds(600 + 86_400))
    remote.script(.failure(CatalogError(.serverError, "Down.", retryAfter: .seconds(300))))
    for _ in 0..<2 {
      guard case .savedAfter(let error) = try await catalog.load().origin else {
        Issue.record("It isn't said that the server failed.")
        continue
      }
      #expect(error.code == .serverError)
    }
    #expect(remote.calls == 2)
  }

  @Test func `nobody is made to wait without a reason for who wants what is fresh`() async throws {
    try await makeStale()
    remote.script(.failure(.offline), .failure(.offline))
    for calls in [2, 3] {
      _ = await #expect(throws: CatalogError.self) { try await catalog.load(.fresh) }
      #expect(remote.calls == calls)
    }
  }

  @Test func `a refresh that is asked for goes ahead, and ends the restraint if it succeeds`() async throws {
    try await makeStale()
    remote.script(
      .failure(CatalogError(.throttled, "Wait.", retryAfter: .seconds(3000))), .failure(.offline),
      .entries([book(1, "two")]))
    #expect(try await callsAfterLoad() == 2)
    _ = await #expect(throws: CatalogError.self) { try await catalog.refresh() }
    try await catalog.refresh()
    #expect(remote.calls == 4)
    fixture.clock.advance(by: .seconds(600))
    remote.script(.entries([book(1, "three")]))
    #expect(try await callsAfterLoad() == 5)
  }
}
