public import CatalogDomain

/// How a remote is asked: limits of time, and what is done when a server is out of order.
public struct HTTPOptions: Sendable {
  /// How long one answer may take, to the last byte; 5 minutes.
  public var deadline: Duration
  /// How often a request is sent again when the server is out of order or asks to wait; twice.
  public var retries: Int
  /// How long the first wait is; each is twice the one before, less a random part of up to a half; 500 ms.
  public var firstWait: Duration
  /// How long one wait may be; a server that asks for more is left alone, and the error says for how long;
  /// 10 seconds.
  public var longestWait: Duration
  /// How many redirects are followed; 10.
  public var redirects: Int
  /// How a lifetime is guessed if the server gives none; it isn't.
  public var heuristic: HTTPFreshness.Heuristic

  /// Creates the default options.
  public init() {
    deadline = .seconds(300)
    retries = 2
    firstWait = .milliseconds(500)
    longestWait = .seconds(10)
    redirects = 10
    heuristic = .off
  }
}
