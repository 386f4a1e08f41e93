import CatalogDomain

/// What a decision does, without its age and the moment it ends.
struct DecisionKind: Hashable {
  var freshness: FreshnessDecision.Freshness
  var rule: FreshnessDecision.Rule
  var books: FreshnessDecision.Reading
  var load: FreshnessDecision.Loading

  init(
    _ freshness: FreshnessDecision.Freshness, _ rule: FreshnessDecision.Rule,
    books: FreshnessDecision.Reading, load: FreshnessDecision.Loading
  ) {
    self.freshness = freshness
    self.rule = rule
    self.books = books
    self.load = load
  }

  init(_ decision: FreshnessDecision) {
    self.init(decision.freshness, decision.rule, books: decision.books, load: decision.load)
  }

  static let fresh = DecisionKind(.fresh, .withinLifetime, books: .serve, load: .serve)
  static let revalidating = DecisionKind(
    .stale, .staleWhileRevalidate, books: .serve, load: .serveAndRefresh)
  static let onError = DecisionKind(
    .stale, .staleIfError, books: .serve, load: .refreshFirst(mayServeStale: true))
  static let expired = DecisionKind(
    .expired, .pastEveryBound, books: .unavailable, load: .refreshFirst(mayServeStale: false))
  static let neverLoaded = DecisionKind(
    .expired, .neverLoaded, books: .unavailable, load: .refreshFirst(mayServeStale: false))

  /// Stale, served, and refreshed first.
  static func heldStale(_ rule: FreshnessDecision.Rule) -> DecisionKind {
    DecisionKind(.stale, rule, books: .serve, load: .refreshFirst(mayServeStale: true))
  }

  /// Stale and not served.
  static func forbidden(_ rule: FreshnessDecision.Rule) -> DecisionKind {
    DecisionKind(.stale, rule, books: .unavailable, load: .refreshFirst(mayServeStale: false))
  }
}

/// The moment at which the tests' catalogs were found to be right.
enum Start {
  static let reading = ClockReading(
    wall: Timestamp(millisecondsSinceEpoch: 1_767_225_600_000), continuous: .seconds(5000), boot: "boot-1")

  /// The reading when both clocks have gone on.
  static func after(milliseconds: Int64) -> ClockReading {
    reading.goneOn(by: milliseconds)
  }

  /// The reading after a reboot, with the time of day so much later.
  static func rebooted(milliseconds: Int64, boot: String? = "boot-2") -> ClockReading {
    ClockReading(wall: reading.wall + .milliseconds(milliseconds), continuous: .seconds(9), boot: boot)
  }

  static func wall(milliseconds: Int64) -> Timestamp {
    reading.wall + .milliseconds(milliseconds)
  }
}

extension ClockReading {
  func goneOn(by milliseconds: Int64) -> ClockReading {
    let span = Duration.milliseconds(milliseconds)
    return ClockReading(wall: wall + span, continuous: continuous + span, boot: boot)
  }
}

/// A small generator with a seed, so that a failure can be had again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  // SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
