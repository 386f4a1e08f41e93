import CatalogDomain
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and its answer, between the callbacks of a session and the task that reads.
///
/// Unchecked because everything that changes is touched on its serial queue only.
final class URLSessionExchange: @unchecked Sendable {
  struct Head: Sendable {
    var status: Int
    var fields: [HTTPField]
  }

  private typealias HeadWaiter = CheckedContinuation<Result<Head, CatalogError>, Never>
  private typealias BodyWaiter = CheckedContinuation<Result<[UInt8]?, CatalogError>, Never>

  private static let bytesInMemory = 1 << 20
  /// How many bytes a body may have that may not be stored: all of it may have to wait in memory.
  private static let bytesUnstored = 32 << 20
  /// Where tasks are made and cancelled.
  ///
  /// On Linux both wait for a queue that all sessions of the process share. Whoever waits there may not be one
  /// that is waited for, nor take one thread after the other from those that the process has.
  static let control = DispatchQueue(label: "CatalogRemotes.URLSessionExchange.control")

  private let queue = DispatchQueue(label: "CatalogRemotes.URLSessionExchange")
  private let makeTask: @Sendable (URLSessionExchange) -> URLSessionTask
  private var task: URLSessionTask?
  private let request: HTTPRequest
  private let place: String
  private var deadline: DispatchWorkItem?
  private var receivedHead: Head?
  private var headWaiter: HeadWaiter?
  private var bodyWaiter: BodyWaiter?
  private var buffer = SpillBuffer(memoryLimit: bytesInMemory, maySpill: false)
  private var byteCount = 0
  private var byteLimit: Int
  private var end: Result<Void, CatalogError>?
  /// Whether the session has said its last word.
  private var isOver = false

  /// - Parameter makeTask: Makes the task, whose callbacks have to come here.
  init(_ request: HTTPRequest, _ makeTask: @escaping @Sendable (URLSessionExchange) -> URLSessionTask) {
    self.makeTask = makeTask
    self.request = request
    byteLimit = request.byteLimit
    place = HTTPPlace.text(request.url)
  }

