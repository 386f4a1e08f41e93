internal import CatalogDomain

/// How long a remote that failed is left alone by what nobody asked for: a value, told the time.
///
/// A load serves what is held and refreshes behind it. Were it to do so at every load, a server that is out of
/// order would be asked as often as a screen is drawn, and one that refused a password would ban the reader.
struct RefreshRestraint: Sendable {
  private static let afterFailure = Duration.seconds(30)
  /// A refusal doesn't end by itself.
  private static let afterRefusal = Duration.seconds(3600)
  /// However long a server asks to be left alone.
  private static let longest = Duration.seconds(86_400)

  private let error: CatalogError
  /// By the continuous clock, of this process.
  private let began: Duration

  /// - Parameter error: Why a flight failed.
  init(after error: CatalogError, at now: ClockReading) {
    self.error = error
    began = now.continuous
  }

  /// Whether a refresh that nobody waits for is better left for later.
  func restrainsBackground(at now: ClockReading) -> Bool {
    let refused = error.code == .unauthorized || error.code == .forbidden
    let span = max(refused ? Self.afterRefusal : Self.afterFailure, asked ?? .zero)
    return now.continuous - began < span
  }

  /// The failure, if the remote asked to be left alone for longer than has passed, with what is left of that.
  func standing(at now: ClockReading) -> CatalogError? {
    guard let asked else { return nil }
    let rest = asked - (now.continuous - began)
    guard rest > .zero else { return nil }
    var standing = error
    standing.retryAfter = rest
    return standing
  }

  private var asked: Duration? { error.retryAfter.map { min($0, Self.longest) } }
}
