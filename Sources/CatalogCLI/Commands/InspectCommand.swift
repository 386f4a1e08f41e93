import CatalogDomain
import CatalogRepository

extension CommandSpec {
  /// Shows what is known of a database.
  package static let inspect = CommandSpec(
    "inspect",
    abstract: "Show what is known of a database and its catalogs: presence, age, freshness, and why.",
    discussion: [
      "--account and --catalog narrow it down; the variable CATALOG_ACCOUNT doesn't. No book is shown. "
        + PolicyOptions.discussion
    ],
    examples: ["inspect --db t.sqlite", "inspect --db t.sqlite --account ada --format json"],
    options: [
      SharedOptions.database.spec, SharedOptions.selectedAccount.spec, SharedOptions.selectedCatalog.spec,
    ] + SharedOptions.readingEnd + PolicyOptions.all,
    exclusive: PolicyOptions.exclusive,
    check: { call in
      call.has(SharedOptions.selectedCatalog.spec) && !call.has(SharedOptions.selectedAccount.spec)
        ? "--catalog names one of an account's catalogs. Give --account too." : nil
    },
    run: { context throws(CommandFailure) in
      let change = try PolicyOptions.change(of: context.call, console: context.console)
      let cache = try context.openForReading()
      let inspection = try CommandFailure.translating { () throws(CatalogError) in
        try cache.inspect(selection(context.call))
      }
      let catalogs = inspection.catalogs.map {
        InspectedCatalog(
          catalog: $0, policy: change?($0.policy) ?? $0.policy,
          policySource: change != nil ? .options : $0.isPolicyStored ? .stored : .standard,
          account: context.label($0.account, number: $0.accountNumber), now: context.now)
      }
      let isAllFresh = catalogs.allSatisfy { $0.decision.freshness == .fresh }
      return try context.show(
        output(context.call, inspection, catalogs),
        endingWith: context.call.has(SharedOptions.failIfStale) && !isAllFresh ? .stale : .done)
    })

  private static func selection(_ call: CommandCall) -> CacheSelection {
    guard let account = call[SharedOptions.selectedAccount] else { return .everything }
    return call[SharedOptions.selectedCatalog].map { .catalog($0, of: account) } ?? .account(account)
  }

  private static func output(
    _ call: CommandCall, _ inspection: CacheInspection, _ catalogs: [InspectedCatalog]
  ) -> Output {
    var notes: [String] = []
    if inspection.isScrubPending {
      notes.append(
        "Bytes of a forgotten account may still be in the files; run 'catalogctl invalidate --scrub'.")
    }
    if !inspection.setAsidePaths.isEmpty {
      notes.append("Files that couldn't be read were set aside; move them away when you don't need them.")
    }
    if catalogs.isEmpty {
      notes.append(
        call.has(SharedOptions.selectedAccount.spec)
          ? "The database knows no such account or catalog." : "The database knows no account.")
    }
    return Output(
      command: call.name, layout: .fields,
      head: [
        .init("path", "File", .text(inspection.path)),
        .init("sizeInBytes", "Size in bytes", .number(Int(inspection.databaseSizeInBytes))),
        .init("logSizeInBytes", "Log in bytes", .number(Int(inspection.logSizeInBytes))),
        .init("schemaVersion", "Schema", .number(inspection.schemaVersion)),
        .init("instance", "Instance", .text(inspection.instance)),
        .init("sqliteVersion", "SQLite", .text(sqliteVersion(inspection.sqliteVersion))),
        .init("isScrubPending", "Scrub pending", .bool(inspection.isScrubPending)),
        .init("setAside", "Set aside", .list(inspection.setAsidePaths)),
        .init("catalogs", "Catalogs", .number(catalogs.count)),
      ],
      columns: InspectedCatalog.columns, rows: catalogs.map(\.cells), notes: notes)
  }

  /// SQLite's number 3040001 as people write it: 3.40.1.
  private static func sqliteVersion(_ number: Int) -> String {
    "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
  }
}

/// One catalog as `inspect` shows it.
private struct InspectedCatalog {
  enum PolicySource: String {
    case options, stored, standard
  }

