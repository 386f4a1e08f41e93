import CatalogDomain
import CatalogRepository
import Foundation

/// How a command comes to its database, account and catalog.
extension CommandContext {
  /// The environment's name for the database.
  static let databaseVariable = "CATALOG_DB"
  /// The environment's name for the account.
  static let accountVariable = "CATALOG_ACCOUNT"

  /// The database that the command line or the environment names; nil if neither does.
  var databasePathIfGiven: String? { call[SharedOptions.database] ?? variable(Self.databaseVariable) }

  /// The database that the command line or the environment names.
  func databasePath() throws(CommandFailure) -> String {
    if let path = databasePathIfGiven { return path }
    throw call.usageFailure("Missing the database. Give --db <path>, or set \(Self.databaseVariable).")
  }

  /// The account that the command line or the environment names; nil if neither does.
  func accountIfGiven() throws(CommandFailure) -> AccountID? {
    if let account = call[SharedOptions.account] { return account }
    guard let text = variable(Self.accountVariable) else { return nil }
    switch SharedOptions.account.read(text) {
    case .success(let account): return account
    case .failure(let problem):
      throw call.usageFailure("The variable \(Self.accountVariable) is invalid. \(problem.reason)")
    }
  }

  /// The account that the command line or the environment names.
  func account() throws(CommandFailure) -> AccountID {
    if let account = try accountIfGiven() { return account }
    throw call.usageFailure("Missing the account. Give --account <id>, or set \(Self.accountVariable).")
  }

  /// Which of the account's catalogs is meant.
  var catalogName: CatalogName { call[SharedOptions.catalog] ?? .main }

  /// Returns what output calls an account.
  func label(_ account: AccountID, number: Int?) -> AccountLabel {
    AccountLabel(account, number: number, isShown: call.has(SharedOptions.showAccounts))
  }

  private func variable(_ name: String) -> String? {
    console.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Opens the database for reading: nothing in its folder changes.
  func openForReading() throws(CommandFailure) -> CatalogCache {
    let path = try databasePath()
    return try CommandFailure.translating { () throws(CatalogError) in
      try CatalogCache(path: path, configuration: .init(access: .readOnly, clock: clock))
    }
  }

  /// Opens the database for writing, and makes it if that is wanted.
  ///
  /// A file that is there is first looked at without leaving a trace, so that a folder, a text or another
  /// program's database that was named by mistake gets no lock beside it.
  func openForWriting(
    mayCreate: Bool, languages: [String] = []
  ) throws(CommandFailure) -> CatalogCache {
    let path = try databasePath()
    if !mayCreate || !isMissingOrEmpty(path) {
      do throws(CatalogError) {
        _ = try CatalogCache(path: path, configuration: .init(access: .readOnly, clock: clock))
      } catch {
        // An older version's is migrated by opening it for writing.
        guard error.code == .needsMigration else { throw CommandFailure(error) }
      }
    }
    return try CommandFailure.translating { () throws(CatalogError) in
      try CatalogCache(path: path, configuration: .init(clock: clock, languages: languages))
    }
  }

  /// Closes a cache that was written to.
  ///
  /// That the log couldn't be emptied because somebody reads is no failure: nothing is lost.
  func close(_ cache: CatalogCache) {
    do throws(CatalogError) {
      try cache.close()
    } catch {
      remark(["Note: \(error.message)"])
    }
  }

  /// Whether there is no database at a path yet.
  func isMissingOrEmpty(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    // Unsafe because Foundation writes through the pointer: to a local value, which outlives the call.
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return true }
    guard !isFolder.boolValue else { return false }
    // What can't be asked isn't empty; opening it says what is wrong.
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)  // see above
    return (attributes?[.size] as? Int) == 0
  }
}

extension CommandFailure {
  /// Runs a function of the library's, and makes its error a command's.
  static func translating<Result>(
    _ body: () throws(CatalogError) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(CatalogError) {
      return try body()
    } catch {
      throw CommandFailure(error)
    }
  }
}
