import CatalogDomain

extension CatalogFetchingContract {
  /// What "not modified" is worth.
  static let validation: [Case] = [
    Case("what hasn't changed isn't given again", in: .unchanging(threeBooks)) { staged in
      let first = await fetch(staged.remote)
      try first.requireComplete()
      guard let validators = await first.sink.heads.first?.validators else {
        throw ContractViolation("the head of an unchanging catalog has no validators")
      }
      let second = await fetch(staged.remote, validators: validators)
      guard case .success(.notModified) = second.result else {
        throw ContractViolation("expected 'not modified', got \(second.result)")
      }
      try CatalogTesting.require(
        await second.sink.events.count, equals: 0, "the number of things given to the sink")
    },
    Case("validators of something else get the books", in: .unchanging(threeBooks)) { staged in
      let outcome = await fetch(
        staged.remote, validators: FetchValidators(entityTag: "\"of-something-else\""))
      try outcome.requireComplete()
      try require(await outcome.sink.entries, equal: threeBooks)
    },
  ]

  /// What is an error, and never an empty catalog.
  static let failures: [Case] = [
    Case("a catalog over the bounds is too large", in: .tooLarge) { staged in
      try await fetch(staged.remote).requireFailure("the error 'tooLarge'") { $0.code == .tooLarge }
    },
    Case("a catalog that can't be reached is an error", in: .unreachable) { staged in
      let outcome = await fetch(staged.remote)
      try outcome.requireFailure("an outage or 'notFound'") { $0.code.isOutage || $0.code == .notFound }
      try CatalogTesting.require(await outcome.sink.pages.count, equals: 0, "the number of pages")
    },
    Case("a catalog that breaks off is an error", in: .cutOff(threeBooks)) { staged in
      try await fetch(staged.remote).requireFailure("'badResponse' or an outage") {
        $0.code.isOutage || $0.code == .badResponse
      }
    },
  ]

  /// What ends a fetch from the caller's side.
  static let interruptions: [Case] = [
    Case("a task that is cancelled already fetches nothing", in: .books(threeBooks)) { staged in
      let flight = Flight {
        await untilCancelled()
        return await fetch(staged.remote)
      }
      flight.cancel()
      let outcome = await flight.value
      try outcome.requireFailure("the error 'cancelled'") { $0.code == .cancelled }
      try CatalogTesting.require(await outcome.sink.pages.count, equals: 0, "the number of pages")
    },
    Case("a fetch cancelled between pages ends", in: .books(books(2345))) { staged in
      // The sink holds the first page until the task is cancelled, and is then ready for more.
      let (arrivals, arrived) = AsyncStream<Void>.makeStream()
      let sink = RecordingSink { event throws(CatalogError) in
        guard case .page = event else { return }
        arrived.yield()
        await untilCancelled()
      }
      let outcome = await cancelled(staged.remote, into: sink) { for await _ in arrivals { break } }
      try outcome.requireFailure("the error 'cancelled'") { $0.code == .cancelled }
      try CatalogTesting.require(await sink.pages.count, equals: 1, "the number of pages")
    },
    Case("a fetch that gets no more can be cancelled", in: .stalled) { staged in
      let outcome = try await cancelled(staged.remote, at: staged.untilStalled)
      try outcome.requireFailure("the error 'cancelled'") { $0.code == .cancelled }
    },
    sinkFails("an error of the sink at the head is passed on, and ends the fetch", events: 1) { event in
      if case .head = event { true } else { false }
    },
    sinkFails("an error of the sink at a page is passed on, and ends the fetch", events: 2) { event in
      if case .page = event { true } else { false }
    },
  ]

  private static func sinkFails(
    _ promise: String, events: Int, at isMoment: @escaping @Sendable (RecordingSink.Event) -> Bool
  ) -> Case {
    Case(promise, in: .books(books(2345))) { staged in
      struct Cause: Error {}
      let sink = RecordingSink { event throws(CatalogError) in
        guard isMoment(event) else { return }
        throw CatalogError(.diskFull, "The sink is full.", retryAfter: .seconds(7), cause: Cause())
      }
      let outcome = await fetch(staged.remote, into: sink)
      try outcome.requireFailure("the sink's own error") {
        $0.code == .diskFull && $0.message == "The sink is full." && $0.retryAfter == .seconds(7)
          && $0.cause is Cause
      }
      try CatalogTesting.require(await sink.events.count, equals: events, "the number of things given")
    }
  }

  private typealias Flight = Task<Outcome, Never>

  /// Fetches in a task of its own, and gives that up when a moment has come.
  private static func cancelled(
    _ remote: any CatalogFetching, into sink: RecordingSink = .init(), at moment: () async throws -> Void
  ) async rethrows -> Outcome {
    let flight = Flight { await fetch(remote, into: sink) }
    defer { flight.cancel() }
    try await moment()
    flight.cancel()
    return await flight.value
  }

  private static func untilCancelled() async {
    let (never, continuation) = AsyncStream<Void>.makeStream()
    for await _ in never {}
    continuation.finish()
  }
}
