import CatalogDomain
import CatalogTesting

/// A remote that hands each call to the scripted remote of the moment, so that one handle can be given one script
/// after another.
actor SwitchRemote: CatalogFetching {
  private(set) var current = ScriptedRemote { _ in }

  func use(_ remote: ScriptedRemote) {
    current = remote
  }

  @concurrent func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    try await current.fetch(request, into: sink)
  }
}
