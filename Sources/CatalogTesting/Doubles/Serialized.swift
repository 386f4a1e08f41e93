import Dispatch

/// State that threads share, reached by one of them at a time, with tasks that wait for it to become so.
///
/// The queue's closures only read and change the state; continuations are resumed after they have returned.
// It is `@unchecked Sendable` because `contents` is touched inside `queue.sync` alone, and the queue runs one
// closure at a time. `Mutex` would say the same to the compiler, but gives false races under Thread Sanitizer
// on Linux, and the package's own lock is in a room that this one doesn't see.
final class Serialized<State: Sendable>: @unchecked Sendable {
  private struct Waiter {
    let isOver: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Contents {
    var state: State
    var waiters: [Int: Waiter] = [:]
    /// Waits that were cancelled before they began.
    var cancelled: Set<Int> = []
    var nextWait = 0
  }

  private let queue = DispatchQueue(label: "CatalogTesting.Serialized")
  private var contents: Contents

  init(_ state: State) {
    contents = Contents(state: state)
  }

  /// Reads the state.
  func read<Result>(_ body: (State) -> Result) -> Result {
    queue.sync { body(contents.state) }
  }

  /// Changes the state, and wakes the tasks whose condition holds now.
  func update<Result>(_ change: (inout State) -> Result) -> Result {
    let (result, satisfied) = queue.sync {
      let result = change(&contents.state)
      let satisfied = contents.waiters.filter { $0.value.isOver(contents.state) }
      for number in satisfied.keys { contents.waiters[number] = nil }
      return (result, satisfied)
    }
    for number in satisfied.keys.sorted() { satisfied[number]?.continuation.resume(returning: true) }
    return result
  }

  /// Waits until the state satisfies a condition, which is asked after each change.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before the condition holds.
  func wait(until condition: @escaping @Sendable (State) -> Bool) async throws(CancellationError) {
    let number = queue.sync {
      contents.nextWait += 1
      return contents.nextWait
    }
    let isSatisfied = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        begin(Waiter(isOver: condition, continuation: continuation), number)
      }
    } onCancel: {
      cancel(number)
    }
    guard isSatisfied else { throw CancellationError() }
  }

  private func begin(_ waiter: Waiter, _ number: Int) {
    let answer: Bool? = queue.sync {
      // Cancellation may come before the wait has begun; then there is no waiter for it to find.
      if contents.cancelled.remove(number) != nil { return false }
      if waiter.isOver(contents.state) { return true }
      contents.waiters[number] = waiter
      return nil
    }
    if let answer { waiter.continuation.resume(returning: answer) }
  }

  private func cancel(_ number: Int) {
    let waiter: Waiter? = queue.sync {
      let waiter = contents.waiters.removeValue(forKey: number)
      // A wait that is over already leaves its number here; that is an `Int` in a test.
      if waiter == nil { contents.cancelled.insert(number) }
      return waiter
    }
    waiter?.continuation.resume(returning: false)
  }
}
