public import CatalogDomain

/// One answer of a ``ScriptedRemote``.
public struct ScriptedAnswer: Sendable {
  enum Outcome: Sendable {
    case failure(CatalogError)
    case notModified(FetchHead)
    case books([FetchPage], FetchHead, FetchConclusion)
  }

  private enum Content: Sendable {
    case outcome(Outcome)
    case depending(@Sendable (FetchRequest) -> ScriptedAnswer)
  }

  private let content: Content

  /// Books on a single page; no page at all if there are no books.
  public static func entries(
    _ entries: [CatalogEntry], head: FetchHead = FetchHead(), conclusion: FetchConclusion = .complete
  ) -> ScriptedAnswer {
    pages(entries.isEmpty ? [] : [FetchPage(entries: entries)], head: head, conclusion: conclusion)
  }

  /// Pages, given to the sink one by one.
  public static func pages(
    _ pages: [FetchPage], head: FetchHead = FetchHead(), conclusion: FetchConclusion = .complete
  ) -> ScriptedAnswer {
    ScriptedAnswer(content: .outcome(.books(pages, head, conclusion)))
  }

  /// "Not modified", whatever validators the request brings: a server may say so wrongly.
  public static func notModified(_ head: FetchHead = FetchHead()) -> ScriptedAnswer {
    ScriptedAnswer(content: .outcome(.notModified(head)))
  }

  /// A failure.
  public static func failure(_ error: CatalogError) -> ScriptedAnswer {
    ScriptedAnswer(content: .outcome(.failure(error)))
  }

  /// A failure with nothing to it but its code.
  public static func failure(_ code: CatalogError.Code) -> ScriptedAnswer {
    failure(CatalogError(code, "The scripted remote was told to fail as \(code)."))
  }

  /// An answer that depends on the request.
  public static func answering(
    _ answer: @escaping @Sendable (FetchRequest) -> ScriptedAnswer
  ) -> ScriptedAnswer {
    ScriptedAnswer(content: .depending(answer))
  }

  func resolved(for request: FetchRequest) -> Outcome {
    switch content {
    case .outcome(let outcome): outcome
    case .depending(let answer): answer(request).resolved(for: request)
    }
  }
}
