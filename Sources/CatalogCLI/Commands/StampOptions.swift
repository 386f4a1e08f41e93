package import CatalogDomain

/// The options that describe a stamp, so that a policy can be tried without a database.
package enum StampOptions {
  package static let age = SharedOptions.duration("age", help: "How long ago the catalog was last right.")
  package static let validatedAt = Option<RequestedTime>(
    "validated-at", value: "time",
    help: "When the catalog was last right: RFC 3339, or such as -2h from now.",
    read: RequestedTime.read)
  package static let neverLoaded = Flag("never-loaded", help: "Nothing was ever loaded.")
  package static let initialAge = SharedOptions.duration(
    "initial-age", help: "How old the server's answer already was when it was asked for.")
  package static let markedStale = Flag("marked-stale", help: "An invalidation has marked it stale since.")
  package static let maxAge = SharedOptions.duration(
    "max-age", help: "The lifetime that the server gave (Cache-Control: max-age).")
  package static let serverWhileRevalidate = SharedOptions.duration(
    "server-swr", help: "The server's stale-while-revalidate.")
  package static let serverIfError = SharedOptions.duration(
    "server-sie", help: "The server's stale-if-error.")
  package static let mustRevalidate = Flag("must-revalidate", help: "The server said must-revalidate.")
  package static let noCache = Flag("no-cache", help: "The server said no-cache.")
  package static let noStore = Flag("no-store", help: "The server said no-store.")

  /// Those that say when the catalog was last right.
  package static let moments = [age.spec, validatedAt.spec, neverLoaded.spec]

  /// Those that say on what terms.
  package static let terms = [
    initialAge.spec, markedStale.spec, maxAge.spec, serverWhileRevalidate.spec, serverIfError.spec,
    mustRevalidate.spec, noCache.spec, noStore.spec,
  ]

  /// Returns the stamp that the command line describes, last right at a moment.
  package static func stamp(of call: CommandCall, validatedAt moment: Timestamp) -> CatalogStamp {
    CatalogStamp(
      // No boot is known, so the age is counted by the wall clock, which is the one that is being tried.
      validatedAt: ClockReading(wall: moment, continuous: .zero, boot: nil),
      initialAge: call[initialAge] ?? .zero,
      directives: ServerFreshness(
        lifetime: call[maxAge], staleWhileRevalidate: call[serverWhileRevalidate],
        staleIfError: call[serverIfError], mustRevalidate: call.has(mustRevalidate),
        noCache: call.has(noCache), noStore: call.has(noStore)),
      isMarkedStale: call.has(markedStale))
  }

  /// Returns when the command line says that the catalog was last right; nil if it doesn't say.
  package static func moment(of call: CommandCall, now: Timestamp) -> Timestamp? {
    if let age = call[age] { return now + (.zero - age) }
    return call[validatedAt]?.moment(from: now)
  }
}
