import CatalogDomain
import CatalogRemotes
import CatalogRepository
import Foundation

extension CommandSpec {
  private static let from = Option(
    file: "from", value: "file",
    help: "The catalog's file: a JSON array of books, or one JSON object a line; - reads standard input.")
  private static let ifNeeded = Flag("if-needed", help: "Ask only if the policy says that it isn't fresh.")
  private static let force = Flag("force", help: "Read the whole file, even if it hasn't changed.")

  /// Refreshes a catalog.
  package static let refresh = CommandSpec(
    "refresh",
    abstract: "Refresh an account's catalog from a file, and say what changed.",
    discussion: [
      "The database is made if it isn't there; its folder has to be. A file that can't be read, or is no "
        + "catalog, changes nothing. A bad item is left out and named, and the row it had stays. A "
        + "policy option changes what it names of the policy stored with the catalog, else of the standard one, "
        + "and --policy replaces the whole; the result is stored."
    ],
    examples: [
      "refresh --db t.sqlite --account ada --from c.jsonl",
      "refresh --account ada --from - --if-needed --lifetime 1h",
    ],
    options: SharedOptions.scope + [
      from.spec, ifNeeded.spec, force.spec, SharedOptions.format.spec, SharedOptions.showAccounts.spec,
      SharedOptions.quiet.spec,
    ] + PolicyOptions.all,
    required: [from.spec], exclusive: PolicyOptions.exclusive + [[ifNeeded.spec, force.spec]],
    isWriting: true,
    run: { context throws(CommandFailure) in
      let mode: RefreshMode =
        context.call.has(ifNeeded) ? .ifNeeded : context.call.has(force) ? .forced : .always
      // Parsing made sure that it is there.
      return try await RefreshCommand(context: context, mode: mode, file: context.call[from] ?? "-").run()
    })
}

private struct RefreshCommand {
  let context: CommandContext
  let mode: RefreshMode
  let file: String

  func run() async throws(CommandFailure) -> ExitCode {
    let (account, name) = (try context.account(), context.catalogName)
    let database = try context.databasePath()
    let change = try PolicyOptions.change(of: context.call, console: context.console)
    try checkFile(isFirst: context.isMissingOrEmpty(database))
    let cache = try context.openForWriting(mayCreate: true)
    defer { context.close(cache) }
    let catalog = try CommandFailure.translating { () throws(CatalogError) in
      let stored = try cache.inspect(.catalog(name, of: account)).catalogs.first?.policy ?? .standard
      return try cache.catalog(
        name, for: account, remote: file == "-" ? FileCatalog.standardInput() : FileCatalog(path: file),
        policy: change?(stored) ?? stored)
    }
    let progress = ProgressLine(console: context.console, isQuiet: context.call.has(SharedOptions.quiet))
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

  /// A file that can't be opened is said before a database is made; one that is there notes the failure.
  private func checkFile(isFirst: Bool) throws(CommandFailure) {
    guard file != "-" else { return }
    let name = "'\(Wording.excerpt(file, limit: 300))'"
    guard FileManager.default.fileExists(atPath: file) else {
      throw .failed(.noSuchFile, "There is no file \(name); check the path.")
    }
    guard isFirst else { return }
    let target = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    // What can't be asked, such as the link of an open descriptor, is left to the reading.
    let attributes = try? FileManager.default.attributesOfItem(atPath: target)  // see above
    switch attributes?[.type] as? FileAttributeType {
    case .typeDirectory?: throw .failed(.badData, "\(name) is a directory; name a file in it.")
    case .typeSocket?: throw .failed(.badData, "\(name) is a socket, which can't be read as a file.")
    default: break
    }
    guard FileManager.default.isReadableFile(atPath: file) else {
      throw .failed(.noPermission, "\(name) may not be read by this user; check its permissions.")
    }
  }

  private func failure(_ error: CatalogError, _ status: CatalogStatus) -> CommandFailure {
    var error = error
    if error.code != .cancelled, case .loaded = status.presence, let savedAt = status.savedAt {
      error.message +=
        " The cache is as it was: \(Wording.count(status.bookCount ?? 0, "book")), saved "
        + "\(ServedText.moment(savedAt, context.now.wall))."
    }
    return CommandFailure(error)
  }
}

/// Shows how far a refresh has come: in place on a terminal, now and then a line elsewhere.
private final class ProgressLine {
  private static let booksPerLine = 10_000

  private let console: any Console
  private let isQuiet: Bool
  private var isShown = false
  private var linesSaid = 0

  init(console: any Console, isQuiet: Bool) {
    self.console = console
    self.isQuiet = isQuiet
  }

  func show(_ progress: RefreshProgress) {
    guard !isQuiet else { return }
    var text = Wording.count(progress.books, "book")
    if let expected = progress.expectedBooks { text += " of \(Wording.grouped(expected))" }
    if progress.rejected > 0 { text += ", \(Wording.grouped(progress.rejected)) left out" }
    if console.isErrorTerminal {
      console.note("\r\u{1B}[K\(text) …")
      isShown = true
    } else if progress.books / Self.booksPerLine > linesSaid {
      linesSaid = progress.books / Self.booksPerLine
      console.note("\(text) so far\n")
    }
  }

  func clear() {
    if isShown { console.note("\r\u{1B}[K") }
    isShown = false
  }
}
