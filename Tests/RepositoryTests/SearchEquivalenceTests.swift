import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// The same hits over the cache as over a fixture of the same rows, whatever is asked.
///
/// By default over a few hundred titles made here; with `CATALOG_SHARED_DATA` naming a folder whose
/// `data` holds real titles, over all of them, with a thousand drawn queries. `CATALOG_SEED` repeats a run.
@Suite(.timeLimit(.minutes(30)))
struct SearchEquivalenceTests {
  private static let shared = ProcessInfo.processInfo.environment["CATALOG_SHARED_DATA"]

  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
  }

  private static let madeHere = [
    "BLÅBÆR", "Blåbær og bringebær", "100% wool", "a_b", "Война и мир", "война", "Cafe\u{301} au lait",
    "CAF\u{C9}",
    "ΟΔΟΣ", "οδοσ", "STRASSE", "straße", "İstanbul", "ısı", "👩‍👧 family", "e\u{301}\u{323}tude",
    "before\u{0}after",
    "Robert'); DROP TABLE titles;--", "\u{202E}evil\u{202C}", "論語", "कैसे", "ﬁnal ﬂight", "  spaces  ", "Å",
    "A\u{30A}",
    "ꜳ", "Ǆ ǅ ǆ", "\u{1100}\u{1161}", "가", "The Sea, the Sea",
  ]

  private static func titles() throws -> [String] {
    guard let shared else {
      return (0..<10).flatMap { round in madeHere.map { round == 0 ? $0 : "\($0) \(round)" } }
    }
    let folder = URL(fileURLWithPath: shared).appendingPathComponent("data")
    let table = try String(contentsOf: folder.appendingPathComponent("catalog-12k.tsv"), encoding: .utf8)
    var titles = table.split(separator: "\n").dropFirst().map { line in
      String(line.split(separator: "\t", omittingEmptySubsequences: false)[1])
    }
    struct Hard: Decodable { let title: String }
    let hard = try String(contentsOf: folder.appendingPathComponent("hard-titles.jsonl"), encoding: .utf8)
    for line in hard.split(separator: "\n") {
      titles.append(try JSONDecoder().decode(Hard.self, from: Data(line.utf8)).title)
    }
    return titles
  }

  private static func query(from titles: [String], _ generator: inout Generator) -> String {
    let title = titles[Int.random(in: 0..<titles.count, using: &generator)]
    let from = Int.random(in: 0...title.count, using: &generator)
    let part = String(title.dropFirst(from).prefix(Int.random(in: 0...6, using: &generator)))
    return switch Int.random(in: 0..<6, using: &generator) {
    case 0: part.uppercased()
    case 1: part.decomposedStringWithCanonicalMapping
    case 2: part.precomposedStringWithCanonicalMapping
    case 3: String(part.unicodeScalars.dropLast().map(Character.init))
    case 4: part + "%"
    default: part
    }
  }

  @Test func `a query over the cache finds what it finds over a fixture of the same rows`() async throws {
    let titles = try Self.titles()
    let seed =
      ProcessInfo.processInfo.environment["CATALOG_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
    print("search equivalence: \(titles.count) titles, CATALOG_SEED=\(seed)")
    var generator = Generator(state: seed)
    let books = titles.enumerated().map {
      BookSummary(id: $0.offset, title: $0.element, isBorrowed: $0.offset % 25 == 0)
    }
    let fixture = try Fixture()
    let cache = try fixture.open()
    let catalog = try cache.catalog(
      for: "ada",
      remote: ScriptedRemote.always(
        books.shuffled(using: &generator).map { book($0.id, $0.title, isBorrowed: $0.isBorrowed) }))
    try await catalog.refresh()

    let expected = CatalogQuery(source: FixtureCatalog(values: books))
    let found = CatalogQuery(source: catalog)
    let fixed = [
      "", "%", "_", "BLÅBÆR", "война", "cafe\u{301}", "CAF\u{C9}", "cafe", "'", "\u{0}", "\u{301}",
    ]
    let drawn = (0..<(Self.shared == nil ? 150 : 1000)).map { _ in Self.query(from: titles, &generator) }
    for query in fixed + drawn {
      let wanted = try expected.titles(matching: query)
      let got = try found.titles(matching: query)
      // Bytes, since equal strings may differ in composition.
      #expect(got.map { Array($0.utf8) } == wanted.map { Array($0.utf8) }, "query \(query.debugDescription)")
      let hits = try catalog.titles(matching: query)
      #expect(hits.map(\.title) == wanted)
    }
  }
}
