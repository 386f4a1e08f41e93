package import CatalogDomain

/// The options that mean the same in several commands.
package enum SharedOptions {
  package static let database = Option(
    file: "db", value: "path", help: "The cache's database; otherwise the variable CATALOG_DB names it.")

  package static let account = account(
    help: "The account whose catalog it is; otherwise the variable CATALOG_ACCOUNT names it.")

  /// The same, where nothing is taken from the environment.
  package static let selectedAccount = account(help: "Every catalog of this account.")

  private static func account(help: String) -> Option<AccountID> {
    Option(
      "account", value: "id", isSensitive: true, help: help,
      read: { text in name(text) { text throws(CatalogError) in try AccountID(validating: text) } })
  }

  package static let catalog = catalog(defaultText: "main", help: "Which of the account's catalogs.")

  /// The same, where all of the account's are meant otherwise.
  package static let selectedCatalog = catalog(
    defaultText: nil, help: "Only this one of the account's catalogs; otherwise all of them are meant.")

  private static func catalog(defaultText: String?, help: String) -> Option<CatalogName> {
    Option(
      "catalog", value: "name", defaultText: defaultText, isSensitive: true, help: help,
      read: { text in name(text) { text throws(CatalogError) in try CatalogName(validating: text) } })
  }

  /// Makes a name of what was typed.
  ///
  /// The system's bytes are repaired before a program in Swift sees them: each that isn't UTF-8 has become
  /// U+FFFD, so that two names that differ would be one. (Unicode §3.9, "U+FFFD Substitution".)
  static func name<Name>(
    _ text: String, _ make: (String) throws(CatalogError) -> Name
  ) -> Result<Name, ValueProblem> {
    guard !text.unicodeScalars.contains("\u{FFFD}") else {
      return .failure(ValueProblem("It isn't valid UTF-8, or has the character U+FFFD; give another name."))
    }
    do throws(CatalogError) {
      return .success(try make(text))
    } catch {
      return .failure(ValueProblem(error.message))
    }
  }

  package static let format = Option<OutputFormat>(
    choice: "format", value: "format", defaultText: "table on a terminal, else ndjson",
    help: "The form of the output.")

  package static let now = Option<RequestedTime>(
    "now", value: "time",
    help: "Act as if it were this time: RFC 3339, such as 2026-11-01T12:00:00Z, or +2h, -7d from now.",
    read: RequestedTime.read)

  package static let showAccounts = Flag("show-accounts", help: "Show accounts' names, otherwise redacted.")
  package static let quiet = Flag("quiet", short: "q", help: "Show no remarks and no progress.")

  package static let failIfStale = Flag(
    "fail-if-stale", help: "Exit with 3 if the catalog isn't fresh.")

  package static let failIfEmpty = Flag(
    "fail-if-empty", help: "Exit with 4 if the catalog is known and has no books.")
  package static let failIfNone = Flag("fail-if-none", help: "Exit with 5 if nothing matches.")

  /// What names a catalog.
  package static let scope = [database.spec, account.spec, catalog.spec]
  /// What a command that shows a catalog's books takes besides its own.
  package static let readingEnd = [
    now.spec, format.spec, showAccounts.spec, failIfStale.spec, quiet.spec,
  ]

  /// Returns an option whose value is a span of time.
  package static func duration(_ long: String, help: String) -> Option<Duration> {
    Option(
      long, value: "duration", help: help,
      read: { text in
        guard let duration = DurationText.parse(text) else {
          return .failure(ValueProblem(durationProblem(text)))
        }
        return .success(duration)
      })
  }

  private static func durationProblem(_ text: String) -> String {
    let form = "Please provide a whole number and a unit, such as 90s, 10m, 24h or 7d."
    return !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
      ? "It has no unit. \(form)" : form
  }
}

/// A time that was asked for: a moment, or a span from now.
package enum RequestedTime: Hashable, Sendable {
  case moment(Timestamp)
  case fromNow(Duration)

  /// Returns the moment, given what time it is.
  package func moment(from now: Timestamp) -> Timestamp {
    switch self {
    case .moment(let moment): moment
    case .fromNow(let span): now + span
    }
  }

  package static func read(_ text: String) -> Result<RequestedTime, ValueProblem> {
    if let moment = TimeText.parse(text) { return .success(.moment(moment)) }
    if let sign = text.first, sign == "+" || sign == "-",
      let span = DurationText.parse(String(text.dropFirst()))
    {
      return .success(.fromNow(sign == "+" ? span : .zero - span))
    }
    return .failure(
      ValueProblem(
        "Please provide a time such as 2026-11-01T12:00:00Z (RFC 3339), or one from now such as +2h or -7d."))
  }
}
