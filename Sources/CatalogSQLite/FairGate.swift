#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A gate that lets one thread at a time through, first come, first served, each waiting to a deadline.
@safe package final class FairGate: @unchecked Sendable {
  // Sendable because `queue` and `next` are touched only while `mutex` is held.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let turned: UnsafeMutablePointer<pthread_cond_t>
  private var queue: [UInt64] = []
  private var next: UInt64 = 0

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe turned = .allocate(capacity: 1)
    let made = unsafe (pthread_mutex_init(mutex, nil), pthread_cond_init(turned, nil))
    precondition(made == (0, 0), "pthread's mutex and condition can't be made: \(made)")
  }

  deinit {
    unsafe pthread_cond_destroy(turned)
    unsafe pthread_mutex_destroy(mutex)
    unsafe turned.deallocate()
    unsafe mutex.deallocate()
  }

  /// Waits for this thread's turn.
  ///
  /// - Returns: Whether the turn came; if so, `leave()` must be called.
  package func enter(waitingAtMost limit: Duration) -> Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    let ticket = next
    next += 1
    queue.append(ticket)
    guard queue.first != ticket else { return true }
    let deadline = ContinuousClock.now + limit
    while queue.first != ticket {
      let left = deadline - ContinuousClock.now
      guard left > .zero else {
        queue.removeAll { $0 == ticket }
        return false
      }
      // The condition waits by the time of day; the loop goes by the continuous clock, so a step of the time
      // of day makes it wake early or a little late, never for good: each wait is a second at most.
      var wakeUp = timespec()
      _ = unsafe clock_gettime(CLOCK_REALTIME, &wakeUp)
      let nanoseconds = wakeUp.tv_nsec + Int(min(left, .seconds(1)) / .nanoseconds(1))
      wakeUp.tv_sec += nanoseconds / 1_000_000_000
      wakeUp.tv_nsec = nanoseconds % 1_000_000_000
      _ = unsafe pthread_cond_timedwait(turned, mutex, &wakeUp)
    }
    return true
  }

  /// How many threads wait for their turn.
  package var waiting: Int {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return max(0, queue.count - 1)
  }

  /// Lets the next thread in.
  package func leave() {
    unsafe pthread_mutex_lock(mutex)
    queue.removeFirst()
    unsafe pthread_cond_broadcast(turned)
    unsafe pthread_mutex_unlock(mutex)
  }
}
