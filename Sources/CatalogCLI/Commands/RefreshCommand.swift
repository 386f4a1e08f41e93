import CatalogDomain
import CatalogRemotes
import CatalogRepository
import Foundation

extension CommandSpec {
  private static let ifNeeded = Flag("if-needed", help: "Ask only if the policy says that it isn't fresh.")
  private static let force = Flag("force", help: "Read the whole catalog, even if it hasn't changed.")

  /// Refreshes a catalog.
  package static let refresh = CommandSpec(
    "refresh",
    abstract: "Refresh an account's catalog from a file or a server, and say what changed.",
    discussion: [
      "The database is made if it isn't there; its folder has to be. A file that can't be read, or is no "
        + "catalog, changes nothing. A bad item is left out and named, and the row it had stays. A "
        + "policy option changes what it names of the policy stored with the catalog, else of the standard one, "
        + "and --policy replaces the whole; the result is stored.",
      "A server may have a plain catalog in JSON, or one in OPDS 1 or 2: the answer tells which. If it can't be "
        + "reached the exit code is 69, and if it wants to know who asks, or refuses the password, 77. Passwords "
        + "and tokens are never taken from the command line, kept, or sent to another server.",
    ],
    examples: [
      "refresh --db t.sqlite --account ada --from c.jsonl",
      "refresh --account ada --from - --if-needed --lifetime 1h",
      "refresh --account ada --from https://books.example/opds --user ada --password-file pw.txt",
    ],
    options: SharedOptions.scope + [
      RemoteOptions.from.spec, ifNeeded.spec, force.spec,
    ] + RemoteOptions.ofServers + [
      SharedOptions.format.spec, SharedOptions.showAccounts.spec,
      SharedOptions.quiet.spec,
    ] + PolicyOptions.all,
    required: [RemoteOptions.from.spec],
    exclusive: PolicyOptions.exclusive + RemoteOptions.exclusive + [[ifNeeded.spec, force.spec]],
    isWriting: true, check: RemoteOptions.problem,
    run: { context throws(CommandFailure) in
      let mode: RefreshMode =
        context.call.has(ifNeeded) ? .ifNeeded : context.call.has(force) ? .forced : .always
      // Parsing made sure that it is there.
      return try await RefreshCommand(
        context: context, mode: mode, source: context.call[RemoteOptions.from] ?? "-"
      )
      .run()
    })
}

private struct RefreshCommand {
  let context: CommandContext
  let mode: RefreshMode
  let source: String

  func run() async throws(CommandFailure) -> ExitCode {
    let (account, name) = (try context.account(), context.catalogName)
    let database = try context.databasePath()
    let change = try PolicyOptions.change(of: context.call, console: context.console)
    let server = try server(for: account)
    let remote: any CatalogFetching
    if let server {
      remote = server.catalog
    } else {
      try checkFile(isFirst: context.isMissingOrEmpty(database))
      remote = source == "-" ? FileCatalog.standardInput() : FileCatalog(path: source)
    }
    let cache = try context.openForWriting(
      mayCreate: true, languages: context.call[RemoteOptions.languages] ?? [])
    defer { context.close(cache) }
    let catalog = try CommandFailure.translating { () throws(CatalogError) in
      let stored = try cache.inspect(.catalog(name, of: account)).catalogs.first?.policy ?? .standard
      return try cache.catalog(
        name, for: account, remote: remote, policy: change?(stored) ?? stored)
    }
    let progress = RefreshProgressLine(
      console: context.console, isQuiet: context.call.has(SharedOptions.quiet), meter: server?.meter)
    let outcome: RefreshOutcome
    do throws(CatalogError) {
      outcome = try await catalog.refresh(mode) { progress.show($0) }
      progress.clear()
    } catch {
      progress.clear()
      throw failure(error, catalog.status())
    }
    let number = try CommandFailure.translating { () throws(CatalogError) in
      try cache.inspect(.catalog(name, of: account)).catalogs.first?.accountNumber
    }
    let report = RefreshReport(
      outcome: outcome, status: catalog.status(), account: context.label(account, number: number), name: name,
      now: context.now.wall)
    if let failure = report.failure { throw failure }
    try context.show(report.output(command: context.call.name))
    return .done
  }

  /// The server that the command line names; nil if it names a file.
  private func server(for account: AccountID) throws(CommandFailure) -> ServerOptions? {
    guard let url = try RemoteOptions.url(of: source, context.call) else { return nil }
    return try ServerOptions(url, for: account, context)
  }

  /// A file that can't be opened is said before a database is made; one that is there notes the failure.
  private func checkFile(isFirst: Bool) throws(CommandFailure) {
    guard source != "-" else { return }
    let name = "'\(Wording.excerpt(source, limit: 300))'"
    guard FileManager.default.fileExists(atPath: source) else {
      throw .failed(.noSuchFile, "There is no file \(name); \(RemoteOptions.advice(onMissing: source))")
    }
    guard isFirst else { return }
    let target = URL(fileURLWithPath: source).resolvingSymlinksInPath().path
    // What can't be asked, such as the link of an open descriptor, is left to the reading.
    let attributes = try? FileManager.default.attributesOfItem(atPath: target)  // see above
    switch attributes?[.type] as? FileAttributeType {
    case .typeDirectory?: throw .failed(.badData, "\(name) is a directory; name a file in it.")
    case .typeSocket?: throw .failed(.badData, "\(name) is a socket, which can't be read as a file.")
    default: break
    }
    guard FileManager.default.isReadableFile(atPath: source) else {
      throw .failed(.noPermission, "\(name) may not be read by this user; check its permissions.")
    }
  }

  private func failure(_ error: CatalogError, _ status: CatalogStatus) -> CommandFailure {
    var error = RemoteOptions.advice(on: error)
    if error.code != .cancelled, case .loaded = status.presence, let savedAt = status.savedAt {
      error.message +=
        " The cache is as it was: \(Wording.count(status.bookCount ?? 0, "book")), saved "
        + "\(ServedText.moment(savedAt, context.now.wall))."
    }
    return CommandFailure(error)
  }
}
