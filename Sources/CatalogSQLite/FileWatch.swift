internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Notices that a file was written to, by whatever process.
///
/// inotify on Linux, kqueue elsewhere. Neither promises that nothing is missed, so a watcher also looks by
/// itself from time to time.
// Sendable because what it holds is set once, and may be let go of from any thread.
package final class FileWatch: @unchecked Sendable {
  #if os(Linux)
    private let watcher: Inotify
    private let token: Inotify.Token

    /// Starts watching; stops when the object goes away.
    ///
    /// - Returns: nil if the system has no watch left to give, or there is no such file.
    package init?(path: String, changed: @escaping @Sendable () -> Void) {
      guard let watcher = Inotify.shared, let token = watcher.add(path, changed) else { return nil }
      self.watcher = watcher
      self.token = token
    }

    deinit {
      watcher.remove(token)
    }
  #else
    private let source: any DispatchSourceProtocol

    /// Starts watching; stops when the object goes away.
    ///
    /// - Returns: nil if the system has no watch left to give, or there is no such file.
    package init?(path: String, changed: @escaping @Sendable () -> Void) {
      let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let writing = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .attrib])
      writing.setEventHandler(handler: changed)
      writing.setCancelHandler { close(descriptor) }
      writing.activate()
      source = writing
    }

    deinit {
      source.cancel()
    }
  #endif
}

#if os(Linux)
  /// The process's one inotify instance: a user may have only a hundred or so of them (inotify(7)).
  // Sendable because `source` is only kept, and the rest is constant or behind the lock.
  private final class Inotify: @unchecked Sendable {
    struct Token: Hashable, Sendable {
      let watch: Int32
      let number: Int
    }

    private struct State: Sendable {
      /// By watch: the system gives the same one for the same file.
      var listeners: [Int32: [Int: @Sendable () -> Void]] = [:]
      var lastNumber = 0
    }

    static let shared = Inotify()

    private let descriptor: Int32
    private let source: any DispatchSourceProtocol
    private let state = Lock(State())

    private init?() {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      self.descriptor = descriptor
      let reading = DispatchSource.makeReadSource(fileDescriptor: descriptor)
      source = reading
      reading.setEventHandler { [unowned self] in notify() }
      reading.activate()
    }

    func add(_ path: String, _ changed: @escaping @Sendable () -> Void) -> Token? {
      state.withLock { state in
        // Inside the lock, so that nobody removes the watch of the same file meanwhile.
        let watch = unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
        guard watch >= 0 else { return nil }
        state.lastNumber += 1
        state.listeners[watch, default: [:]][state.lastNumber] = changed
        return Token(watch: watch, number: state.lastNumber)
      }
    }

    func remove(_ token: Token) {
      state.withLock { state in
        state.listeners[token.watch]?[token.number] = nil
        guard state.listeners[token.watch]?.isEmpty == true else { return }
        state.listeners[token.watch] = nil
        // It fails if the file is gone, and the watch with it.
        _ = inotify_rm_watch(descriptor, token.watch)
      }
    }

    private func notify() {
      var buffer = [UInt8](repeating: 0, count: 4096)
      var watches: Set<Int32> = []
      while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        // struct inotify_event: int wd; uint32_t mask, cookie, len; char name[len].
        var offset = 0
        while offset + 16 <= count {
          let (watch, length) = unsafe buffer.withUnsafeBytes { bytes in
            unsafe (
              bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self),
              bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)
            )
          }
          watches.insert(watch)
          offset += 16 + Int(length)
        }
      }
      let listeners = state.withLock { state in
        // A queue that overflowed names no watch: then everybody looks.
        watches.contains(-1)
          ? state.listeners.values.flatMap(\.values)
          : watches.flatMap { state.listeners[$0].map { Array($0.values) } ?? [] }
      }
      for listener in listeners { listener() }
    }
  }
#endif
