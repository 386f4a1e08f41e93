import CatalogDomain
import CatalogRemotes
import CatalogRepository
import Foundation

/// `search --remote`: asks a server, and the cache during an outage if that is wanted.
struct RemoteSearchCommand {
  static let remote = Flag("remote", help: "Search on the server that --from names, by its own rule.")
  static let orCached = Flag(
    "or-cached", help: "Search the saved catalog if the server can't be reached, and say so.")

  private static let servers = RemoteOptions.ofServers.filter { $0.long != RemoteOptions.kind.spec.long }
  static let options = [remote.spec, orCached.spec, RemoteOptions.from.spec] + servers

  private static let standardLimit = 1000
  private static let pageLimit = 50

  let context: CommandContext
  let query: String

  /// Returns what is wrong with the options together.
  static func problem(_ call: CommandCall) -> String? {
    guard call.has(remote) else {
      return ([orCached.spec, RemoteOptions.from.spec] + servers).first { call.has($0) }
        .map { "--\($0.long) is for a search on a server. Give --remote too." }
    }
    guard let source = call[RemoteOptions.from] else {
      return "Missing the server. Give --from an address that begins with http: or https:."
    }
    guard RemoteOptions.isAddress(source) else {
      return "A file can't be searched. Give --from an address that begins with http: or https:."
    }
    return RemoteOptions.problem(call)
  }

  func run() async throws(CommandFailure) -> ExitCode {
    guard !query.unicodeScalars.allSatisfy(\.properties.isWhitespace) else {
      throw context.call.usageFailure(
        "A server has to be asked for something. Give a query that isn't blank.")
    }
    let account = try context.account()
    guard let url = try RemoteOptions.url(of: context.call[RemoteOptions.from] ?? "", context.call) else {
      throw context.call.usageFailure("Missing the server.", about: RemoteOptions.from.spec)
    }
    let server = try ServerOptions(url, for: account, context)
    let limit = context.call[ListOptions.limit] ?? Self.standardLimit
    let search = OPDSSearch(
      url, account: account, credentials: server.credentials,
      languages: context.call[RemoteOptions.languages] ?? [], hitLimit: limit, pageLimit: Self.pageLimit,
      options: server.options, transport: server.meter)
    let hits: [CatalogEntry]
    do throws(CatalogError) {
      hits = try await search.hits(for: query)
    } catch {
      guard error.code.isOutage, context.call.has(Self.orCached) else {
        throw Self.failure(error)
      }
      return try cached(after: error)
    }
    let ids = try ids(of: hits, account)
    return try context.show(
      output(zip(ids, hits).map { ($0, $1) }, OPDSSearch.mode, limit),
      endingWith: context.call.has(SharedOptions.failIfNone) && hits.isEmpty ? .noneFound : .done)
  }

  private static func failure(_ error: CatalogError) -> CommandFailure {
    var error = RemoteOptions.advice(on: error)
    if error.code == .badResponse {
      error.message +=
        " Only an OPDS catalog can be searched on its server; leave out --remote to search what is saved."
    }
    return CommandFailure(error)
  }

  /// The numbers by which the cache knows the books; none if there is no cache to ask.
  private func ids(of hits: [CatalogEntry], _ account: AccountID) throws(CommandFailure) -> [Int?] {
    guard context.databasePathIfGiven != nil else { return hits.map { _ in nil } }
    do throws(CatalogError) {
      let cache = try CatalogCache(
        path: context.databasePathIfGiven ?? "",
        configuration: .init(access: .readOnly, clock: context.clock))
      let catalog = try cache.catalog(context.catalogName, for: account, remote: NoRemote())
      return try catalog.ids(of: hits.map(\.identifier))
    } catch {
      // A database that isn't there yet, or doesn't know the account, knows no book.
      guard error.code == .noSuchDatabase || error.code == .neverLoaded else { throw CommandFailure(error) }
      return hits.map { _ in nil }
    }
  }

  private func output(_ hits: [(id: Int?, entry: CatalogEntry)], _ mode: SearchMode, _ limit: Int) -> Output {
    let origin = SearchOrigin(source: .remote, mode: mode)
    var notes = [
      hits.isEmpty ? "Nothing matches." : "\(Wording.count(hits.count, "book")) found.",
      "The server answered, by its own rule (\(mode.name)).",
    ]
    if hits.count >= limit { notes.append("There may be more.") }
    return Output(
      command: context.call.name, columns: BookLine.columns,
      rows: hits.map { BookLine.cells(id: $0.id, $0.entry) },
      summary: Self.facts(origin) + [
        .init("found", .number(hits.count)), .init("shown", .number(hits.count)),
      ], notes: notes)
  }

  private func cached(after error: CatalogError) throws(CommandFailure) -> ExitCode {
    // Why nothing may be served is said after why the server wasn't asked.
    context.remark(["The server couldn't be asked (\(error.code.name)). \(error.message)"])
    let served = try ServedCatalog.read(context)
    let list = BookList(served: served, matching: query, context: context)
    var output = list.output(command: context.call.name)
    let origin = SearchOrigin(source: .cache, mode: .titleSubstring, remoteFailure: error.code)
    output.summary += Self.facts(origin).filter { fact in !output.summary.contains { $0.key == fact.key } }
    output.notes.insert(
      "The cache answered instead of the server, by its own rule (\(origin.mode.name)).", at: 0)
    return try context.show(output, endingWith: served.exitCode(context.call, found: list.matchCount))
  }

  private static func facts(_ origin: SearchOrigin) -> [Output.Fact] {
    [
      .init("source", .text(origin.source.rawValue)), .init("matching", .text(origin.mode.name)),
      .init("remoteFailure", .text(origin.remoteFailure?.name)),
    ]
  }
}
