import CatalogDomain
import Foundation

/// The time of day, for commands that try policies without a database.
struct FoundationWallClock: WallClock {
  func read() -> ClockReading {
    let milliseconds = Date().timeIntervalSince1970 * 1000
    return ClockReading(
      wall: Timestamp(millisecondsSinceEpoch: Int64(milliseconds)), continuous: .zero, boot: nil)
  }

  func sleep(for span: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(for: span)
    } catch {
      throw CancellationError()
    }
  }
}
