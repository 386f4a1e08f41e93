public import CatalogDomain
import Dispatch

/// Counts what comes through a transport, for whoever shows how far a refresh has come.
///
/// Unchecked because what changes is touched on its serial queue only.
public final class HTTPMeter: HTTPTransport, @unchecked Sendable {
  /// What has come so far.
  public struct Reading: Hashable, Sendable {
    /// Answers with a document in them: pages, and what leads to them.
    public var documents = 0
    /// Bytes of their bodies.
    public var bytes = 0
  }

  private let transport: any HTTPTransport
  private let queue = DispatchQueue(label: "CatalogRemotes.HTTPMeter")
  private var total = Reading()

  /// Creates a meter before a transport.
  public init(_ transport: any HTTPTransport = URLSessionTransport()) {
    self.transport = transport
  }

  /// What has come so far.
  public var reading: Reading { queue.sync { total } }

  /// Sends a request by way of the transport, and counts the answer.
  @concurrent public func send(_ request: HTTPRequest) async throws(CatalogError) -> HTTPResponse {
    var response = try await transport.send(request)
    let body = response.body
    let isDocument = (200..<300).contains(response.status)
    if isDocument { queue.sync { total.documents += 1 } }
    response.body = HTTPBody(
      next: { () async throws(CatalogError) in
        let bytes = try await body.next()
        if let bytes { self.queue.sync { self.total.bytes += bytes.count } }
        return bytes
      }, cancel: { body.cancel() })
    return response
  }
}
