import CatalogDomain
import CatalogTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SearchSessionTests {
  private let service = ControlledSearch()
  private let sea = [SearchBook(id: 1, title: "By the Sea")]
  private let war = [SearchBook(id: 2, title: "War and Peace")]

  private func watched(_ session: SearchSession) -> Log {
    let log = Log()
    session.changed = { log.phases.append($0) }
    return log
  }

  private final class Log {
    var phases: [SearchPhase] = []
  }

  @Test func `a new session is idle and asks for nothing`() {
    let session = SearchSession(service: service)
    #expect(session.phase == .idle)
    #expect(service.requests.isEmpty)
  }

  @Test func `a search is loading, then loaded`() {
    let session = SearchSession(service: service)
    let log = watched(session)
    session.search("sea")
    #expect(session.phase == .loading("sea"))
    service.requests[0].complete(.success(sea))
    #expect(session.phase == .loaded(sea))
    #expect(log.phases == [.loading("sea"), .loaded(sea)])
  }

  @Test func `no hits is loaded, and offline is failed`() {
    let session = SearchSession(service: service)
    session.search("none")
    service.requests[0].complete(.success([]))
    #expect(session.phase == .loaded([]))
    session.search("down")
    service.requests[1].complete(.failure(.offline))
    #expect(session.phase == .failed("Search is unavailable."))
  }

  @Test func `the phase is set before changed is called`() {
    let session = SearchSession(service: service)
    var agreed: [Bool] = []
    session.changed = { [unowned session] phase in agreed.append(session.phase == phase) }
    session.search("sea")
    service.requests[0].complete(.success(sea))
    #expect(agreed == [true, true])
  }

  @Test func `a late answer never replaces the answer to a newer search`() {
    let session = SearchSession(service: service)
    session.search("sea")
    session.search("war")
    service.requests[1].complete(.success(war))
    service.requests[0].complete(.success(sea))
    #expect(session.phase == .loaded(war))
  }

  @Test func `a late answer never ends a newer search that is still loading`() {
    let session = SearchSession(service: service)
    session.search("sea")
    session.search("war")
    service.requests[0].complete(.failure(.offline))
    #expect(session.phase == .loading("war"))
  }

  @Test func `the same text searched again is a new search`() {
    let session = SearchSession(service: service)
    session.search("sea")
    session.search("sea")
    service.requests[0].complete(.success(war))
    #expect(session.phase == .loading("sea"))
    service.requests[1].complete(.success(sea))
    #expect(session.phase == .loaded(sea))
  }

  @Test func `a newer search cancels the older one, once`() {
    let session = SearchSession(service: service)
    session.search("sea")
    session.search("war")
    session.search("peace")
    #expect(service.requests.map(\.cancellations) == [1, 1, 0])
  }

  @Test func `a service that completes inside cancel is out of date`() {
    let session = SearchSession(service: service)
    let log = watched(session)
    session.search("sea")
    let first = service.requests[0]
    first.onCancel = { first.complete(.success([])) }
    session.search("war")
    #expect(session.phase == .loading("war"))
    #expect(log.phases == [.loading("sea"), .loading("war")])
  }

  @Test func `a search started inside cancel wins over the one that cancelled`() {
    let session = SearchSession(service: service)
    session.search("sea")
    service.requests[0].onCancel = { session.search("innermost") }
    session.search("war")
    #expect(service.requests.map(\.query) == ["sea", "innermost"])
    #expect(session.phase == .loading("innermost"))
  }

  @Test func `a service may complete before search returns`() {
    let session = SearchSession(service: ImmediateSearch { _ in .success([SearchBook(id: 7, title: "now")]) })
    let log = watched(session)
    session.search("x")
    #expect(session.phase == .loaded([SearchBook(id: 7, title: "now")]))
    #expect(log.phases == [.loading("x"), .loaded([SearchBook(id: 7, title: "now")])])
  }

  @Test func `a search started while loading is announced never reaches the service with the older text`() {
    let session = SearchSession(service: service)
    session.changed = { [unowned session] phase in
      if phase == .loading("sea") { session.search("war") }
    }
    session.search("sea")
    #expect(service.requests.map(\.query) == ["war"])
    #expect(session.phase == .loading("war"))
  }

  @Test func `stopping while loading is announced never reaches the service`() {
    let session = SearchSession(service: service)
    session.changed = { [unowned session] _ in session.stop() }
    session.search("sea")
    #expect(service.requests.isEmpty)
    #expect(session.phase == .loading("sea"))
  }

  @Test func `a search started while an answer is announced is kept`() {
    let session = SearchSession(service: service)
    session.changed = { [unowned session] phase in
      if case .loaded = phase { session.search("war") }
    }
    session.search("sea")
    service.requests[0].complete(.success(sea))
    #expect(session.phase == .loading("war"))
    #expect(service.requests.map(\.cancellations) == [1, 0])
  }

  @Test func `a token that arrives for an outdated search is cancelled at once`() {
    let session = SearchSession(service: service)
    service.onSearch = { [unowned session] request in
      if request.query == "sea" { session.search("war") }
    }
    session.search("sea")
    #expect(service.requests.map(\.query) == ["sea", "war"])
    #expect(service.requests.map(\.cancellations) == [1, 0])
  }

  @Test func `a token that arrives after stop is cancelled at once`() {
    let session = SearchSession(service: service)
    service.onSearch = { [unowned session] _ in session.stop() }
    session.search("sea")
    #expect(service.requests[0].cancellations == 1)
  }

  @Test func `a second completion under the newest ticket is accepted`() {
    let session = SearchSession(service: service)
    session.search("sea")
    service.requests[0].complete(.success(sea))
    service.requests[0].complete(.success(war))
    #expect(session.phase == .loaded(war))
  }

  @Test func `the token is kept after completion, so the next search cancels it`() {
    let session = SearchSession(service: service)
    session.search("sea")
    service.requests[0].complete(.success(sea))
    session.search("war")
    #expect(service.requests[0].cancellations == 1)
  }

  @Test func `after stop nothing changes any more`() {
    let session = SearchSession(service: service)
    let log = watched(session)
    session.search("sea")
    session.stop()
    #expect(service.requests[0].cancellations == 1)
    service.requests[0].complete(.success(sea))
    session.search("war")
    #expect(session.phase == .loading("sea"))
    #expect(log.phases == [.loading("sea")])
    #expect(service.requests.count == 1)
    #expect(session.changed == nil)
  }

  @Test func `a service that completes inside the cancel of stop changes nothing`() {
    let session = SearchSession(service: service)
    let log = watched(session)
    session.search("sea")
    let first = service.requests[0]
    first.onCancel = { first.complete(.success([])) }
    session.stop()
    #expect(session.phase == .loading("sea"))
    #expect(log.phases == [.loading("sea")])
  }

  @Test func `stopping twice cancels once`() {
    let session = SearchSession(service: service)
    session.search("sea")
    session.stop()
    session.stop()
    #expect(service.requests[0].cancellations == 1)
  }

  @Test func `a released session is freed, cancels, and ignores what comes late`() {
    var session: SearchSession? = SearchSession(service: service)
    weak let gone = session
    session?.search("sea")
    session = nil
    #expect(gone == nil)
    #expect(service.requests[0].cancellations == 1)
    service.requests[0].complete(.success(sea))
  }
}
