import CatalogDomain
import CatalogRepository

/// The options of `invalidate`.
private enum InvalidateOptions {
  static let olderThan = Option<RequestedTime>(
    "older-than", value: "time",
    help: "Every catalog last validated longer ago than a duration such as 7d, or before an RFC 3339 time.",
    read: { text in
      if let age = DurationText.parse(text) { return .success(.fromNow(.zero - age)) }
      if let moment = TimeText.parse(text) { return .success(.moment(moment)) }
      return .failure(
        ValueProblem("Please provide a duration such as 7d, or a time such as 2026-11-01T12:00:00Z."))
    })
  static let expired = Flag("expired", help: "Every catalog that has expired by the policy stored with it.")
  static let all = Flag("all", help: "Every catalog of every account.")
  static let scrub = Flag("scrub", help: "Erase what is left of forgotten accounts, and nothing else.")
  static let selections = [
    SharedOptions.selectedAccount.spec, olderThan.spec, expired.spec, all.spec, scrub.spec,
  ]

  static let markStale = Flag(
    "mark-stale", help: "Keep the books; nothing is fresh until a refresh begun later (the default).")
  static let discard = Flag("discard", help: "Drop the books; it is then unknown what the catalogs hold.")
  static let forget = Flag(
    "forget", help: "Sign the account out: drop it, and erase its bytes from the files.")
  static let actions = [markStale.spec, discard.spec, forget.spec]

  static let dryRun = Flag("dry-run", help: "Say what would be touched, and change nothing.")
  static let yes = Flag("yes", short: "y", help: "Don't ask.")
}

extension CommandSpec {
  /// Invalidates catalogs.
  package static let invalidate = CommandSpec(
    "invalidate",
    abstract: "Mark catalogs stale, discard them, or forget an account for good.",
    discussion: [
      "Give exactly one selection: --account (with --catalog for one of its catalogs), --older-than, --expired, "
        + "--all, or --scrub. The variable CATALOG_ACCOUNT selects nothing here. With --all, --discard and "
        + "--forget you are asked first; where nobody can be asked, give --yes. Nothing is ever fetched."
    ],
    examples: [
      "invalidate --account ada", "invalidate --expired --discard --dry-run",
      "invalidate --account ada --forget --yes",
    ],
    options: [SharedOptions.database.spec] + InvalidateOptions.selections
      + [SharedOptions.selectedCatalog.spec] + InvalidateOptions.actions + [
        InvalidateOptions.dryRun.spec, InvalidateOptions.yes.spec, SharedOptions.now.spec,
        SharedOptions.format.spec, SharedOptions.showAccounts.spec, SharedOptions.quiet.spec,
      ],
    exclusive: [InvalidateOptions.selections, InvalidateOptions.actions]
      + InvalidateOptions.actions.map { [InvalidateOptions.scrub.spec, $0] }
      + [[InvalidateOptions.scrub.spec, InvalidateOptions.dryRun.spec]],
    isWriting: true,
    check: { call in
      if !InvalidateOptions.selections.contains(where: { call.has($0) }) {
        return
          "Missing what to invalidate. Give one of --account, --older-than, --expired, --all and --scrub."
      }
      if call.has(InvalidateOptions.forget), call.has(SharedOptions.selectedCatalog.spec) {
        return "--forget signs the whole account out, with all its catalogs. Leave out --catalog, or give "
          + "--discard to drop that catalog alone."
      }
      if call.has(SharedOptions.selectedCatalog.spec), !call.has(SharedOptions.selectedAccount.spec) {
        return "--catalog names one of an account's catalogs. Give --account too."
      }
      if call.has(InvalidateOptions.forget), !call.has(SharedOptions.selectedAccount.spec) {
        return "--forget signs one account out. Give --account."
      }
      if call.has(SharedOptions.now.spec), !call.has(InvalidateOptions.dryRun) {
        return "--now is for trying. Give --dry-run too."
      }
      return nil
    },
    run: { context throws(CommandFailure) in try await InvalidateCommand(context: context).run() })
}

private struct InvalidateCommand {
  private enum Action: String {
    case markStale, discard, forget
  }

  private let context: CommandContext
  private let action: Action
  private let isDryRun: Bool

  init(context: CommandContext) {
    self.context = context
    let call = context.call
    action =
      call.has(InvalidateOptions.forget)
      ? .forget : call.has(InvalidateOptions.discard) ? .discard : .markStale
    isDryRun = call.has(InvalidateOptions.dryRun)
  }

  func run() async throws(CommandFailure) -> ExitCode {
    if context.call.has(InvalidateOptions.scrub) { return try await scrub() }
    let needsConsent = !isDryRun && (action != .markStale || context.call.has(InvalidateOptions.all))
    let isConsented = context.call.has(InvalidateOptions.yes)
    if needsConsent, !isConsented, !context.console.isInputTerminal {
      throw context.call.usageFailure(
        "This has to be confirmed, and nobody can be asked here. Give --yes, or --dry-run to see what it would touch."
      )
    }
    // Looked at without a trace first: what the answer is about, and a mistyped path makes no database.
    let selected = try inspected()
    if needsConsent, !isConsented, !selected.isEmpty, !context.console.confirm(question(selected)) {
      throw .failed(.failed, "Nothing was changed.")
    }
    if isDryRun {
      try show(
        InvalidationCounts(
          accounts: Set(selected.map(\.accountNumber)).count, catalogs: selected.count,
          books: selected.reduce(0) { $0 + ($1.status.bookCount ?? 0) }), selected)
      return .done
    }
    let cache = try context.openForWriting(mayCreate: false)
    defer { context.close(cache) }
    let report: InvalidationReport
    do throws(CatalogError) {
      switch (action, context.call[SharedOptions.selectedAccount]) {
      case (.markStale, _): report = try await cache.markStale(selection)
      case (.discard, _): report = try await cache.discard(selection)
      case (.forget, let account?): report = try await cache.forget(account)
      case (.forget, nil): preconditionFailure("--forget was taken without --account")
      }
    } catch {
      throw failure(error)
    }
    try show(
      InvalidationCounts(accounts: report.accounts, catalogs: report.catalogs, books: report.books), selected)
    return .done
  }

