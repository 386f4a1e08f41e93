internal import CatalogSQLite

/// Tells those who asked that something in the database may have changed, here or in another process.
package final class ChangeHub: Sendable {
  private struct State: Sendable {
    var listeners: [Int: @Sendable () -> Void] = [:]
    var lastToken = 0
    var watch: FileWatch?
  }

  private let state = Lock(State())

  /// Asks to be told.
  ///
  /// The closure does no work but waking somebody up.
  ///
  /// - Returns: What ``remove(_:)`` takes.
  package func add(_ listener: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastToken += 1
      state.listeners[state.lastToken] = listener
      return state.lastToken
    }
  }

  /// Asks not to be told any more.
  package func remove(_ token: Int) {
    state.withLock { _ = $0.listeners.removeValue(forKey: token) }
  }

  /// Tells everybody who asked.
  package func signal() {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener() }
  }

  /// Gives the watch back to the system.
  func stopWatching() {
    let watch = state.withLock { state in
      defer { state.watch = nil }
      return state.watch
    }
    // It ends here, outside the lock.
    withExtendedLifetime(watch) {}
  }

  /// Watches the lock file, into which every process that commits writes.
  func watch(_ path: String) {
    let watch = FileWatch(path: path) { [weak self] in self?.signal() }
    state.withLock { $0.watch = watch }
  }
}
