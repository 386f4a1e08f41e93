public import CatalogDomain
internal import CatalogStore

extension CachedCatalog {
  /// How long a watcher waits at most before it looks by itself: a change in another process may be missed.
  private static let slowPoll = Duration.seconds(10)

  /// Returns how the catalog stands, again and again: the current state first, then the newest after each
  /// change, in whatever process, and when time alone changes what may be served.
  ///
  /// States that a slow reader hasn't taken are replaced by newer ones. The stream ends when nobody iterates it
  /// any more.
  public func changes() -> AsyncStream<CatalogStatus> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: CatalogStatus.self, bufferingPolicy: .bufferingNewest(1))
    let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let token = store.changes.add { wakeUp.yield() }
    wakeUp.yield()
    let watcher = Task { [self] in
      var shown: CatalogStatus?
      for await _ in wakeUps {
        let status = status()
        if shown.map({ !$0.looksLike(status) }) ?? true {
          shown = status
          continuation.yield(status)
        }
      }
    }
    let timer = Task { [self] in
      do throws(CancellationError) {
        while true {
          let now = clock.read().wall
          let untilChange = status().decision.nextChange.map { $0 - now } ?? Self.slowPoll
          try await clock.sleep(for: min(max(untilChange, .milliseconds(1)), Self.slowPoll))
          wakeUp.yield()
        }
      } catch {
        // Nobody iterates any more.
      }
    }
    continuation.onTermination = { [store] _ in
      store.changes.remove(token)
      watcher.cancel()
      timer.cancel()
    }
    return stream
  }
}

extension CatalogStatus {
  /// Whether a screen would show the same but for the age, which changes all the time.
  fileprivate func looksLike(_ other: CatalogStatus) -> Bool {
    var (first, second) = (self, other)
    (first.decision.age, first.decision.nextChange) = (nil, nil)
    (second.decision.age, second.decision.nextChange) = (nil, nil)
    return first == second
  }
}
