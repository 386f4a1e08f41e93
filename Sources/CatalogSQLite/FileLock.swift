#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The lock beside a database, between threads and between processes.
///
/// SQLite 3.7.0 to 3.51.2 can corrupt a database when one connection resets the log while another writes or
/// checkpoints (sqlite.org/wal.html), so whoever does either holds this first. It is `flock` on a file of its
/// own: POSIX record locks vanish when *any* descriptor of the file is closed, and don't exclude threads. The
/// file is never removed, and the descriptor isn't inherited across `exec`. Never hold it across an `await`.
package final class FileLock: Sendable {
  /// Why the lock wasn't had.
  package enum Failure: Error, Sendable {
    /// Somebody else held it until the deadline.
    case busy
    /// There is no lock file, and it wasn't to be made.
    case missing
    /// The file system said no.
    case system(FileSystemError)
  }

  /// How the lock is held.
  package enum Kind: Sendable {
    case shared, exclusive
  }

  /// The lock while it is held; letting go of it is letting the next in.
  package struct Hold: ~Copyable {
    private let lock: FileLock
    private let descriptor: Int32

    fileprivate init(lock: FileLock, descriptor: Int32) {
      self.lock = lock
      self.descriptor = descriptor
    }

    deinit {
      flock(descriptor, LOCK_UN)
      lock.gate.leave()
    }

    /// Writes eight bytes into the lock file, which those who watch it notice.
    package func announce(_ number: UInt64) {
      var bytes = number.littleEndian
      // A watcher that misses this looks by itself after a while, so a failure needs no answer.
      _ = unsafe withUnsafeBytes(of: &bytes) { unsafe pwrite(descriptor, $0.baseAddress, 8, 0) }
    }
  }

  /// Where the lock file is.
  package let path: String
  private let mayCreate: Bool
  private let gate = FairGate()
  private let descriptor: Lock<Int32>

  /// Opens the lock file.
  ///
  /// - Parameters:
  ///   - path: Where it is; its folder exists, and is resolved.
  ///   - mayCreate: Whether it is made if it isn't there; if not, it is only ever read.
  package init(path: String, mayCreate: Bool) throws(Failure) {
    self.path = path
    self.mayCreate = mayCreate
    descriptor = Lock(try Self.open(path, mayCreate: mayCreate))
  }

  deinit {
    close(descriptor.withLock { $0 })
  }

  /// Waits for the lock: first in line within the process, then trying between processes, to a deadline.
  package func hold(_ kind: Kind, waitingAtMost limit: Duration) throws(Failure) -> Hold {
    let deadline = ContinuousClock.now + limit
    guard gate.enter(waitingAtMost: limit) else { throw .busy }
    do throws(Failure) {
      return Hold(lock: self, descriptor: try lockCurrentFile(kind, until: deadline))
    } catch {
      gate.leave()
      throw error
    }
  }

  private func lockCurrentFile(
    _ kind: Kind, until deadline: ContinuousClock.Instant
  ) throws(Failure) -> Int32 {
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
    var pause: useconds_t = 200
    while true {
      let held = descriptor.withLock { $0 }
      if flock(held, operation) == 0 {
        do throws(Failure) {
          if try isCurrent(held) { return held }
        } catch {
          flock(held, LOCK_UN)
          throw error
        }
        // The file was removed and made anew: what we hold excludes nobody. Take the one that is there.
        flock(held, LOCK_UN)
        let replacement = try Self.open(path, mayCreate: mayCreate)
        descriptor.withLock { $0 = replacement }
        close(held)
        continue
      }
      let error = errno
      guard error == EWOULDBLOCK || error == EINTR else {
        throw .system(FileSystemError(errno: error, operation: "flock", path: path))
      }
      guard ContinuousClock.now < deadline else { throw .busy }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
  }

  private func isCurrent(_ held: Int32) throws(Failure) -> Bool {
    var status = stat()
    guard unsafe fstat(held, &status) == 0 else {
      throw .system(FileSystemError(errno: errno, operation: "fstat", path: path))
    }
    do throws(FileSystemError) {
      return try FileSystem.attributes(path)?.identity == FileSystem.attributes(status).identity
    } catch {
      throw .system(error)
    }
  }

  private static func open(_ path: String, mayCreate: Bool) throws(Failure) -> Int32 {
    let access = mayCreate ? O_RDWR | O_CREAT : O_RDONLY
    let descriptor = open(path, access | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      let error = errno
      if error == ENOENT && !mayCreate { throw .missing }
      throw .system(FileSystemError(errno: error, operation: "open", path: path))
    }
    return descriptor
  }

  private static func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.open(path, flags, mode)
    #elseif canImport(Musl)
      unsafe Musl.open(path, flags, mode)
    #else
      unsafe Darwin.open(path, flags, mode)
    #endif
  }
}
