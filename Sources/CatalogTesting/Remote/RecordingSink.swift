public import CatalogDomain

/// A sink that keeps what it is given, and can fail or wait where the test says.
public actor RecordingSink: FetchSink {
  /// One thing the sink was given.
  public enum Event: Sendable {
    /// The head of the answer.
    case head(FetchHead)
    /// Some of its books.
    case page(FetchPage)
  }

  /// Everything that was given, in order, what the sink failed at included.
  public private(set) var events: [Event] = []
  private let react: @Sendable (Event) async throws(CatalogError) -> Void

  /// Creates a sink.
  ///
  /// - Parameter react: Runs each time something was given and noted; what it throws goes to the remote.
  public init(react: @escaping @Sendable (Event) async throws(CatalogError) -> Void = { _ in }) {
    self.react = react
  }

  /// The heads that were given.
  public var heads: [FetchHead] {
    events.compactMap { if case .head(let head) = $0 { head } else { nil } }
  }

  /// The pages that were given.
  public var pages: [FetchPage] {
    events.compactMap { if case .page(let page) = $0 { page } else { nil } }
  }

  /// The books that were given, in order.
  public var entries: [CatalogEntry] { pages.flatMap(\.entries) }

  /// The items that were left out, in order.
  public var rejected: [RejectedItem] { pages.flatMap(\.rejected) }

  /// Notes the head.
  public func begin(_ head: FetchHead) async throws(CatalogError) {
    events.append(.head(head))
    try await react(.head(head))
  }

  /// Notes a page.
  public func accept(_ page: FetchPage) async throws(CatalogError) {
    events.append(.page(page))
    try await react(.page(page))
  }
}
