package import CatalogDomain
import Foundation

/// The system's clocks, as far as a request needs them: the time of day, and waiting.
package struct HTTPSystemClock: WallClock {
  private static let start = ContinuousClock().now

  package init() {}

  package func read() -> ClockReading {
    ClockReading(
      wall: Timestamp(millisecondsSinceEpoch: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))),
      continuous: ContinuousClock().now - Self.start, boot: nil)
  }

  package func sleep(for span: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(for: span, clock: .continuous)
    } catch {
      // `Task.sleep` throws nothing else.
      throw CancellationError()
    }
  }
}
