internal import CatalogStore

/// Something that happens once.
final class OnceFlag: Sendable {
  private let isSet = Guarded(false)

  /// Sets the flag, and says whether this call was the one.
  func set() -> Bool {
    isSet.withLock { isSet in
      defer { isSet = true }
      return !isSet
    }
  }
}
