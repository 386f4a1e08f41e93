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
package final class FileWatch: @unchecked Sendable {
  // Sendable because Dispatch sources may be cancelled from any thread, and nothing else is done with this one.
  private let source: any DispatchSourceProtocol

  /// Starts watching; stops when the object goes away.
  ///
  /// - Returns: nil if the system has no watch left to give, or there is no such file.
  package init?(path: String, changed: @escaping @Sendable () -> Void) {
    #if os(Linux)
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      guard unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
        close(descriptor)
        return nil
      }
      let reading = DispatchSource.makeReadSource(fileDescriptor: descriptor)
      reading.setEventHandler {
        var events = [UInt8](repeating: 0, count: 4096)
        while unsafe read(descriptor, &events, events.count) > 0 {}
        changed()
      }
      reading.setCancelHandler { close(descriptor) }
      reading.activate()
      source = reading
    #else
      let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let writing = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .attrib])
      writing.setEventHandler(handler: changed)
      writing.setCancelHandler { close(descriptor) }
      writing.activate()
      source = writing
    #endif
  }

  deinit {
    source.cancel()
  }
}
