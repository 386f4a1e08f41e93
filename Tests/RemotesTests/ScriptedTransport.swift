import CatalogDomain
import CatalogRemotes
import Foundation

/// A transport that answers as the test says, so that addresses may be any.
actor ScriptedTransport: HTTPTransport {
  typealias Answer = (status: Int, fields: [HTTPField], body: String)

  private let answer: @Sendable (HTTPRequest, Int) -> Answer
  private(set) var requests: [HTTPRequest] = []
  var sent: [URL] { requests.map(\.url) }

  /// - Parameter answer: Gives the answer to a request, and is told which one by count it is, from 1.
  init(_ answer: @escaping @Sendable (HTTPRequest, Int) -> Answer) {
    self.answer = answer
  }

  func send(_ request: HTTPRequest) async throws(CatalogError) -> HTTPResponse {
    requests.append(request)
    let answer = answer(request, requests.count)
    let (bytes, end) = AsyncStream<[UInt8]>.makeStream()
    end.yield(Array(answer.body.utf8))
    end.finish()
    return HTTPResponse(
      status: answer.status, fields: answer.fields,
      body: HTTPBody(next: { () async throws(CatalogError) in
        for await chunk in bytes { return chunk }
        return nil
      }))
  }
}
