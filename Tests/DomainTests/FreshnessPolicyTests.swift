import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FreshnessPolicyTests {
  @Test func `the standard policy is ten minutes, a day and a week`() {
    let policy = FreshnessPolicy()
    #expect(policy == .standard)
    #expect(policy.lifetime == .seconds(600))
    #expect(policy.staleWhileRevalidate == .seconds(86_400))
    #expect(policy.staleIfError == .seconds(604_800))
    #expect(policy.serverLifetimes == .honoured(within: .zero ... .seconds(604_800)))
    #expect(policy.serverProhibitions == .obeyed)
    #expect(policy.futureTolerance == .seconds(60))
  }

  @Test func `fresh for ten minutes and usable offline for a week counts from the moment it was saved`() {
    let policy = FreshnessPolicy(freshFor: .seconds(600), usableOfflineFor: .seconds(604_800))
    let stamp = CatalogStamp(validatedAt: Start.reading)
    for (age, kind) in [
      (599_999, DecisionKind.fresh), (600_000, .revalidating), (600_000 + 86_400_000 - 1, .revalidating),
      (600_000 + 86_400_000, .onError), (604_799_999, .onError), (604_800_000, .expired),
    ] as [(Int64, DecisionKind)] {
      let decision = policy.decide(stamp: stamp, now: Start.after(milliseconds: age))
      #expect(DecisionKind(decision) == kind, "at \(age) ms")
    }
  }

  @Test func `usable offline for less than a day is refreshed behind until then`() {
    let policy = FreshnessPolicy(freshFor: .seconds(60), usableOfflineFor: .seconds(3600))
    #expect(policy.staleWhileRevalidate == .seconds(3540))
    #expect(policy.staleIfError == .seconds(3540))
  }

  @Test func `usable offline for less than it is fresh is as long as it is fresh`() {
    let policy = FreshnessPolicy(freshFor: .seconds(60), usableOfflineFor: .seconds(10))
    #expect(policy.lifetime == .seconds(60))
    #expect(policy.staleIfError == .zero)
    #expect(policy.staleWhileRevalidate == .zero)
  }

  @Test func `extreme spans make a policy that doesn't trap`() {
    let extremes = [
      Duration(attoseconds: .min), .seconds(Int64.min), .zero, .seconds(Int64.max),
      Duration(attoseconds: .max),
    ]
    for freshFor in extremes {
      for usable in extremes {
        let policy = FreshnessPolicy(freshFor: freshFor, usableOfflineFor: usable)
        #expect(policy.staleIfError >= .zero)
        #expect(policy.staleWhileRevalidate >= .zero)
      }
    }
  }

  @Test func `a negative duration isn't valid, and is named`() throws {
    let fields: [(name: String, set: (inout FreshnessPolicy, Duration) -> Void)] = [
      ("lifetime", { $0.lifetime = $1 }), ("staleWhileRevalidate", { $0.staleWhileRevalidate = $1 }),
      ("staleIfError", { $0.staleIfError = $1 }), ("futureTolerance", { $0.futureTolerance = $1 }),
    ]
    for (name, set) in fields {
      var policy = FreshnessPolicy()
      try policy.validate()
      set(&policy, .zero)
      try policy.validate()
      set(&policy, .milliseconds(-1))
      let error = try #require(throws: CatalogError.self) { try policy.validate() }
      #expect(error.code == .invalidPolicy)
      #expect(error.message.contains(name))
    }
  }

  @Test func `negative bounds for servers' lifetimes aren't valid`() throws {
    var policy = FreshnessPolicy()
    policy.serverLifetimes = .honoured(within: .seconds(-1) ... .seconds(1))
    let error = try #require(throws: CatalogError.self) { try policy.validate() }
    #expect(error.code == .invalidPolicy)
    policy.serverLifetimes = .ignored
    try policy.validate()
  }
}