  private func failure(_ error: CatalogError) -> CommandFailure {
    var error = error
    if error.code == .bytesRemain { error.message += " Run 'catalogctl invalidate --scrub' later." }
    return CommandFailure(error)
  }

  private func scrub() async throws(CommandFailure) -> ExitCode {
    // A database that can't be read has nothing that could be scrubbed.
    let isPending = try inspection(.everything).isScrubPending
    let cache = try context.openForWriting(mayCreate: false)
    defer { context.close(cache) }
    do throws(CatalogError) {
      try await cache.scrub()
    } catch {
      throw failure(error)
    }
    try context.show(
      Output(
        command: context.call.name,
        record: [
          (Output.Column("action", nil), .text("scrub")),
          (Output.Column("wasPending", nil), .bool(isPending)),
        ],
        notes: [
          isPending
            ? "Scrubbed: no byte of a forgotten account is left in the files."
            : "Nothing to scrub: no byte of a forgotten account was left."
        ]))
    return .done
  }

  private var selection: CacheSelection {
    let call = context.call
    if let account = call[SharedOptions.selectedAccount] {
      return call[SharedOptions.selectedCatalog].map { .catalog($0, of: account) } ?? .account(account)
    }
    if let limit = call[InvalidateOptions.olderThan] {
      return .validated(before: limit.moment(from: context.now.wall))
    }
    return call.has(InvalidateOptions.expired) ? .expired : .everything
  }

  private func inspection(_ selection: CacheSelection) throws(CommandFailure) -> CacheInspection {
    let cache = try context.openForReading()
    return try CommandFailure.translating { () throws(CatalogError) in try cache.inspect(selection) }
  }

  private func inspected() throws(CommandFailure) -> [CacheInspection.Catalog] {
    try inspection(selection).catalogs
  }

  private func question(_ selected: [CacheInspection.Catalog]) -> String {
    let books = selected.reduce(0) { $0 + ($1.status.bookCount ?? 0) }
    let catalogs =
      "\(Wording.count(selected.count, "catalog")) with \(Wording.count(books, "book")) of \(owners(selected))"
    return switch action {
    case .markStale: "Mark \(catalogs) stale?"
    case .discard: "Discard \(catalogs)?"
    case .forget: "Forget \(owners(selected)) for good, with \(catalogs)?"
    }
  }

  private func owners(_ selected: [CacheInspection.Catalog]) -> String {
    let labels = Set(selected.map { context.label($0.account, number: $0.accountNumber).text })
    return labels.count == 1 ? labels.first ?? "" : Wording.count(labels.count, "account")
  }

  private func show(
    _ counts: InvalidationCounts, _ selected: [CacheInspection.Catalog]
  ) throws(CommandFailure) {
    let now = context.now.wall
    try context.show(
      Output(
        command: context.call.name,
        columns: [
          .init("account", "Account", isFlexible: true), .init("accountNumber", nil),
          .init("catalog", "Catalog", isFlexible: true), .init("books", "Books"), .init("savedAt", "Saved"),
        ],
        rows: selected.map { catalog in
          [
            .text(context.label(catalog.account, number: catalog.accountNumber).text),
            .number(catalog.accountNumber), .text(catalog.name.rawValue), .number(catalog.status.bookCount),
            catalog.status.savedAt.map { .timeBeside($0, now: now) } ?? .none,
          ]
        },
        summary: [
          .init("action", .text(action.rawValue)), .init("isDryRun", .bool(isDryRun)),
          .init("accounts", .number(counts.accounts)), .init("catalogs", .number(counts.catalogs)),
          .init("books", .number(counts.books)),
        ], notes: [sentence(counts)]))
  }

  private func sentence(_ counts: InvalidationCounts) -> String {
    guard counts.accounts > 0 else {
      return action == .forget
        ? "The database knows no such account; nothing to forget." : "Nothing is selected; nothing to do."
    }
    let catalogs =
      "\(Wording.count(counts.catalogs, "catalog")) of \(Wording.count(counts.accounts, "account")), with "
      + "\(Wording.count(counts.books, "book"))"
    switch (action, isDryRun) {
    case (.markStale, false): return "Marked stale: \(catalogs). The books stay; refresh to make them fresh."
    case (.markStale, true): return "Would mark stale: \(catalogs). Nothing was changed."
    case (.discard, false): return "Discarded: \(catalogs). It is now unknown what they hold; refresh."
    case (.discard, true): return "Would discard: \(catalogs). Nothing was changed."
    case (.forget, false): return "Forgotten: \(catalogs). No byte of it is left in the files."
    case (.forget, true): return "Would forget: \(catalogs). Nothing was changed."
    }
  }
}

private struct InvalidationCounts {
  let accounts: Int
  let catalogs: Int
  let books: Int
}
