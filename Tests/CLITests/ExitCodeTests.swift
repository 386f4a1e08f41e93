import CatalogCLI
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExitCodeTests {
  @Test(arguments: [
    (CatalogError.Code.neverLoaded, 69), (.unavailable, 69), (.revoked, 69), (.offline, 69), (.timedOut, 69),
    (.serverError, 69), (.unauthorized, 77), (.forbidden, 77), (.permission, 77), (.notFound, 66),
    (.gone, 66),
    (.noSuchDatabase, 66), (.badResponse, 65), (.tooLarge, 65), (.corrupt, 65), (.notADatabase, 65),
    (.throttled, 75), (.busy, 75), (.locked, 75), (.replaced, 75), (.superseded, 75), (.bytesRemain, 75),
    (.tooNew, 78), (.needsMigration, 78), (.diskFull, 74), (.ioError, 74), (.invalidName, 64),
    (.invalidPolicy, 64), (.cancelled, 130), (.notStored, 1), (.cannotCreate, 73),
  ])
  func `each kind of error has its exit code`(_ code: CatalogError.Code, _ expected: Int) {
    #expect(CommandFailure(CatalogError(code, "It failed.")).exitCode.rawValue == Int32(expected))
  }

  @Test func `how long the remote asks to be left alone is said`() {
    guard
      case .failed(_, let message) = CommandFailure(
        CatalogError(.throttled, "The server is busy.", retryAfter: .seconds(90)))
    else {
      Issue.record("It isn't a failure with a message")
      return
    }
    #expect(message == "The server is busy. Try again in 1 min.")
  }
}
