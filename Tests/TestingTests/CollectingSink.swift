import CatalogDomain

/// A sink that keeps what it was given.
actor CollectingSink: FetchSink {
  private(set) var heads: [FetchHead] = []
  private(set) var pages: [FetchPage] = []
  private let refusal: CatalogError?

  init(refusingPagesWith refusal: CatalogError? = nil) {
    self.refusal = refusal
  }

  var entries: [CatalogEntry] { pages.flatMap(\.entries) }

  func begin(_ head: FetchHead) async throws(CatalogError) {
    heads.append(head)
  }

  func accept(_ page: FetchPage) async throws(CatalogError) {
    if let refusal { throw refusal }
    pages.append(page)
  }
}
