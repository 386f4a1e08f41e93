public import CatalogDomain

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The system's clocks, and the identity of the boot that they belong to.
///
/// The continuous clock counts sleep: `CLOCK_BOOTTIME` on Linux, `CLOCK_MONOTONIC_RAW`'s sleeping kin on Apple's
/// systems. A Linux time namespace shares the boot's id but shifts the clock, so it is part of the identity.
public struct SystemWallClock: WallClock {
  private static let boot: String? = bootIdentity()

  /// Creates the clock.
  public init() {}

  /// Returns what the clocks say now.
  public func read() -> ClockReading {
    let wall = Self.now(CLOCK_REALTIME)
    return ClockReading(
      wall: Timestamp(millisecondsSinceEpoch: 0) + wall, continuous: Self.now(Self.continuousClock),
      boot: Self.boot)
  }

  /// Waits until the continuous clock has gone on by a span.
  public func sleep(for span: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(for: span, clock: .continuous)
    } catch {
      // `Task.sleep` throws nothing else.
      throw CancellationError()
    }
  }

  #if os(Linux) || os(Android)
    private static let continuousClock = CLOCK_BOOTTIME
  #else
    // On Apple's systems CLOCK_MONOTONIC counts sleep (clock_gettime(3)).
    private static let continuousClock = CLOCK_MONOTONIC
  #endif

  private static func now(_ clock: clockid_t) -> Duration {
    var time = timespec()
    // Unsafe because C takes a pointer; it is to a local value, which outlives the call.
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "clock_gettime(\(clock)) failed")
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  #if os(Linux) || os(Android)
    private static func bootIdentity() -> String? {
      guard let id = contents("/proc/sys/kernel/random/boot_id"), !id.isEmpty else { return nil }
      // A file of numbers where there are time namespaces; without them every process shares one.
      let shift = contents("/proc/self/timens_offsets") ?? ""
      let words = (id + " " + shift).split { $0 == " " || $0 == "\n" || $0 == "\t" }
      return words.joined(separator: " ")
    }

    private static func contents(_ path: String) -> String? {
      // Unsafe because C's files are pointers; this one is closed before the function returns.
      guard let file = unsafe fopen(path, "re") else { return nil }
      defer { unsafe fclose(file) }
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  #else
    private static func bootIdentity() -> String? {
      var size = 37
      var buffer = [UInt8](repeating: 0, count: size)
      // Unsafe because C takes pointers; they are to local values, which outlive the call.
      guard unsafe sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else { return nil }
      return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }
  #endif
}
