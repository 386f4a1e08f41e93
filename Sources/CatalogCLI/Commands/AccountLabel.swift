package import CatalogDomain

/// What output calls an account: its number in the database, or its name if `--show-accounts` was given.
package struct AccountLabel: Hashable, Sendable {
  /// The text.
  package let text: String

  /// Creates a label.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - number: What the database knows it by; nil if it doesn't.
  ///   - isShown: Whether the name may be shown.
  package init(_ account: AccountID, number: Int?, isShown: Bool) {
    if isShown {
      text = account.rawValue
    } else {
      text = number.map { "account \($0)" } ?? "an unknown account"
    }
  }
}
