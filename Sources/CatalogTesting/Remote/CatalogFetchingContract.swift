import CatalogDomain

/// What every remote promises to whoever fetches through it: named cases, to be run for each implementation.
///
/// A case throws a ``ContractViolation`` if the promise isn't kept, so that any test library can run it. Give
/// the tests a time limit: a remote that hangs is a violation, too.
public enum CatalogFetchingContract {
  /// One promise.
  public struct Case: CustomStringConvertible, Sendable {
    /// The promise, as a sentence.
    public let description: String
    private let scenario: FetchingScenario
    private let check: @Sendable (StagedRemote) async throws -> Void

    init(
      _ description: String, in scenario: FetchingScenario,
      check: @escaping @Sendable (StagedRemote) async throws -> Void
    ) {
      self.description = description
      self.scenario = scenario
      self.check = check
    }

    /// Checks the promise.
    ///
    /// - Returns: Whether the scenario could be made ready; if it couldn't, nothing was checked, and the
    ///   test says whether that is right.
    /// - Throws: ``ContractViolation`` if the promise isn't kept.
    public func run(over source: CatalogFetchingSource) async throws -> CatalogFetchingSource.Staging {
      var checked = false
      let staging = try await source.withRemote(in: scenario) { staged in
        try await check(staged)
        checked = true
      }
      guard checked == (staging == .staged) else {
        throw ContractViolation(
          checked ? "\(source) lent a remote and called it impossible" : "\(source) lent no remote")
      }
      return staging
    }
  }

  /// Every promise.
  public static let cases: [Case] = answers + items + validation + failures + interruptions

  /// What came of one fetch.
  struct Outcome {
    var result: Result<FetchConclusion, CatalogError>
    var sink: RecordingSink

    func requireComplete() throws(ContractViolation) {
      guard case .success(.complete) = result else {
        throw ContractViolation("expected a complete answer, got \(result)")
      }
    }

    func requireFailure(_ wanted: String, _ isRight: (CatalogError) -> Bool) throws(ContractViolation) {
      guard case .failure(let error) = result, isRight(error) else {
        throw ContractViolation("expected \(wanted), got \(result)")
      }
    }
  }

  static func fetch(
    _ remote: any CatalogFetching, validators: FetchValidators? = nil, into sink: RecordingSink = .init()
  ) async -> Outcome {
    let request = FetchRequest(account: "contract", validators: validators)
    do throws(CatalogError) {
      return Outcome(result: .success(try await remote.fetch(request, into: sink)), sink: sink)
    } catch {
      return Outcome(result: .failure(error), sink: sink)
    }
  }

  static func require(
    _ entries: [CatalogEntry], equal expected: [CatalogEntry]
  ) throws(ContractViolation) {
    try CatalogTesting.require(entries.count, equals: expected.count, "the number of books")
    for (entry, wanted) in zip(entries, expected) {
      // String equality is canonical equivalence, so bytes are compared apart.
      guard entry == wanted, bytes(of: entry) == bytes(of: wanted) else {
        throw ContractViolation("expected the book \(wanted), got \(entry)")
      }
    }
  }

  private static func bytes(of entry: CatalogEntry) -> [[UInt8]] {
    ([entry.title, entry.language ?? ""] + entry.authors).map { Array($0.utf8) }
  }

  static let threeBooks = books(3)

  static func books(_ count: Int) -> [CatalogEntry] {
    (1...count).map { CatalogEntry(identifier: .text("urn:book:\($0)"), title: "Book \($0)") }
  }
}
