public import CatalogDomain
internal import CatalogStore

/// Which catalogs of a cache an invalidation or an inspection is about.
public struct CacheSelection: Hashable, Sendable {
  let stored: StoreSelection

  /// Every catalog of an account.
  public static func account(_ account: AccountID) -> CacheSelection {
    CacheSelection(stored: .account(account))
  }

  /// One catalog of an account.
  public static func catalog(_ name: CatalogName, of account: AccountID) -> CacheSelection {
    CacheSelection(stored: .catalog(name, account))
  }

  /// Every catalog that was last validated before a moment, by the wall clock.
  public static func validated(before moment: Timestamp) -> CacheSelection {
    CacheSelection(stored: .validated(before: moment))
  }

  /// Every catalog of every account.
  public static let everything = CacheSelection(stored: .everything)

  /// Every catalog that has expired, by the policy stored with it.
  public static let expired = CacheSelection(stored: .expired)
}

/// How much an invalidation touched.
public struct InvalidationReport: Hashable, Sendable {
  /// How many accounts.
  public var accounts: Int
  /// How many of their catalogs.
  public var catalogs: Int
  /// How many books those held.
  public var books: Int

  init(_ report: StoreReport) {
    accounts = report.accounts
    catalogs = report.catalogs
    books = report.books
  }
}
