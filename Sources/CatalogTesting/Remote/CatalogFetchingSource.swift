public import CatalogDomain

/// A state of the outside world that a remote has to deal with.
public enum FetchingScenario: Sendable {
  /// A catalog that holds just these books, in this order; an identifier may come twice.
  case books([CatalogEntry])
  /// The same, and the remote can tell that it hasn't changed.
  case unchanging([CatalogEntry])
  /// Between these books, an item without a title that has this identifier.
  case badItem(CatalogEntry.Identifier, among: [CatalogEntry])
  /// Between these books, an item whose identifier can't be read.
  case unreadableItem(among: [CatalogEntry])
  /// A catalog of these books that breaks off in the middle of the last.
  case cutOff([CatalogEntry])
  /// A catalog over the bounds that the remote was given.
  case tooLarge
  /// There is nothing where the catalog should be, or no way to it.
  case unreachable
  /// The catalog begins, and then nothing more comes.
  case stalled
}

/// A remote with the world around it made ready.
public struct StagedRemote: Sendable {
  /// The remote under the contract.
  public let remote: any CatalogFetching
  /// Returns once a fetch has come to the point where nothing more comes (``FetchingScenario/stalled``).
  public let untilStalled: @Sendable () async throws -> Void

  /// Creates a staged remote.
  public init(
    _ remote: any CatalogFetching, untilStalled: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.remote = remote
    self.untilStalled = untilStalled
  }
}

/// An implementation of `CatalogFetching` under the contract.
public struct CatalogFetchingSource: CustomStringConvertible, Sendable {
  /// Whether a scenario could be made ready.
  public enum Staging: Hashable, Sendable {
    /// It was, and the remote was lent.
    case staged
    /// This kind of remote can't be in that scenario, and why.
    case impossible(String)
  }

  /// The implementation, as test output names it.
  public let description: String
  private let provide:
    @Sendable (FetchingScenario, _ body: (StagedRemote) async throws -> Void) async throws -> Staging

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - description: What test output calls it.
  ///   - provide: Makes the scenario ready, lends a remote in it to `body`, and cleans up.
  public init(
    _ description: String,
    provide:
      @escaping @Sendable (FetchingScenario, _ body: (StagedRemote) async throws -> Void) async throws
      -> Staging
  ) {
    self.description = description
    self.provide = provide
  }

  /// Lends a remote in a scenario.
  public func withRemote(
    in scenario: FetchingScenario, _ body: (StagedRemote) async throws -> Void
  ) async throws -> Staging {
    try await provide(scenario, body)
  }
}
