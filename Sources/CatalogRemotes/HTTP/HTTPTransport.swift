public import CatalogDomain
public import Foundation

/// The port to an HTTP client: one request, one answer, nothing by itself.
///
/// A transport follows no redirect, answers no challenge, keeps no cookies and caches nothing: who may be told
/// what is decided above it, in one place, for every transport.
public protocol HTTPTransport: Sendable {
  /// Sends a request, and returns when the head of the answer has come.
  ///
  /// - Throws: ``CatalogError`` with code `offline`, `timedOut`, `badResponse`, `tooLarge` or
  ///   `cancelled`. A status is no error here, whatever it is.
  @concurrent func send(_ request: HTTPRequest) async throws(CatalogError) -> HTTPResponse
}

/// A GET request.
public struct HTTPRequest: Sendable {
  /// Where to; `http` or `https`.
  public var url: URL
  /// The header fields, credentials included.
  public var fields: [HTTPField]
  /// How long the whole exchange may take, to the last byte of the body.
  public var deadline: Duration
  /// How many bytes the body may have once its codings are undone.
  public var byteLimit: Int

  /// Creates a request.
  public init(_ url: URL, fields: [HTTPField] = [], deadline: Duration, byteLimit: Int) {
    self.url = url
    self.fields = fields
    self.deadline = deadline
    self.byteLimit = byteLimit
  }
}

/// The answer to a request: its head, and its body as it comes in.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var fields: [HTTPField]
  /// The body.
  public var body: HTTPBody

  /// Creates an answer.
  public init(status: Int, fields: [HTTPField], body: HTTPBody) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

/// A body as it comes in; when nobody holds it any more, the exchange is given up.
public final class HTTPBody: Sendable {
  private let take: @Sendable () async throws(CatalogError) -> [UInt8]?
  private let giveUp: @Sendable () -> Void

  /// Creates a body.
  ///
  /// - Parameters:
  ///   - next: Returns the next bytes, or nil at the end; called by one task at a time.
  ///   - cancel: Gives up the exchange; called once or twice.
  public init(
    next: @escaping @Sendable () async throws(CatalogError) -> [UInt8]?,
    cancel: @escaping @Sendable () -> Void = {}
  ) {
    take = next
    giveUp = cancel
  }

  deinit {
    giveUp()
  }

  /// Returns the next bytes, or nil at the end.
  public func next() async throws(CatalogError) -> [UInt8]? {
    try await take()
  }

  /// Gives up the exchange.
  public func cancel() {
    giveUp()
  }

  /// Returns everything that is left; a body over the request's bound has thrown by then.
  public func collect() async throws(CatalogError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let more = try await next() { bytes += more }
    return bytes
  }
}
