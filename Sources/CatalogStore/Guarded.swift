internal import CatalogSQLite

/// The project's one lock, for the room above, which doesn't see the room below.
package final class Guarded<State>: Sendable {
  private let lock: Lock<State>

  package init(_ state: sending State) {
    lock = Lock(state)
  }

  /// Lends the value for no more than reading and changing it.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock(body)
  }
}

extension CatalogStore {
  /// Returns the object that goes with this store, made at the first call: whoever shares the store shares it.
  package func companion<Companion: AnyObject & Sendable>(_ make: () -> Companion) -> Companion {
    attachment.withLock { attachment in
      if let known = attachment as? Companion { return known }
      let made = make()
      attachment = made
      return made
    }
  }
}
