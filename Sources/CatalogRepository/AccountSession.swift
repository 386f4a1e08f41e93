public import CatalogDomain
internal import CatalogStore

/// The owner of account changes: it holds the account in use, its catalog and its search, for one caller's
/// executor; it isn't `Sendable`.
///
/// On every change, in this order: the search stops; what is in flight is cancelled; the account is revoked and
/// forgotten, or left as it is on a mere switch; and only then is the new identity published, with a catalog and
/// a search of its own. So nothing of the old account is shown under the new one, and nothing late is.
public final class AccountSession {
  /// The account in use; nil if nobody is signed in.
  public private(set) var account: AccountID?
  /// The account's catalog.
  public private(set) var catalog: CachedCatalog?
  /// The account's search; a new one for each account.
  public private(set) var search: SearchSession?
  /// Called after each change of ``account``, with everything in place.
  public var changed: ((AccountID?) -> Void)?

  private let cache: CatalogCache
  private let name: CatalogName
  private let policy: FreshnessPolicy
  private let makeRemote: (AccountID) -> any CatalogFetching
  private let makeService: (CachedCatalog) -> any BookSearching
  private var changes = 0

  /// Creates a session with nobody signed in.
  ///
  /// - Parameters:
  ///   - cache: Where catalogs are kept.
  ///   - name: Which of an account's catalogs.
  ///   - policy: How old it may be for what.
  ///   - remote: Makes the remote of an account, with its credentials.
  ///   - service: Makes the search service over a catalog; over what is held unless another is given.
  public init(
    cache: CatalogCache, name: CatalogName = .main, policy: FreshnessPolicy = .standard,
    remote: @escaping (AccountID) -> any CatalogFetching,
    service: @escaping (CachedCatalog) -> any BookSearching = { CachedBookSearch($0) }
  ) {
    self.cache = cache
    self.name = name
    self.policy = policy
    makeRemote = remote
    makeService = service
  }

  /// Uses another account, or none; the rows of the one before stay for its return.
  ///
  /// - Throws: `CatalogError` if the account's catalog can't be had; then nobody is signed in.
  public func switchAccount(to next: AccountID?) throws(CatalogError) {
    changes += 1
    leave()
    var opened: CachedCatalog?
    var failure: CatalogError?
    if let next {
      do throws(CatalogError) {
        opened = try cache.catalog(name, for: next, remote: makeRemote(next), policy: policy)
      } catch {
        failure = error
      }
    }
    publish(opened)
    if let failure { throw failure }
  }

  /// Signs the account out, and forgets it: nothing of it is left in the cache.
  ///
  /// - Throws: `CatalogError`: with code `bytesRemain` the account is signed out and revoked, and its bytes are
  ///   erased later; with any other code it is still signed in, and this can be tried again.
  public nonisolated(nonsending) func signOut() async throws(CatalogError) {
    guard let leaving = account, let held = catalog else { return }
    changes += 1
    let change = changes
    leave()
    do throws(CatalogError) {
      _ = try await cache.forget(leaving)
    } catch {
      if change == changes { publish(error.code == .bytesRemain ? nil : held) }
      throw error
    }
    // Somebody may have signed in while the bytes were being erased.
    if change == changes { publish(nil) }
  }

  /// Stops what works for the account in use.
  private func leave() {
    search?.stop()
    search = nil
    if let catalog { cache.flights.cancel(catalog.key) }
  }

  private func publish(_ opened: CachedCatalog?) {
    catalog = opened
    search = opened.map { SearchSession(service: makeService($0)) }
    account = opened?.account
    changed?(account)
  }
}
