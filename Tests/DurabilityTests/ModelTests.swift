import CatalogDomain
import CatalogRepository
import CatalogTesting
import Testing

/// Random operations on the cache and on a plain model of it, which must never differ.
@Suite(.timeLimit(.minutes(30)))
struct ModelTests {
  @Test func `random operations over three accounts leave what a plain model says`() async throws {
    var generator = Campaign.generator("model")
    let operations = Campaign.rounds(1_500, long: 10_000)
    let world = try ModelWorld()
    var counts: [String: Int] = [:]
    for step in 1...operations {
      let name = try await operate(world, &generator, step)
      counts[name, default: 0] += 1
      let kept = try world.kept()
      // Everything now and then, and something after each step.
      let isThorough = step.isMultiple(of: 10)
      for handle in world.handles where isThorough || generator.once(in: 4) {
        try world.check(handle, kept, &generator)
      }
      if step.isMultiple(of: 500) {
        let problems = try world.cache.verify(.full).problems
        #expect(problems.isEmpty, "\(world.label)")
      }
    }
    for handle in world.handles { try await world.finish(handle) }
    try world.cache.close()
    print("model: \(operations) operations: \(counts.sorted { $0.key < $1.key })")
    print("model: flights came to \(world.outcomes.sorted { $0.key < $1.key })")
    for outcome in ["updated", "notModified", "superseded", "asked twice", "revoked", "closed", "failed"] {
      #expect(world.outcomes[outcome, default: 0] > 0, "No flight came to \(outcome).")
    }
  }

  private static let policies: [FreshnessPolicy] = {
    var relaxed = FreshnessPolicy(freshFor: .seconds(60), usableOfflineFor: .seconds(100_000))
    relaxed.serverProhibitions = .relaxedOffline
    var alone = FreshnessPolicy(freshFor: .seconds(300), usableOfflineFor: .seconds(7200))
    alone.serverLifetimes = .ignored
    return [.standard, relaxed, alone]
  }()

  private func operate(
    _ world: ModelWorld, _ generator: inout SeededGenerator, _ step: Int
  ) async throws -> String {
    let number = generator.number(0...99)
    world.label = "seed \(generator.seed), step \(step), drew \(number)"
    guard let handle = world.handles.isEmpty ? nil : generator.pick(world.handles) else {
      try register(world, &generator)
      return "register"
    }
    switch number {
    case 0...9:
      try register(world, &generator)
      return "register"
    case 10...40:
      let idle = world.handles.filter { $0.flight == nil }
      guard !idle.isEmpty else { return "nothing" }
      try await begin(world, generator.pick(idle), &generator)
      return "begin"
    case 41...69:
      let flying = world.handles.filter { $0.flight != nil }
      guard !flying.isEmpty else { return "nothing" }
      try await world.finish(generator.pick(flying))
      return "finish"
    case 70...71:
      await world.cancel(handle)
      return "cancel"
    case 72...80:
      return try await confirm(world, handle, &generator)
    case 81...84:
      try await world.invalidate(selection(world, &generator), discards: false)
      return "markStale"
    case 85...86:
      try await world.invalidate(selection(world, &generator), discards: true)
      return "discard"
    case 87...88:
      try await world.forget(generator.pick(ModelWorld.accounts))
      return "forget"
    case 89...98:
      time(world, &generator)
      return "time"
    default:
      try world.reopen()
      return "reopen"
    }
  }

  private func register(_ world: ModelWorld, _ generator: inout SeededGenerator) throws {
    // Some handles of accounts that were forgotten stay, to see that they stay dead.
    if world.handles.count >= 12, let idle = world.handles.firstIndex(where: { $0.flight == nil }) {
      world.handles.remove(at: idle)
    }
    try world.register(
      generator.pick(ModelWorld.accounts), generator.pick(ModelWorld.names), generator.pick(Self.policies))
  }

  private func begin(
    _ world: ModelWorld, _ handle: ModelWorld.Handle, _ generator: inout SeededGenerator
  ) async throws {
    var drawer = AnswerDrawer()
    var answer = drawer.answer(&generator, now: world.now.wall)
    if generator.once(in: 3), let last = world.lastAnswers[handle.key] { answer = last }
    let second = drawer.complete(&generator, now: world.now.wall)
    try await world.begin(handle, isForced: generator.once(in: 5), answer, second)
    if generator.once(in: 4) { try await world.finish(handle) }
  }

  private func confirm(
    _ world: ModelWorld, _ handle: ModelWorld.Handle, _ generator: inout SeededGenerator
  ) async throws -> String {
    guard !handle.isClosed else { return "nothing" }
    let known = world.models[handle.key]?.books.values.map(\.id).sorted() ?? []
    let id = known.isEmpty || generator.once(in: 4) ? generator.number(1...25) : generator.pick(known)
    let until = generator.once(in: 2) ? world.now.wall + .seconds(generator.number(-10...5000)) : nil
    try await world.confirm(handle, id, until: until, isReturned: generator.once(in: 3))
    return "confirm"
  }

  private func selection(_ world: ModelWorld, _ generator: inout SeededGenerator) -> ModelSelection {
    let account = generator.pick(ModelWorld.accounts)
    return switch generator.number(0...9) {
    case 0: .everything
    case 1: .expired
    case 2...3: .validated(before: world.now.wall + .seconds(-generator.number(0...5000)))
    case 4...6: .account(account)
    default: .catalog(generator.pick(ModelWorld.names), account)
    }
  }

  private func time(_ world: ModelWorld, _ generator: inout SeededGenerator) {
    let clock = world.workspace.clock
    switch generator.number(0...11) {
    case 0: clock.stepWall(by: .seconds(generator.number(-100_000...100_000)))
    case 1: clock.stepWall(by: .milliseconds(generator.number(-70_000...70_000)))
    case 2:
      clock.reboot(
        offlineFor: .seconds(generator.number(0...5000)), wallDrift: .seconds(generator.number(-9000...50)))
    case 3: clock.restore(after: .seconds(generator.number(0...500)))
    case 4: clock.advance(by: .seconds(generator.number(0...900_000)))
    case 5: clock.advance(by: .milliseconds(1))
    default: clock.advance(by: .milliseconds(generator.number(0...400_000)))
    }
    world.see(isNoted: false)
  }
}
