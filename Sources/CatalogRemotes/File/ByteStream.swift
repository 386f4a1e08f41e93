import CatalogDomain
import Dispatch
import Foundation

/// The bytes of a pipe or a device, waited for without holding a thread, until the task is cancelled.
struct ByteStream {
  private enum Part: Sendable {
    case bytes([UInt8])
    case failure(POSIXError)
  }

  private let name: String
  private let channel: DispatchIO
  private let queue = DispatchQueue(label: "CatalogRemotes.ByteStream")

  init(_ handle: FileHandle, name: String) {
    self.name = name
    // The handle lives until the channel has let go of its descriptor.
    channel = DispatchIO(type: .stream, fileDescriptor: handle.fileDescriptor, queue: queue) { _ in
      withExtendedLifetime(handle) {}
    }
    channel.setLimit(lowWater: 1)
  }

  /// Opens a pipe or a device; opening a pipe waits until somebody writes to it.
  ///
  /// If the task is cancelled meanwhile this returns at once, and what was waiting for a writer is closed as
  /// soon as one comes.
  static func open(_ url: URL, name: String) async throws(CatalogError) -> FileHandle {
    let (results, continuation) = AsyncStream<Result<FileHandle, CatalogError>>.makeStream()
    DispatchQueue.global().async {
      do throws(CatalogError) {
        continuation.yield(
          .success(try FileFacts.translating(url) { try FileHandle(forReadingFrom: url) }))
      } catch {
        continuation.yield(.failure(error))
      }
      continuation.finish()
    }
    for await result in results { return try result.get() }
    throw CatalogError(.cancelled, "Reading \(name) was cancelled.")
  }

  /// Returns the next bytes, or nil at the end.
  func next(atMost count: Int) async throws(CatalogError) -> [UInt8]? {
    let (parts, continuation) = AsyncStream<Part>.makeStream()
    channel.read(offset: 0, length: count, queue: queue) { done, data, error in
      if let data, !data.isEmpty { continuation.yield(.bytes([UInt8](data))) }
      guard done else { return }
      if error != 0 { continuation.yield(.failure(POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO))) }
      continuation.finish()
    }
    var bytes: [UInt8] = []
    for await part in parts {
      switch part {
      case .bytes(let more): bytes += more
      case .failure(let error):
        throw CatalogError(.ioError, "Reading \(name) failed; check what writes to it.", cause: error)
      }
    }
    // The loop ends early if the task is cancelled.
    guard !Task.isCancelled else { throw CatalogError(.cancelled, "Reading \(name) was cancelled.") }
    return bytes.isEmpty ? nil : bytes
  }

  func close() {
    channel.close(flags: .stop)
  }
}
