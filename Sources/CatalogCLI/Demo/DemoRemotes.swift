import CatalogDomain
import CatalogRemotes
import Foundation

/// A library on a drive that can be unplugged: while its file isn't there, there is no connection.
///
/// A file that isn't there is a mistake to `FileCatalog`; to the reader of a drive it is an outage.
final class DriveCatalog: CatalogFetching {
  private let url: URL
  private let file: FileCatalog

  init(_ url: URL) {
    self.url = url
    file = FileCatalog(url)
  }

  @concurrent func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    do throws(CatalogError) {
      return try await file.fetch(request, into: sink)
    } catch {
      guard error.code == .notFound else { throw error }
      throw CatalogError(.offline, "The drive with the library isn't there.", cause: error)
    }
  }
}

/// Holds another remote's answer back, when all of it has come, until it is let go.
final class HeldCatalog: CatalogFetching {
  private let base: any CatalogFetching
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private let releases = AsyncStream.makeStream(of: Void.self)

  init(_ base: any CatalogFetching) {
    self.base = base
  }

  @concurrent func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    // However it ends, whoever waits for the arrival is let go.
    defer { arrivals.continuation.finish() }
    let conclusion = try await base.fetch(request, into: sink)
    arrivals.continuation.yield()
    for await _ in releases.stream { break }
    return conclusion
  }

  /// Waits until all of an answer has come; false if the fetch has failed before that.
  func waitForArrival() async -> Bool {
    for await _ in arrivals.stream { return true }
    return false
  }

  /// Lets the answer go.
  func release() {
    releases.continuation.yield()
  }
}
