/// What a search screen shows.
public enum SearchPhase: Equatable, Sendable {
  /// Nothing was searched for yet.
  case idle
  /// A search for the text is under way.
  case loading(String)
  /// The hits of the newest search, in the service's order; an empty array means "no hits".
  case loaded([SearchBook])
  /// The newest search failed; the text is for the reader.
  case failed(String)
}
