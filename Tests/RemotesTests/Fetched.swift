import CatalogDomain
import CatalogTesting

/// What a remote gave.
struct Fetched {
  var conclusion: FetchConclusion
  var heads: [FetchHead]
  var pages: [FetchPage]

  var entries: [CatalogEntry] { pages.flatMap(\.entries) }
  var rejected: [RejectedItem] { pages.flatMap(\.rejected) }
}

@discardableResult
func fetch(
  _ remote: any CatalogFetching, validators: FetchValidators? = nil
) async throws(CatalogError) -> Fetched {
  let sink = RecordingSink()
  let conclusion = try await remote.fetch(FetchRequest(account: "ada", validators: validators), into: sink)
  return Fetched(conclusion: conclusion, heads: await sink.heads, pages: await sink.pages)
}
