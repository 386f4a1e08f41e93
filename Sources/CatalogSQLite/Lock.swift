#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The project's one lock: it guards a value, and lends it for no more than reading and changing it.
///
/// It is a `pthread_mutex_t`, not `Synchronization.Mutex`, whose use is reported as a race by Thread Sanitizer
/// on Linux (Swift 6.3); to be replaced when that is mended.
@safe package final class Lock<State>: @unchecked Sendable {
  // Sendable because `state` is touched only while `mutex` is held, and it never leaves by reference.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var state: State

  package init(_ state: sending State) {
    self.state = state
    unsafe mutex = .allocate(capacity: 1)
    let result = unsafe pthread_mutex_init(mutex, nil)
    precondition(result == 0, "pthread_mutex_init failed with \(result)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Lends the value, with nobody else having it.
  ///
  /// The closure does no work but reading and changing it.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
