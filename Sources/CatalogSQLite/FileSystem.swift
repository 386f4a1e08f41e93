#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// An error of the file system, by its `errno`.
package struct FileSystemError: Error, Sendable, CustomStringConvertible {
  package let errno: Int32
  /// The system call.
  package let operation: String
  package let path: String

  package init(errno: Int32, operation: String, path: String) {
    self.errno = errno
    self.operation = operation
    self.path = path
  }

  package var description: String {
    "\(operation) '\(path)': \(unsafe String(cString: unsafe strerror(errno)))"
  }

  package static let noSuchFile = ENOENT
  package static let noSpace = ENOSPC
  package static let overQuota = EDQUOT
  package static let overSizeLimit = EFBIG
  /// Whether the disk, or this user's or this process's share of it, is used up.
  package static func isNoRoom(_ errno: Int32) -> Bool {
    errno == noSpace || errno == overQuota || errno == overSizeLimit
  }

  package static let accessDenied = EACCES
  package static let notPermitted = EPERM
  package static let readOnlyFileSystem = EROFS
  package static let exists = EEXIST
  package static let isDirectory = EISDIR
  package static let notADirectory = ENOTDIR
  package static let tooManyLinks = ELOOP
  package static let nameTooLong = ENAMETOOLONG
}

/// The few calls of the file system that a database beside its lock needs.
package enum FileSystem {
  /// What tells one file from another while either is there.
  package struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
  }

  /// What is known of a file.
  package struct Attributes: Sendable {
    package let identity: Identity
    package let sizeInBytes: Int64
    package let isDirectory: Bool
    package let isRegularFile: Bool
  }

  /// Returns what is known of the file at a path, symbolic links followed; nil if there is none.
  package static func attributes(_ path: String) throws(FileSystemError) -> Attributes? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      let error = errno
      if error == ENOENT { return nil }
      throw FileSystemError(errno: error, operation: "stat", path: path)
    }
    return attributes(status)
  }

  static func attributes(_ status: stat) -> Attributes {
    Attributes(
      identity: Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
      sizeInBytes: Int64(status.st_size), isDirectory: status.st_mode & S_IFMT == S_IFDIR,
      isRegularFile: status.st_mode & S_IFMT == S_IFREG)
  }

  /// Returns the path with every symbolic link and dot resolved; nil if there is no such file.
  package static func resolve(_ path: String) throws(FileSystemError) -> String? {
    guard let resolved = unsafe realpath(path, nil) else {
      let error = errno
      if error == ENOENT { return nil }
      throw FileSystemError(errno: error, operation: "realpath", path: path)
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Creates an empty file that only its owner can read and write; it is an error if there is one already.
  package static func createExclusively(_ path: String) throws(FileSystemError) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FileSystemError(errno: errno, operation: "create", path: path) }
    close(descriptor)
  }

  /// Gives a file another name in the same folder; does nothing if there is no such file.
  package static func move(_ path: String, to other: String) throws(FileSystemError) {
    guard unsafe rename(path, other) != 0 else { return }
    let error = errno
    guard error == ENOENT else { throw FileSystemError(errno: error, operation: "rename", path: path) }
  }

  /// Removes a file's name; does nothing if there is no such file.
  package static func remove(_ path: String) throws(FileSystemError) {
    guard unsafe unlink(path) != 0 else { return }
    let error = errno
    guard error == ENOENT else { throw FileSystemError(errno: error, operation: "unlink", path: path) }
  }

  /// Returns the names in a folder, in no order.
  package static func names(inFolder path: String) throws(FileSystemError) -> [String] {
    guard let folder = unsafe opendir(path) else {
      throw FileSystemError(errno: errno, operation: "opendir", path: path)
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Creates a folder of a fresh name that only its owner can use, in the folder for temporary files.
  package static func makeTemporaryFolder() throws(FileSystemError) -> String {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/offline-catalog.XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else {
      throw FileSystemError(errno: errno, operation: "mkdtemp", path: parent)
    }
    return unsafe String(cString: made)
  }

  /// Removes an empty folder.
  package static func removeFolder(_ path: String) throws(FileSystemError) {
    guard unsafe rmdir(path) == 0 else {
      throw FileSystemError(errno: errno, operation: "rmdir", path: path)
    }
  }

  /// Copies a file into a new one that only its owner can read.
  package static func copy(_ path: String, to other: String) throws(FileSystemError) {
    let source = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw FileSystemError(errno: errno, operation: "open", path: path) }
    defer { close(source) }
    let target = unsafe open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard target >= 0 else { throw FileSystemError(errno: errno, operation: "create", path: other) }
    defer { close(target) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = unsafe read(source, &buffer, buffer.count)
      guard count >= 0 else { throw FileSystemError(errno: errno, operation: "read", path: path) }
      guard count > 0 else { return }
      var written = 0
      while written < count {
        let step = unsafe buffer.withUnsafeBytes { bytes in
          unsafe write(target, bytes.baseAddress?.advanced(by: written), count - written)
        }
        guard step > 0 else { throw FileSystemError(errno: errno, operation: "write", path: other) }
        written += step
      }
    }
  }
}