  /// Starts the exchange, and returns the head of the answer.
  func head() async throws(CatalogError) -> Head {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: HeadWaiter) in
        queue.async { self.start(continuation) }
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// Returns the next bytes of the body, or nil at its end.
  func next() async throws(CatalogError) -> [UInt8]? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: BodyWaiter) in
        queue.async { self.wait(continuation) }
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  private func cancel() {
    queue.async { self.finish(.failure(CatalogError(.cancelled, "Asking \(self.place) was cancelled."))) }
  }

  /// Ends the exchange if it hasn't ended: nobody reads on.
  func giveUp() {
    queue.async { self.finish(.success(())) }
  }

  // MARK: What the session says

  func received(_ response: URLResponse) {
    queue.async { self.take(response) }
  }

  /// An answer whose body is of no interest.
  func receivedWhole(_ response: URLResponse) {
    queue.async {
      self.take(response)
      self.finish(.success(()))
    }
  }

  func received(_ bytes: Data) {
    // Not asynchronous: what comes while this is busy waits in the session's queue, not twice.
    queue.sync {
      if end == nil { take(bytes) }
    }
  }

  func ended(_ response: URLResponse?, _ error: (any Error)?) {
    // Not asynchronous: on Linux a task must not be cancelled once this callback has returned.
    queue.sync {
      isOver = true
      if let error {
        finish(.failure(HTTPFailure.translate(error, at: place, hasHead: receivedHead != nil)))
        return
      }
      // A redirect to what can't be read is an answer without a callback for its head.
      if let response { take(response) }
      finish(
        receivedHead == nil
          ? .failure(CatalogError(.badResponse, "\(place) gave no answer.")) : .success(()))
    }
  }

  // MARK: On the queue

  private func start(_ waiter: HeadWaiter) {
    if case .failure(let error) = end {
      waiter.resume(returning: .failure(error))
      return
    }
    headWaiter = waiter
    let seconds = Double(max(1, request.deadline.wholeMilliseconds)) / 1000
    let item = DispatchWorkItem { [weak self] in
      guard let self else { return }
      self.finish(
        .failure(
          CatalogError(
            .timedOut,
            "\(self.place) didn't answer in full within \(DurationText.text(self.request.deadline)). Try again, or allow "
              + "more time.")))
    }
    deadline = item
    queue.asyncAfter(deadline: .now() + seconds, execute: item)
    // The deadline runs from here, however long the task takes to be made.
    Self.control.async { [makeTask] in
      guard self.queue.sync(execute: { self.end == nil }) else { return }
      let task = makeTask(self)
      self.queue.async { self.begin(task) }
    }
  }

  private func begin(_ task: URLSessionTask) {
    guard end == nil else {
      Self.control.async { task.cancel() }
      return
    }
    self.task = task
    task.resume()
  }

  private func take(_ response: URLResponse) {
    guard end == nil, receivedHead == nil, let response = response as? HTTPURLResponse,
      // What comes before the answer isn't the answer (RFC 9110 §15.2); but a switch of protocols is the last
      // word.
      !(100..<200).contains(response.statusCode) || response.statusCode == 101
    else { return }
    let fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).flatMap { name in (value as? String).map { HTTPField(name, $0) } }
    }
    let head = Head(status: response.statusCode, fields: fields.sorted { $0.name < $1.name })
    receivedHead = head
    let control = CacheControl(head.fields.values(of: "Cache-Control"))
    buffer = SpillBuffer(memoryLimit: Self.bytesInMemory, maySpill: !control.noStore)
    if control.noStore { byteLimit = min(byteLimit, Self.bytesUnstored) }
    headWaiter?.resume(returning: .success(head))
    headWaiter = nil
  }

  private func take(_ bytes: Data) {
    byteCount += bytes.count
    guard byteCount <= byteLimit else {
      let remedy =
        byteLimit < request.byteLimit
        ? "it may not be stored, and more isn't kept in memory." : "raise the limit if that is right."
      finish(
        .failure(
          CatalogError(
            .tooLarge,
            "\(place) answered with more than \(byteLimit) bytes. Nothing of it was taken; \(remedy)")))
      return
    }
    do {
      try buffer.append(bytes)
    } catch {
      finish(.failure(diskFailed(error)))
    }
    serve()
  }

  private func wait(_ waiter: BodyWaiter) {
    guard bodyWaiter == nil else {
      preconditionFailure("Two tasks read one HTTPBody at once.")
    }
    bodyWaiter = waiter
    serve()
  }

  /// Hands over what there is, to whoever waits for it.
  private func serve() {
    guard let waiter = bodyWaiter else { return }
    if case .failure(let error) = end {
      bodyWaiter = nil
      waiter.resume(returning: .failure(error))
      return
    }
    do {
      if let bytes = try buffer.next() {
        bodyWaiter = nil
        waiter.resume(returning: .success(bytes))
      } else if end != nil {
        bodyWaiter = nil
        waiter.resume(returning: .success(nil))
      }
    } catch {
      // Taken off first: who is served again can't read from the disk either.
      bodyWaiter = nil
      let failure = diskFailed(error)
      waiter.resume(returning: .failure(failure))
      finish(.failure(failure))
    }
  }

  private func finish(_ result: Result<Void, CatalogError>) {
    guard end == nil else { return }
    end = result
    deadline?.cancel()
    deadline = nil
    if !isOver, let task { Self.control.async { task.cancel() } }
    if let waiter = headWaiter {
      headWaiter = nil
      switch result {
      case .failure(let error): waiter.resume(returning: .failure(error))
      case .success:
        waiter.resume(returning: .failure(CatalogError(.cancelled, "Asking \(place) was given up.")))
      }
    }
    serve()
  }

  private func diskFailed(_ error: any Error) -> CatalogError {
    CatalogError(
      .ioError, "The answer of \(place) couldn't be kept in a temporary file; check the disk.", cause: error)
  }
}
