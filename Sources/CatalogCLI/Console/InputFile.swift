import Foundation

/// Reads small files that the command line names.
enum InputFile {
  /// Reads a file of at most so many bytes, or standard input for `-`.
  ///
  /// `what` says in messages what kind of file it is.
  static func read(
    _ path: String, as what: String, limit: Int, console: any Console
  ) throws(CommandFailure) -> [UInt8] {
    let name = path == "-" ? "standard input" : "'\(Wording.excerpt(path))'"
    let bytes = path == "-" ? try console.readInput(limit: limit) : try read(path, what, limit, name)
    guard bytes.count <= limit else {
      throw .failed(
        .badData,
        "The \(what) file at \(name) has more than \(Wording.count(limit, "byte")); give the right file.")
    }
    return bytes
  }

  private static func read(
    _ path: String, _ what: String, _ limit: Int, _ name: String
  ) throws(CommandFailure) -> [UInt8] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .failed(.noSuchFile, "There is no \(what) file at \(name); check the path.")
    }
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      let data = try handle.read(upToCount: limit + 1) ?? Data()
      try handle.close()
      return Array(data)
    } catch {
      if posixCode(error) == EISDIR {
        throw .failed(.noSuchFile, "\(name) is a folder, not a \(what) file; give a file in it.")
      }
      let code: ExitCode =
        [EACCES, EPERM].contains(posixCode(error) ?? 0) ? .noPermission : .inputOutput
      throw .failed(
        code, "The \(what) file at \(name) can't be read: \(reason(error)). Check its permissions.")
    }
  }

  /// The system's number for an error of Foundation's; nil if it has none.
  static func posixCode(_ error: any Error) -> Int32? {
    var current: NSError? = error as NSError
    while let found = current {
      if found.domain == NSPOSIXErrorDomain { return Int32(found.code) }
      if found.domain == NSCocoaErrorDomain, found.code == CocoaError.fileReadNoPermission.rawValue {
        return EACCES
      }
      current = found.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return nil
  }

  /// The system's words for an error.
  static func reason(_ error: any Error) -> String {
    guard let code = posixCode(error) else { return (error as NSError).localizedDescription }
    return (NSError(domain: NSPOSIXErrorDomain, code: Int(code))).localizedDescription
  }
}
