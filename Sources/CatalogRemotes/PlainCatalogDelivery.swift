import CatalogDocuments
import CatalogDomain

/// Feeds the bytes of a plain catalog to a reader, and what it finds to a sink, in pages.
///
/// Whatever the bytes come from, a file or an answer's body, the way from bytes to pages is this one.
struct PlainCatalogDelivery {
  private static let booksPerPage = 500

  private let source: String
  private let sink: any FetchSink
  private var reader: PlainCatalogReader
  private var pending = FetchPage(entries: [])

  init(of source: String, limits: DocumentLimits, to sink: any FetchSink) {
    self.source = source
    self.sink = sink
    reader = PlainCatalogReader(of: source, limits: limits)
  }

  /// Takes the next bytes; returns when the sink is ready for more.
  mutating func feed(_ chunk: [UInt8]) async throws(CatalogError) {
    try checkCancellation()
    let page = try reader.consume(chunk)
    pending.entries += page.entries
    pending.rejected += page.rejected
    try await deliver(atLeast: Self.booksPerPage)
  }

  /// Says that the bytes have ended, and hands over what is left.
  mutating func finish() async throws(CatalogError) -> FetchConclusion {
    try checkCancellation()
    let page = try reader.finish()
    pending.entries += page.entries
    pending.rejected += page.rejected
    try await deliver(atLeast: 1)
    try checkCancellation()
    return reader.conclusion
  }

  private mutating func deliver(atLeast least: Int) async throws(CatalogError) {
    while pending.entries.count + pending.rejected.count >= least {
      var page = pending
      pending.entries = Array(page.entries.dropFirst(Self.booksPerPage))
      pending.rejected = Array(page.rejected.dropFirst(Self.booksPerPage))
      page.entries.removeLast(pending.entries.count)
      page.rejected.removeLast(pending.rejected.count)
      try await sink.accept(page)
      try checkCancellation()
    }
  }

  private func checkCancellation() throws(CatalogError) {
    guard Task.isCancelled else { return }
    throw CatalogError(.cancelled, "Reading \(source) was cancelled.")
  }
}
