import CatalogDomain
import CatalogRemotes
import CatalogTesting
import Foundation
import Testing

/// Waits and tries, with a transport that answers as the test says and a clock that notes how long it slept.
@Suite(.timeLimit(.minutes(5)))
struct HTTPRetryTests {
  private actor Script: HTTPTransport, WallClock {
    private var answers: [(Int, [HTTPField])]
    private(set) var sent: [URL] = []
    private(set) var slept: [Duration] = []

    init(_ answers: [(Int, [HTTPField])]) {
      self.answers = answers
    }

    func send(_ request: HTTPRequest) async throws(CatalogError) -> HTTPResponse {
      answer(request)
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
      sent.append(request.url)
      let (status, fields) = answers.count > 1 ? answers.removeFirst() : answers[0]
      return HTTPResponse(
        status: status, fields: fields, body: HTTPBody(next: { () async throws(CatalogError) in nil }))
    }

    nonisolated func read() -> ClockReading {
      ClockReading(wall: Timestamp(millisecondsSinceEpoch: 784_111_777_000), continuous: .zero, boot: nil)
    }

    func sleep(for span: Duration) async throws(CancellationError) {
      slept.append(span)
    }
  }

  private func attempt(
    _ answers: [(Int, [HTTPField])], jitter: Double = 0, retries: Int = 2
  ) async throws -> (CatalogError?, sent: Int, slept: [Duration]) {
    let script = Script(answers)
    var options = HTTPOptions()
    options.retries = retries
    let asking = HTTPAsking(transport: script, options: options, clock: script, jitter: { jitter })
    let url = try #require(URL(string: "http://example.org/x"))
    let error = await #expect(throws: CatalogError.self) { try await fetch(HTTPCatalog(url, asking: asking)) }
    return (error, await script.sent.count, await script.slept)
  }

  @Test func `a server out of order is asked again after waits that grow`() async throws {
    let (error, sent, slept) = try await attempt([(500, [])], retries: 7)
    #expect(error?.code == .serverError)
    #expect(sent == 8)
    #expect(slept == [500, 1000, 2000, 4000, 8000, 10_000, 10_000].map { .milliseconds($0) })
  }

  @Test func `a part of the wait is random, up to a half`() async throws {
    #expect(try await attempt([(503, [])], jitter: 1).slept == [.milliseconds(250), .milliseconds(500)])
    #expect(try await attempt([(503, [])], jitter: 0.5).slept == [.milliseconds(375), .milliseconds(750)])
  }

  @Test func `a wait that the server asks for is kept, in seconds or as a date`() async throws {
    let seconds = try await attempt([(429, [HTTPField("Retry-After", "3")]), (410, [])])
    #expect(seconds.0?.code == .gone)
    #expect(seconds.slept == [.seconds(3)])
    let date = HTTPField("Retry-After", "Sun, 06 Nov 1994 08:49:41 GMT")
    #expect(try await attempt([(503, [date]), (410, [])]).slept == [.seconds(4)])
    #expect(
      try await attempt([(503, [HTTPField("Retry-After", "soon")]), (410, [])]).slept == [.milliseconds(500)])
  }

  @Test func `a long wait isn't kept but told`() async throws {
    let (error, sent, slept) = try await attempt([(429, [HTTPField("Retry-After", "59")])])
    #expect(error?.code == .throttled)
    #expect(error?.retryAfter == .seconds(59))
    #expect(sent == 1)
    #expect(slept.isEmpty)
    let overflowing = try await attempt([(503, [HTTPField("Retry-After", "99999999999999999999")])])
    #expect(overflowing.0?.retryAfter == .seconds(Int64(1) << 31))
  }

  @Test(arguments: [400, 401, 403, 404, 410, 418, 501])
  func `what asking again can't mend is asked once`(status: Int) async throws {
    #expect(try await attempt([(status, [])]).sent == 1)
  }
}
