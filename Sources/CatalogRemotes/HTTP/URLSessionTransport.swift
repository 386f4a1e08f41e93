public import CatalogDomain
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP by way of the system's `URLSession`, with everything turned off that it would do by itself.
///
/// No cache, no cookies, no redirects, no answers to challenges, no compression asked for. Each exchange has a
/// deadline of its own, because on Linux the session's own limit on a whole answer does nothing, and a body
/// that drips would run for ever.
///
/// What comes faster than it is read waits on disk, in a file without a name. An answer that says `no-store` may
/// not: it waits in memory, and may have no more than 32 MB.
///
/// The body of a redirect isn't handed over on Linux: the session keeps it and tells of the redirect only at
/// its end. So the deadline alone bounds it, not the limit of bytes. And all sessions of a process share one
/// queue there: while a server floods faster than the session reads, which takes a neighbour as fast as memory
/// or a long redirect, an exchange that was given up isn't torn down, and other requests wait, each to its own
/// deadline.
///
/// What Foundation on Linux does with some answers can't be changed from here: a connection that is cut within a
/// line of the head, and a trailer after a chunked body, end the process there; names of fields that differ in
/// case alone are one field, of the last one's value; and the reason of a status line isn't handed over. And while
/// an answer is awaited it keeps most of a processor busy, which only the deadline and the idle time-out bound. Where
/// that matters, or servers aren't trusted not to do the rest, another ``HTTPTransport`` can be given to every remote.
public final class URLSessionTransport: HTTPTransport {
  private let session: URLSession
  private let router: URLSessionRouter

  /// Creates a transport with connections of its own.
  ///
  /// - Parameter idleTimeout: How long a server may be silent.
  public init(idleTimeout: Duration = .seconds(30)) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    configuration.timeoutIntervalForRequest = Double(max(1, idleTimeout.wholeMilliseconds)) / 1000
    #if canImport(FoundationNetworking)
      let queue = BoundedOperationQueue()
    #else
      let queue = OperationQueue()
    #endif
    queue.maxConcurrentOperationCount = 1
    router = URLSessionRouter()
    session = URLSession(configuration: configuration, delegate: router, delegateQueue: queue)
  }

  deinit {
    // The session holds its delegate until it is told to end; answers under way are still read to theirs.
    session.finishTasksAndInvalidate()
  }

  /// Sends a request, and returns when the head of the answer has come.
  @concurrent public func send(_ request: HTTPRequest) async throws(CatalogError) -> HTTPResponse {
    guard !Task.isCancelled else { throw CatalogError(.cancelled, "The request was cancelled.") }
    var wanted = URLRequest(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
    wanted.httpShouldHandleCookies = false
    // A bomb is smaller on the way than where it arrives.
    wanted.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    for field in request.fields { wanted.setValue(field.value, forHTTPHeaderField: field.name) }
    let exchange = URLSessionExchange(request) { [session, router, wanted] exchange in
      let task = session.dataTask(with: wanted)
      router.register(exchange, for: task)
      return task
    }
    let head = try await exchange.head()
    let body = HTTPBody(
      next: { () async throws(CatalogError) in try await exchange.next() },
      cancel: { exchange.giveUp() })
    return HTTPResponse(status: head.status, fields: head.fields, body: body)
  }
}

/// A queue that makes a session wait when too many of its callbacks are under way.
///
/// On Linux nothing else slows a session down: each piece of a body waits in the queue, and a fast server would
/// fill the memory with them. Nothing in a callback may wait for the session itself, so tasks are cancelled
/// from elsewhere.
private final class BoundedOperationQueue: OperationQueue, @unchecked Sendable {
  // Unchecked because the class it is made of is; what it adds is made for several threads.
  private let slots = DispatchSemaphore(value: 64)
  /// A thread of its own: those that the process shares may all be waiting for this session.
  private let callbacks = DispatchQueue(label: "CatalogRemotes.BoundedOperationQueue")

  override func addOperation(_ block: @escaping @Sendable () -> Void) {
    slots.wait()
    callbacks.async { [slots] in
      block()
      slots.signal()
    }
  }
}

/// Hands a session's callbacks to the exchange that they belong to.
///
/// Unchecked because the one thing that changes, the table of exchanges, is touched on its queue only.
final class URLSessionRouter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let queue = DispatchQueue(label: "CatalogRemotes.URLSessionRouter")
  private var exchanges: [Int: URLSessionExchange] = [:]

  func register(_ exchange: URLSessionExchange, for task: URLSessionTask) {
    queue.sync { exchanges[task.taskIdentifier] = exchange }
  }

  private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
    queue.sync { exchanges[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(of: dataTask)?.received(response)
    // On Linux `.cancel` is ignored here.
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.received(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    // What the session would send on holds the credentials, wherever it goes.
    exchange(of: task)?.receivedWhole(response)
    Self.decline(task) { completionHandler(nil) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let answered = [
      NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTTPBasic,
      NSURLAuthenticationMethodHTTPDigest, "NSURLAuthenticationMethodNTLM",
      "NSURLAuthenticationMethodNegotiate", "NSURLAuthenticationMethodHTMLForm",
    ]
    guard answered.contains(challenge.protectionSpace.authenticationMethod) else {
      completionHandler(.performDefaultHandling, nil)
      return
    }
    // On Linux the default handling of a Basic challenge waits for ever, and no time-out ends it.
    if let response = challenge.failureResponse { exchange(of: task)?.receivedWhole(response) }
    Self.decline(task) { completionHandler(.cancelAuthenticationChallenge, nil) }
  }

  /// Ends a task that waits for an answer to a callback.
  ///
  /// On Linux an answer that comes after a task was cancelled traps, and nothing tells whether it was; so the
  /// task is only cancelled there, which needs no answer.
  private static func decline(_ task: URLSessionTask, answer: () -> Void) {
    #if canImport(FoundationNetworking)
      URLSessionExchange.control.async { task.cancel() }
    #else
      answer()
    #endif
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = queue.sync { exchanges.removeValue(forKey: task.taskIdentifier) }
    exchange?.ended(task.response, error)
  }
}
