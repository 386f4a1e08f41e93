import CatalogDomain
import CatalogTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ScriptedRemoteTests {
  private let request = FetchRequest(account: "ada")
  private let sink = CollectingSink()
  private let remote = ScriptedRemote { request in
    Issue.record("unscripted call for the catalog \(request.catalog.rawValue)")
  }

  private static func book(_ number: Int) -> CatalogEntry {
    CatalogEntry(identifier: .number(number), title: "Title \(number)")
  }

  @Test func `answers come in order, and every call is counted and kept`() async throws {
    remote.script(.entries([Self.book(1)]), .failure(.timedOut), .notModified())
    let first = try await remote.fetch(request, into: sink)
    #expect(isComplete(first))
    #expect(await sink.entries == [Self.book(1)])
    #expect(await sink.heads.count == 1)
    let second = await errorCode(remote, request, into: sink)
    #expect(second == .timedOut)
    let other = FetchRequest(account: "ada", catalog: "shelf", languages: ["fr"])
    guard case .notModified = try await remote.fetch(other, into: sink) else {
      Issue.record("the third answer isn't the third of the script")
      return
    }
    #expect(remote.calls == 3)
    #expect(remote.requests.map(\.catalog) == [.main, .main, "shelf"])
    #expect(await sink.heads.count == 1)
  }

  @Test func `a call without an answer is reported and is unavailable`() async {
    let (unscripted, reported) = AsyncStream.makeStream(of: FetchRequest.self)
    let remote = ScriptedRemote(.entries([])) { reported.yield($0) }
    _ = await errorCode(remote, request, into: sink)
    let code = await errorCode(remote, FetchRequest(account: "ada", catalog: "shelf"), into: sink)
    #expect(code == .unavailable)
    #expect(remote.calls == 2)
    reported.finish()
    #expect(await unscripted.reduce(into: []) { $0.append($1.catalog) } == ["shelf"])
  }

  @Test func `pages and the conclusion reach the sink as they were scripted`() async throws {
    let rejected = RejectedItem(position: "item 2", reason: "It has no title.")
    remote.script(
      .pages(
        [FetchPage(entries: [Self.book(1)]), FetchPage(entries: [Self.book(2)], rejected: [rejected])],
        head: FetchHead(initialAge: .seconds(3), expectedBooks: 2), conclusion: .partial(reason: "Page 3.")))
    guard case .partial("Page 3.") = try await remote.fetch(request, into: sink) else {
      Issue.record("the conclusion isn't the scripted one")
      return
    }
    #expect(await sink.heads.first?.initialAge == .seconds(3))
    #expect(await sink.pages.map(\.entries.count) == [1, 1])
    #expect(await sink.pages.last?.rejected == [rejected])
  }

  @Test func `an answer may depend on the request`() async throws {
    remote.always(
      .answering { request in request.catalog == .main ? .entries([Self.book(7)]) : .failure(.notFound) })
    _ = try await remote.fetch(request, into: sink)
    #expect(await sink.entries == [Self.book(7)])
    let code = await errorCode(remote, FetchRequest(account: "ada", catalog: "shelf"), into: sink)
    #expect(code == .notFound)
  }

  @Test func `validators are honoured only if they are the answer's own, and only if asked to`() async throws
  {
    let validators = FetchValidators(entityTag: "\"1\"")
    let remote = ScriptedRemote.always([Self.book(1)], head: FetchHead(validators: validators))
    var request = request
    _ = try await remote.fetch(request, into: sink)
    #expect(await sink.heads.first?.validators == validators)

    request.validators = FetchValidators(entityTag: "\"2\"")
    #expect(isComplete(try await remote.fetch(request, into: sink)))

    request.validators = validators
    guard case .notModified(let head) = try await remote.fetch(request, into: sink) else {
      Issue.record("the answer's own validators weren't honoured")
      return
    }
    #expect(head.validators == validators)
    #expect(await sink.heads.count == 2)

    remote.honoursValidators = false
    #expect(isComplete(try await remote.fetch(request, into: sink)))
  }

  @Test func `offline fails without using up the script, and going online ends it`() async throws {
    remote.script(.entries([Self.book(1)]))
    remote.isOffline = true
    let code = await errorCode(remote, request, into: sink)
    #expect(code == .offline)
    #expect(code?.isOutage == true)
    remote.isOffline = false
    _ = try await remote.fetch(request, into: sink)
    #expect(await sink.entries == [Self.book(1)])
  }

  @Test func `a connection that is lost while a call is held fails the call`() async throws {
    remote.script(.entries([Self.book(1)]))
    remote.hold()
    async let code = errorCode(remote, request, into: sink)
    try await remote.waitUntilHeld()
    remote.isOffline = true
    remote.release()
    #expect(await code == .offline)
    #expect(await sink.heads.isEmpty)
  }

  @Test(arguments: [
    (ScriptedRemote.Gate.beforeAnswer, 0, 0), (.beforePage(0), 1, 0), (.beforePage(1), 1, 1),
    (.beforeConclusion, 1, 2),
  ])
  func `a held call has given the sink what comes before the gate`(
    gate: ScriptedRemote.Gate, heads: Int, pages: Int
  ) async throws {
    remote.script(.pages([FetchPage(entries: [Self.book(1)]), FetchPage(entries: [Self.book(2)])]))
    remote.hold(gate)
    async let conclusion = remote.fetch(request, into: sink)
    try await remote.waitUntilHeld()
    #expect(await sink.heads.count == heads)
    #expect(await sink.pages.count == pages)
    remote.release()
    #expect(isComplete(try await conclusion))
    #expect(await sink.pages.count == 2)
  }

  @Test func `two held calls can be let go in the wrong order`() async throws {
    remote.script(.failure(.gone), .failure(.throttled))
    remote.hold()
    async let first = errorCode(remote, request, into: sink)
    try await remote.waitUntilHeld(1)
    async let second = errorCode(remote, request, into: sink)
    try await remote.waitUntilHeld(2)
    remote.release(call: 1)
    #expect(await second == .throttled)
    remote.release(call: 0)
    #expect(await first == .gone)
  }

  @Test func `a held call whose task is cancelled is cancelled, and holds the gate no more`() async throws {
    remote.script(.entries([Self.book(1)]), .entries([Self.book(2)]))
    remote.hold(.beforePage(0))
    let remote = remote
    let request = request
    let sink = sink
    let call = Task { await errorCode(remote, request, into: sink) }
    try await remote.waitUntilHeld()
    call.cancel()
    #expect(await call.value == .cancelled)
    #expect(await sink.pages.isEmpty)
    remote.release()
    _ = try await remote.fetch(request, into: sink)
    #expect(await sink.entries == [Self.book(2)])
  }

  @Test func `an error of the sink ends the call and is passed on`() async {
    remote.script(.entries([Self.book(1)]))
    let sink = CollectingSink(refusingPagesWith: CatalogError(.diskFull, "Full."))
    let code = await errorCode(remote, request, into: sink)
    #expect(code == .diskFull)
  }

  @Test func `a test can wait for calls to arrive`() async throws {
    remote.always(.entries([]))
    let remote = remote
    let request = request
    let sink = sink
    let calls = Task { for _ in 1...3 { _ = try await remote.fetch(request, into: sink) } }
    try await remote.waitForCalls(3)
    #expect(remote.calls == 3)
    try await calls.value
  }
}

private func isComplete(_ conclusion: FetchConclusion) -> Bool {
  if case .complete = conclusion { true } else { false }
}

private func errorCode(
  _ remote: ScriptedRemote, _ request: FetchRequest, into sink: CollectingSink
) async -> CatalogError.Code? {
  do {
    _ = try await remote.fetch(request, into: sink)
    return nil
  } catch {
    return error.code
  }
}
