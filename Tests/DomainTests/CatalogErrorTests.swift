import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CatalogErrorTests {
  /// Every code with its stable name; databases and scripts know the codes by it.
  private static let codes: [(name: String, code: CatalogError.Code)] = [
    ("neverLoaded", .neverLoaded), ("unavailable", .unavailable), ("revoked", .revoked),
    ("superseded", .superseded), ("offline", .offline), ("timedOut", .timedOut),
    ("serverError", .serverError), ("unauthorized", .unauthorized), ("forbidden", .forbidden),
    ("notFound", .notFound), ("gone", .gone), ("throttled", .throttled), ("badResponse", .badResponse),
    ("tooLarge", .tooLarge), ("busy", .busy), ("corrupt", .corrupt), ("notADatabase", .notADatabase),
    ("tooNew", .tooNew), ("needsMigration", .needsMigration), ("replaced", .replaced),
    ("diskFull", .diskFull), ("permission", .permission), ("locked", .locked),
    ("bytesRemain", .bytesRemain), ("invalidName", .invalidName), ("invalidPolicy", .invalidPolicy),
    ("cancelled", .cancelled), ("notStored", .notStored), ("ioError", .ioError),
    ("noSuchDatabase", .noSuchDatabase), ("cannotCreate", .cannotCreate),
  ]

  @Test(arguments: codes)
  func `a code keeps its name, and is found by it`(name: String, code: CatalogError.Code) {
    #expect(code.name == name)
    #expect(code.description == name)
    #expect(CatalogError.Code(name: name) == code)
  }

  @Test(arguments: ["", "Offline", "offline ", "unknown"])
  func `a name that no code has is none`(name: String) {
    #expect(CatalogError.Code(name: name) == nil)
  }

  @Test func `an outage is that the remote can't be reached or is out of order, and nothing else`() {
    let outages = Self.codes.filter { $0.code.isOutage }.map(\.name)
    #expect(outages == ["offline", "timedOut", "serverError"])
  }

  @Test func `a description is the code and the message, without the cause`() {
    struct Cause: Error, CustomStringConvertible { let description = "GET /?token=secret" }
    let error = CatalogError(
      .throttled, "Wait a minute.", retryAfter: .seconds(60), cause: Cause())
    #expect(error.description == "throttled: Wait a minute.")
    #expect("\(error)" == "throttled: Wait a minute.")
    #expect(!String(reflecting: error).contains("secret"))
    #expect(error.retryAfter == .seconds(60))
    #expect(error.cause is Cause)
  }

  @Test func `a status is offline only after a failure that is an outage`() {
    let decision = FreshnessPolicy.standard.decide(stamp: nil, now: Start.reading)
    var status = CatalogStatus(
      presence: .neverLoaded, bookCount: nil, isComplete: false, savedAt: nil, decision: decision,
      isRefreshing: false, lastFailure: nil, revision: 0)
    #expect(!status.isOffline)
    status.lastFailure = CatalogStatus.Failure(code: .unauthorized, at: Start.reading.wall)
    #expect(!status.isOffline)
    status.lastFailure = CatalogStatus.Failure(code: .timedOut, at: Start.reading.wall)
    #expect(status.isOffline)
  }
}
