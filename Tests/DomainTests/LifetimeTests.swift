import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LifetimeTests {
  private func decided(
    _ directives: ServerFreshness, _ change: (inout FreshnessPolicy) -> Void = { _ in }
  ) -> String {
    var policy = FreshnessPolicy()
    policy.serverLifetimes = .honoured(within: .seconds(60) ... .seconds(3600))
    change(&policy)
    let (span, source) = policy.lifetime(under: directives)
    return "\(DurationText.text(span)) \(source.rawValue)"
  }

  @Test func `who decided the lifetime is told apart`() {
    #expect(decided(.init()) == "10m policy")
    #expect(decided(.init(lifetime: .seconds(120))) == "2m server")
    #expect(decided(.init(lifetime: .seconds(60))) == "1m server")
    #expect(decided(.init(lifetime: .seconds(59))) == "1m bounded")
    #expect(decided(.init(lifetime: .seconds(3601))) == "1h bounded")
    #expect(decided(.init(lifetime: .seconds(120))) { $0.serverLifetimes = .ignored } == "10m policy")
    #expect(decided(.init(lifetime: .seconds(120), noCache: true)) == "0s noCache")
  }

  @Test func `the lifetime named is the one that decides`() {
    let policy = FreshnessPolicy()
    for given in [nil, 0, 5, 90_000, 8 * 86_400] as [Int64?] {
      let directives = ServerFreshness(lifetime: given.map { .seconds($0) })
      let span = policy.lifetime(under: directives).span
      let start = ClockReading(wall: Timestamp(millisecondsSinceEpoch: 0), continuous: .zero, boot: "b")
      let stamp = CatalogStamp(validatedAt: start, directives: directives)
      for (offset, isFresh) in [(Duration.milliseconds(-1), true), (.zero, false)] {
        let age = span + offset
        guard age >= .zero else { continue }
        let now = ClockReading(wall: start.wall + age, continuous: age, boot: "b")
        #expect((policy.decide(stamp: stamp, now: now).freshness == .fresh) == isFresh)
      }
    }
  }
}
