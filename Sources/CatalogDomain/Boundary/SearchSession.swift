/// Keeps a search screen on its newest question: an older answer never replaces a newer decision.
///
/// Everything happens on one serial executor, the caller's; the type isn't `Sendable`. The owner of the
/// feature holds the session strongly and calls ``stop()`` when the feature ends; the renderer given to
/// ``changed`` captures its screen weakly.
public final class SearchSession {
  /// What the screen shows now.
  ///
  /// It is set before ``changed`` is called.
  public private(set) var phase: SearchPhase = .idle
  /// Called after each change of ``phase``.
  ///
  /// It may call ``search(_:)`` or ``stop()``.
  public var changed: ((SearchPhase) -> Void)?

  private let service: any BookSearching
  private var newestTicket: UInt64 = 0
  private var token: (any SearchCancellation)?
  private var isActive = true

  /// Creates a session that has searched for nothing yet.
  public init(service: any BookSearching) {
    self.service = service
  }

  // A fallback for an owner that forgot; the stop signal is `stop()`.
  deinit {
    token?.cancel()
  }

  /// Searches for a text, and gives up the search before it.
  ///
  /// - Parameter query: What the reader typed. After ``stop()`` nothing happens.
  public func search(_ query: String) {
    guard isActive else { return }
    precondition(newestTicket < .max, "A SearchSession can take \(UInt64.max) searches, and took them all.")
    newestTicket += 1
    let ticket = newestTicket

    // The counter is up already, so a service that completes inside `cancel()` is out of date.
    let outdated = token
    token = nil
    outdated?.cancel()
    guard isCurrent(ticket) else { return }

    publish(.loading(query))
    // `changed` may have searched for something else, or stopped: then the service is never reached.
    guard isCurrent(ticket) else { return }

    let started = service.search(query) { [weak self] result in
      self?.complete(ticket, with: result)
    }
    if isCurrent(ticket) {
      token = started
    } else {
      started.cancel()
    }
  }

  /// Ends the session for good: cancels what is under way and lets go of ``changed``; ``phase`` stays.
  public func stop() {
    guard isActive else { return }
    isActive = false
    let outdated = token
    token = nil
    outdated?.cancel()
    changed = nil
  }

  private func isCurrent(_ ticket: UInt64) -> Bool {
    isActive && ticket == newestTicket
  }

  private func complete(_ ticket: UInt64, with result: Result<[SearchBook], SearchFailure>) {
    guard isCurrent(ticket) else { return }
    switch result {
    case .success(let books): publish(.loaded(books))
    case .failure: publish(.failed("Search is unavailable."))
    }
  }

  private func publish(_ next: SearchPhase) {
    phase = next
    changed?(next)
  }
}
