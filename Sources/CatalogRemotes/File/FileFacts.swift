import CatalogDocuments
import CatalogDomain
import Foundation

/// What tells one state of a file from another without reading it.
struct FileFacts: Equatable {
  let sizeInBytes: Int
  private let modified: Date
  // What Foundation calls creation is, on Linux, the time of the last change to the file or to what is
  // noted of it, which no program can set back.
  private let changed: Date?
  private let device: Int
  private let number: Int

  /// Looks at the file that a URL names, through symbolic links.
  ///
  /// Returns nil if it is a pipe or a device, which has no state to compare.
  init?(of url: URL) throws(CatalogError) {
    let target = url.resolvingSymlinksInPath()
    let attributes: [FileAttributeKey: Any]
    do throws(CatalogError) {
      attributes = try Self.translating(url) { try FileManager.default.attributesOfItem(atPath: target.path) }
    } catch {
      // The link of an open descriptor, such as /dev/stdin, may name a pipe that has no path.
      if error.code == .notFound, FileManager.default.fileExists(atPath: url.path) { return nil }
      throw error
    }
    switch attributes[.type] as? FileAttributeType {
    case .typeRegular: break
    case .typeDirectory:
      throw CatalogError(.badResponse, "'\(url.path)' is a directory; name a file in it.")
    case .typeSocket:
      throw CatalogError(.badResponse, "'\(url.path)' is a socket, which can't be read as a file.")
    default: return nil
    }
    guard let size = attributes[.size] as? Int, let modified = attributes[.modificationDate] as? Date,
      let number = attributes[.systemFileNumber] as? Int
    else {
      throw CatalogError(.ioError, "The file system says nothing of '\(url.path)'; copy it to another disk.")
    }
    sizeInBytes = size
    self.modified = modified
    changed = attributes[.creationDate] as? Date
    device = attributes[.systemNumber] as? Int ?? 0
    self.number = number
  }

  /// Returns what to ask "has it changed?" with; nil if a change might not show.
  ///
  /// A file that is written again within one tick of its file system's clock, to the same size, looks as it
  /// did before. So a file that was modified just now gets no validators. (See "racy Git" in Git's
  /// technical documentation.) Where times are kept in whole seconds, a tick may last two of them.
  func validators(limits: DocumentLimits, now: Date) -> FetchValidators? {
    let hasFraction = modified.timeIntervalSinceReferenceDate.truncatingRemainder(dividingBy: 1) != 0
    guard now.timeIntervalSince(modified) > (hasFraction ? 0.1 : 2) else { return nil }
    // The same bytes read with other bounds, or by a reader that knows more, give another answer.
    let reading = [
      PlainCatalogReader.revision, limits.nesting, limits.itemBytes, limits.titleBytes,
      limits.identifierBytes,
      limits.authorBytes, limits.languageBytes, limits.authors,
    ]
    let parts =
      ["\(sizeInBytes)", Self.text(modified), changed.map(Self.text) ?? "", "\(device)", "\(number)"]
      + [reading.map { String($0, radix: 36) }.joined(separator: ".")]
    return FetchValidators(entityTag: "\"\(parts.joined(separator: "-"))\"", scope: "file")
  }

  /// Does something with a file, and says what went wrong in the catalog's terms.
  static func translating<Value>(
    _ url: URL, _ body: () throws -> Value
  ) throws(CatalogError) -> Value {
    do {
      return try body()
    } catch {
      throw translate(error, url)
    }
  }

  static func translate(_ error: any Error, _ url: URL) -> CatalogError {
    let code = (error as? CocoaError)?.code
    let below = (error as? CocoaError)?.underlying as? POSIXError
    switch (code, below?.code) {
    case (.fileReadNoSuchFile, _), (.fileNoSuchFile, _), (_, .ENOENT), (_, .ENOTDIR):
      return CatalogError(.notFound, "There is no file '\(url.path)'; check the path.", cause: error)
    case (.fileReadNoPermission, _), (_, .EACCES), (_, .EPERM):
      return CatalogError(
        .permission, "'\(url.path)' may not be read by this user; check its permissions.", cause: error)
    default:
      return CatalogError(.ioError, "Reading '\(url.path)' failed; check the disk.", cause: error)
    }
  }

  private static func text(_ date: Date) -> String {
    // Foundation keeps times as binary fractions of a second, so the last digits of the nanoseconds are lost.
    String(format: "%.7f", date.timeIntervalSinceReferenceDate)
  }
}
