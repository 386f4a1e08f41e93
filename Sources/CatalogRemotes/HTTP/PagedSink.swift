import CatalogDomain

/// A sink for a catalog that comes in several documents: it knows whose an error is, and what has come so far.
actor PagedSink: FetchSink {
  private let sink: any FetchSink
  private var prefix = ""
  private var terms: HTTPFreshness?
  /// Whether the sink itself has failed: its error ends the fetch, whereas one of the remote's may not.
  private(set) var hasFailed = false
  /// How many items have come, those left out included.
  private(set) var itemCount = 0

  init(_ sink: any FetchSink) {
    self.sink = sink
  }

  /// Says which page comes next, for the positions of its items, and on which terms if not on the head's.
  func turn(to page: Int, under terms: HTTPFreshness?) {
    prefix = page == 1 ? "" : "page \(page), "
    self.terms = terms
  }

  func begin(_ head: FetchHead) async throws(CatalogError) {
    do throws(CatalogError) {
      try await sink.begin(head)
    } catch {
      hasFailed = true
      throw error
    }
  }

  func accept(_ page: FetchPage) async throws(CatalogError) {
    var page = page
    for index in page.rejected.indices {
      page.rejected[index].position = prefix + page.rejected[index].position
    }
    if let terms { (page.freshness, page.initialAge) = (terms.directives, terms.initialAge) }
    itemCount += page.entries.count + page.rejected.count
    do throws(CatalogError) {
      try await sink.accept(page)
    } catch {
      hasFailed = true
      throw error
    }
  }
}
