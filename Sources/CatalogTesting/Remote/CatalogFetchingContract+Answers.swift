import CatalogDomain

extension CatalogFetchingContract {
  /// What a whole answer looks like.
  static let answers: [Case] = [
    Case("the head comes before the books, and once", in: .books(threeBooks)) { staged in
      let outcome = await fetch(staged.remote)
      try outcome.requireComplete()
      try CatalogTesting.require(await outcome.sink.heads.count, equals: 1, "the number of heads")
      guard case .head = await outcome.sink.events.first else {
        throw ContractViolation("the first thing that the sink was given isn't the head")
      }
    },
    passesOn("the books of a catalog are passed on in its order", threeBooks),
    Case("an empty catalog is complete: a head and no books", in: .books([])) { staged in
      let outcome = await fetch(staged.remote)
      try outcome.requireComplete()
      try CatalogTesting.require(await outcome.sink.heads.count, equals: 1, "the number of heads")
      try CatalogTesting.require(await outcome.sink.entries, equals: [], "the books")
    },
    passesOn("a catalog of many pages is passed on whole", books(2345)),
    passesOn("an identifier met twice is passed on twice", [threeBooks[0], threeBooks[1], again]),
    passesOn("a whole number stays a number", [CatalogEntry(identifier: .number(12), title: "Twelve")]),
    passesOn("digits that are text stay text", [CatalogEntry(identifier: .text("12"), title: "Twelve")]),
    passesOn("every field of a book is passed on", [rich]),
    passesOn(
      "text is passed on byte for byte",
      titled([
        "Caf\u{E9}", "Cafe\u{301}", "BLÅBÆR", "Война и мир", "👩‍👧 𝔘𝔫𝔦", "a < b & \"c\" > 'd'",
        "\\u0041 %41 &#65;",
      ])),
    passesOn(
      "control characters are passed on",
      titled(["before\u{0}after", "bell\u{7}\r\n\u{1B}[31m", "\u{FFFE}\u{FFFF}"])
    ),
    Case("two fetches at once each get everything", in: .books(books(700))) { staged in
      async let first = fetch(staged.remote)
      async let second = fetch(staged.remote)
      for outcome in await [first, second] {
        try outcome.requireComplete()
        try require(await outcome.sink.entries, equal: books(700))
      }
    },
  ]

  /// What an item that can't be taken does to the others.
  static let items: [Case] = [
    Case(
      "an item that can't be taken is named, and the answer is complete",
      in: .badItem(.text("urn:bad"), among: threeBooks)
    ) { staged in
      let outcome = await fetch(staged.remote)
      try outcome.requireComplete()
      try require(await outcome.sink.entries, equal: threeBooks)
      let rejected = await outcome.sink.rejected
      try CatalogTesting.require(rejected.map(\.identifier), equals: [.text("urn:bad")], "the items left out")
      guard rejected.allSatisfy({ !$0.position.isEmpty && !$0.reason.isEmpty }) else {
        throw ContractViolation("an item was left out without a position or a reason")
      }
    },
    Case(
      "an item that can't even be named makes the answer partial", in: .unreadableItem(among: threeBooks)
    ) { staged in
      let outcome = await fetch(staged.remote)
      guard case .success(.partial(let reason)) = outcome.result, !reason.isEmpty else {
        throw ContractViolation("expected a partial answer with a reason, got \(outcome.result)")
      }
      try require(await outcome.sink.entries, equal: threeBooks)
      try CatalogTesting.require(
        await outcome.sink.rejected.map(\.identifier), equals: [nil], "the items left out")
    },
  ]

  private static func passesOn(_ promise: String, _ books: [CatalogEntry]) -> Case {
    Case(promise, in: .books(books)) { staged in
      let outcome = await fetch(staged.remote)
      try outcome.requireComplete()
      try require(await outcome.sink.entries, equal: books)
      try CatalogTesting.require(await outcome.sink.rejected, equals: [], "the items left out")
    }
  }

  private static let again = CatalogEntry(identifier: threeBooks[0].identifier, title: "Book 1 again")

  private static let rich: CatalogEntry = {
    var entry = CatalogEntry(identifier: .text("urn:rich"), title: "Rich")
    entry.authors = ["First Author", "Second Author"]
    entry.language = "pt-BR"
    entry.isBorrowed = true
    entry.borrowedUntil = Timestamp(millisecondsSinceEpoch: 1_796_083_200_000)
    entry.updated = Timestamp(millisecondsSinceEpoch: 1_793_530_800_000)
    return entry
  }()

  private static func titled(_ titles: [String]) -> [CatalogEntry] {
    titles.enumerated().map { CatalogEntry(identifier: .text("urn:title:\($0.offset)"), title: $0.element) }
  }
}
