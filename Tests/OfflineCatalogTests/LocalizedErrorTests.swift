import Foundation
import OfflineCatalog
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LocalizedErrorTests {
  @Test func `what an app shows of an error is its message, without the cause`() {
    let error: any Error = CatalogError(
      .busy, "Another process is writing; try again.", cause: CatalogError(.ioError, "secret"))
    #expect(error.localizedDescription == "Another process is writing; try again.")
  }

  @Test func `what an app shows of an unavailable catalog isn't a number`() {
    let failure: any Error = CatalogFailure.unavailable
    #expect(failure.localizedDescription == "The catalog isn't available; the catalog's status says why.")
  }
}