  let catalog: CacheInspection.Catalog
  let policy: FreshnessPolicy
  let policySource: PolicySource
  let account: AccountLabel
  let now: ClockReading

  var decision: FreshnessDecision { policy.decide(stamp: catalog.stamp, now: now) }

  static let columns: [Output.Column] = [
    .init("account", "Account"), .init("accountNumber", nil), .init("catalog", "Catalog"),
    .init("presence", "Presence"), .init("books", "Books"), .init("isComplete", "Complete"),
    .init("savedAt", "Saved"), .init("ageSeconds", "Age"), .init("freshness", "Freshness"),
    .init("rule", "Rule"), .init("explanation", "Because"), .init("reading", "Reading"),
    .init("load", "Loading"), .init("nextChange", "Next change"), .init("isMarkedStale", "Marked stale"),
    .init("lifetime", "Lifetime"), .init("lifetimeSource", "Lifetime from"),
    .init("serverFreshness", "Server said"), .init("entityTag", "Entity tag"),
    .init("lastModified", "Last modified"), .init("lastFailure", "Last failure"),
    .init("lastFailureAt", "Failed at"), .init("revision", "Revision"), .init("policySource", "Policy from"),
    .init("policy", "Policy"),
  ]

  var cells: [Cell] {
    let status = catalog.status
    let decision = decision
    let lifetime = policy.lifetime(under: catalog.stamp?.directives ?? .init())
    return [
      .text(account.text), .number(catalog.accountNumber), .text(catalog.name.rawValue), presence,
      .number(status.bookCount), status.bookCount == nil ? .none : .bool(status.isComplete),
      status.savedAt.map { .timeBeside($0, now: now.wall) } ?? .none, .age(decision.age),
      .text(decision.freshness.rawValue), .text(decision.rule.rawValue), .text(decision.rule.explanation),
      DecisionText.reading(decision.books), DecisionText.loading(decision.load),
      decision.nextChange.map { .timeBeside($0, now: now.wall) } ?? .none,
      catalog.stamp.map { .bool($0.isMarkedStale) } ?? .none, .duration(lifetime.span),
      .term(lifetime.source.rawValue, shown: Self.words(lifetime.source)), serverFreshness,
      .text(catalog.validators?.entityTag), .text(catalog.validators?.lastModified),
      .text(status.lastFailure?.code.name),
      status.lastFailure.map { .timeBeside($0.at, now: now.wall) } ?? .none,
      .number(Int(clamping: status.revision)), .term(policySource.rawValue, shown: words(policySource)),
      .object(PolicyText.facts(policy), shown: PolicyText.sentence(policy)),
    ]
  }

  private var presence: Cell {
    switch catalog.status.presence {
    case .neverLoaded: .term("neverLoaded", shown: "never loaded")
    case .loaded: .term("loaded", shown: catalog.status.bookCount == 0 ? "loaded, no books" : "loaded")
    case .revoked: .text("revoked")
    case .unreadable(let code): .text("unreadable: \(code.name)")
    @unknown default: .text("unknown")
    }
  }

  private var serverFreshness: Cell {
    guard let directives = catalog.stamp?.directives, directives != ServerFreshness() else { return .none }
    var words: [String] = []
    if let lifetime = directives.lifetime { words.append("max-age \(DurationText.text(lifetime))") }
    if let window = directives.staleWhileRevalidate {
      words.append("stale-while-revalidate \(DurationText.text(window))")
    }
    if let window = directives.staleIfError { words.append("stale-if-error \(DurationText.text(window))") }
    if directives.mustRevalidate { words.append("must-revalidate") }
    if directives.noCache { words.append("no-cache") }
    if directives.noStore { words.append("no-store") }
    return .list(words)
  }

  private static func words(_ source: FreshnessPolicy.LifetimeSource) -> String {
    switch source {
    case .policy: "the policy"
    case .server: "the server"
    case .bounded: "the server, brought within the policy's bounds"
    case .noCache: "the server's no-cache"
    @unknown default: source.rawValue
    }
  }

  private func words(_ source: PolicySource) -> String {
    switch source {
    case .options: "the options given"
    case .stored: "the catalog's last refresh"
    case .standard: "the standard, none is stored"
    }
  }
}
