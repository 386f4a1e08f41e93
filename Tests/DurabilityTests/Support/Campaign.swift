import Foundation

/// How long the slow checks run, and from which seed.
///
/// `CATALOG_CI_LONG=1` asks for the full figures; `CATALOG_SEED` repeats a run.
enum Campaign {
  static let isLong = ProcessInfo.processInfo.environment["CATALOG_CI_LONG"] == "1"

  /// How many rounds: a few by default, all of them if asked for.
  static func rounds(_ few: Int, long: Int) -> Int { isLong ? long : few }

  /// A generator for a check, its seed printed.
  static func generator(_ name: String) -> SeededGenerator {
    let given = ProcessInfo.processInfo.environment["CATALOG_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    print("\(name): CATALOG_SEED=\(seed)")
    return SeededGenerator(seed: seed)
  }
}

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"): the same numbers from the
/// same seed on every machine.
struct SeededGenerator: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// True once in so many times.
  mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}
