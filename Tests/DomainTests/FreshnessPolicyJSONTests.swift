import CatalogDomain
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FreshnessPolicyJSONTests {
  private func decode(_ json: String) throws -> FreshnessPolicy {
    try JSONDecoder().decode(FreshnessPolicy.self, from: Data(json.utf8))
  }

  @Test func `the documented form is the standard policy`() throws {
    let policy = try decode(
      """
      {"lifetime": "10m", "staleWhileRevalidate": "24h", "staleIfError": "7d",
       "serverLifetimes": {"within": ["0s", "7d"]}, "serverProhibitions": "obeyed", "futureTolerance": "60s"}
      """)
    #expect(policy == .standard)
    #expect(try decode("{}") == .standard)
  }

  @Test func `a key that is left out keeps the standard value`() throws {
    var expected = FreshnessPolicy()
    expected.lifetime = .seconds(90)
    expected.serverLifetimes = .ignored
    expected.serverProhibitions = .relaxedOffline
    let json = #"{"lifetime":"90s","serverLifetimes":"ignored","serverProhibitions":"relaxedOffline"}"#
    #expect(try decode(json) == expected)
  }

  @Test func `every policy in whole milliseconds reads back as it was written`() throws {
    var random = SeededGenerator(seed: 7)
    let spans: [Int64] = [0, 1, 999, 1000, 60_000, 3_600_000, 86_400_000, 90_000, 5_400_000, .max]
    for _ in 0..<500 {
      func span() -> Duration { .milliseconds(spans.randomElement(using: &random) ?? 0) }
      var policy = FreshnessPolicy()
      policy.lifetime = span()
      policy.staleWhileRevalidate = span()
      policy.staleIfError = span()
      policy.futureTolerance = span()
      let (first, second) = (span(), span())
      policy.serverLifetimes =
        Bool.random(using: &random)
        ? .ignored : .honoured(within: min(first, second)...max(first, second))
      policy.serverProhibitions = Bool.random(using: &random) ? .obeyed : .relaxedOffline
      let data = try JSONEncoder().encode(policy)
      #expect(try JSONDecoder().decode(FreshnessPolicy.self, from: data) == policy)
    }
  }

  @Test func `durations are written as people write them`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = String(decoding: try encoder.encode(FreshnessPolicy.standard), as: UTF8.self)
    #expect(
      json == #"{"futureTolerance":"1m","lifetime":"10m","serverLifetimes":{"within":["0s","7d"]},"#
        + #""serverProhibitions":"obeyed","staleIfError":"7d","staleWhileRevalidate":"1d"}"#)
  }

  @Test(arguments: [
    (#"{"lifetme": "10m"}"#, "lifetme"), (#"{"lifetime": "10 m"}"#, "10 m"),
    (#"{"lifetime": "-10m"}"#, "-10m"), (#"{"lifetime": "10"}"#, "'10'"), (#"{"lifetime": ""}"#, "''"),
    (#"{"staleWhileRevalidate": "1w"}"#, "1w"), (#"{"staleIfError": "1.5h"}"#, "1.5h"),
    (#"{"futureTolerance": "9223372036854775807d"}"#, "9223372036854775807d"),
    (#"{"serverLifetimes": "honoured"}"#, "honoured"),
    (#"{"serverLifetimes": {"within": ["7d", "0s"]}}"#, "lower first"),
    (#"{"serverLifetimes": {"within": ["0s"]}}"#, "two durations"),
    (#"{"serverLifetimes": {"within": ["0s", "1s", "2s"]}}"#, "two durations"),
    (#"{"serverLifetimes": {"within": ["0s", "soon"]}}"#, "soon"),
    (#"{"serverLifetimes": {"within": ["0s", "7d"], "without": "x"}}"#, "without"),
  ])
  func `what isn't a policy is refused, and the text at fault is named`(json: String, fault: String) throws {
    let error = try #require(throws: DecodingError.self) { _ = try decode(json) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(error) doesn't say what is wrong with the text")
      return
    }
    #expect(context.debugDescription.contains(fault))
  }

  @Test(arguments: [
    #"{"lifetime": 600}"#, #"{"serverLifetimes": {}}"#, #"{"serverLifetimes": 7}"#,
    #"{"serverLifetimes": {"within": "7d"}}"#, #"{"serverLifetimes": {"within": [0, 7]}}"#,
    #"{"serverProhibitions": "loose"}"#, "[]", "7", "", "{",
  ])
  func `what has another shape is refused`(json: String) {
    #expect(throws: DecodingError.self) { _ = try decode(json) }
  }
}
