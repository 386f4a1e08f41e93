import CatalogDomain
import Testing

/// The names of accounts and of catalogs, which keep one set of rules.
@Suite(.timeLimit(.minutes(5)))
struct ScopeNameTests {
  private static let composed = "ren\u{E9}"
  private static let decomposed = "rene\u{301}"

  private func problem(_ text: String) -> (account: CatalogError?, catalog: CatalogError?) {
    func error(_ make: () throws(CatalogError) -> Void) -> CatalogError? {
      do {
        try make()
        return nil
      } catch {
        return error
      }
    }
    return (
      error { () throws(CatalogError) in _ = try AccountID(validating: text) },
      error { () throws(CatalogError) in _ = try CatalogName(validating: text) }
    )
  }

  @Test(arguments: [
    "a", "ada@example.org", "urn:uuid:1", " ", "Ада", "👩‍🚀", "a/b\\c'd\"e", String(repeating: "x", count: 255),
    String(repeating: "é", count: 127) + "x", "\u{202E}abc", "\u{FEFF}a",
  ])
  func `any text of 1 to 255 bytes without control characters is a name`(text: String) throws {
    #expect(try AccountID(validating: text).rawValue.utf8.elementsEqual(text.utf8))
    #expect(try CatalogName(validating: text).rawValue.utf8.elementsEqual(text.utf8))
  }

  @Test(arguments: [
    ("", "empty"), (String(repeating: "x", count: 256), "256"), (String(repeating: "é", count: 128), "256"),
    (String(repeating: "x", count: 10_240), "10240"), ("secret\nname", "U+000A at position 7"),
    ("secret\u{0}", "U+0000"), ("secret\t", "U+0009"), ("\u{7F}secret", "U+007F at position 1"),
    ("secret\u{85}", "U+0085"), ("secret\u{2028}", "U+2028"), ("secret\u{2029}", "U+2029"),
    ("secret\r\n", "U+000D"), ("e\u{301}\u{1B}[31m", "U+001B at position 3"),
  ])
  func `anything else isn't, and the error says what is wrong without the name`(
    text: String, fault: String
  ) throws {
    let (account, catalog) = problem(text)
    for (error, what) in [(try #require(account), "account"), (try #require(catalog), "catalog")] {
      #expect(error.code == .invalidName)
      #expect(error.message.contains(fault))
      #expect(error.message.contains(what))
      #expect(!error.description.contains("secret"))
      #expect(!error.description.contains("xxx"))
    }
  }

  @Test func `a composed and a decomposed spelling are two names`() throws {
    #expect(Self.composed == Self.decomposed)
    #expect(try AccountID(validating: Self.composed) != AccountID(validating: Self.decomposed))
    #expect(try CatalogName(validating: Self.composed) != CatalogName(validating: Self.decomposed))
    let accounts: Set<AccountID> = [
      try AccountID(validating: Self.composed), try AccountID(validating: Self.decomposed),
      try AccountID(validating: Self.composed),
    ]
    #expect(accounts.count == 2)
    let catalogs: Set<CatalogName> = [
      try CatalogName(validating: Self.composed), try CatalogName(validating: Self.decomposed),
      try CatalogName(validating: Self.composed),
    ]
    #expect(catalogs.count == 2)
  }

  @Test func `names hash as their bytes, apart from what comes after them`() throws {
    // Two names one after the other mustn't hash as two others whose bytes run together alike.
    struct Pair: Hashable {
      let first: AccountID
      let second: AccountID
    }
    #expect(Pair(first: "ab", second: "c").hashValue != Pair(first: "a", second: "bc").hashValue)
    #expect(AccountID("ada").hashValue == (try AccountID(validating: "ada")).hashValue)
  }

  @Test func `no way of printing gives a name away`() {
    struct Holder {
      let account: AccountID
      let catalog: CatalogName
    }
    let account: AccountID = "sesame-account"
    let catalog: CatalogName = "sesame-catalog"
    let holder = Holder(account: account, catalog: catalog)
    let request = FetchRequest(account: account, catalog: catalog)
    func texts(_ value: Any) -> [String] {
      var dumped = ""
      dump(value, to: &dumped)
      var printed = ""
      print(value, to: &printed)
      return [
        dumped, printed, "\(value)", String(describing: value), String(reflecting: value),
        String(describing: Mirror(reflecting: value).children.map(\.value)),
        String(describing: Optional(value)),
      ]
    }
    let values: [Any] = [
      account, catalog, holder, request, [account], [catalog: account] as [CatalogName: AccountID],
      Optional(account) as Any, Result<AccountID, CatalogError>.success(account),
    ]
    for value in values {
      for text in texts(value) {
        #expect(!text.contains("sesame"), "A name shows.")
      }
    }
    #expect("\(account)" == "AccountID(redacted)")
    #expect("\(catalog)" == "CatalogName(redacted)")
    #expect(Mirror(reflecting: account).children.isEmpty)
    #expect(Mirror(reflecting: catalog).children.isEmpty)
  }

  @Test func `the catalog of an account that has one is main`() {
    #expect(CatalogName.main.rawValue == "main")
    #expect(FetchRequest(account: "ada").catalog == .main)
  }
}
