import CatalogDocuments
import CatalogDomain
import Foundation

/// A way from a feed that only leads on to another feed.
struct OPDSWay {
  /// How many feeds are asked whether they hold books; with more to choose from, somebody has to choose.
  static let most = 32
  private static let mostNamed = 20
  private static let shelf = "http://opds-spec.org/shelf"

  var link: OPDSFeed.Link
  /// The document that it stands in.
  var base: URL

  /// Where it leads; nil if that can't be read.
  var target: URL? { HTTPAddress.resolve(link.href, against: base) }

  /// Whether it stays on the server of its document.
  var leadsHome: Bool { target.flatMap(HTTPOrigin.init) == HTTPOrigin(base) }

  /// The ways on one page of a feed.
  ///
  /// The loans are read apart: they aren't a catalog.
  static func ways(on document: OPDSReader.Document) -> [OPDSWay] {
    document.feed.choices.lazy.filter { !$0.relations.contains(shelf) }
      .map { OPDSWay(link: $0, base: document.url) }
  }

  /// The way to the feed that holds all books, if a feed names it (OPDS 1.2, §2.3 and §5).
  static func toAll(on document: OPDSReader.Document) -> OPDSWay? {
    document.feed.link("http://opds-spec.org/crawlable").map { OPDSWay(link: $0, base: document.url) }
  }

  /// The error of a feed without books that leads to several: somebody has to choose.
  static func unchosen(_ ways: [OPDSWay], on url: URL, after failure: CatalogError? = nil) -> CatalogError {
    let names = ways.prefix(mostNamed).map { way in
      let place = way.target.map(HTTPPlace.text) ?? "an address that can't be read"
      return "'\(ServerText.brief(way.link.title ?? ""))' at \(place)"
    }
    return CatalogError(
      .badResponse,
      "\(HTTPPlace.text(url)) holds no books; it leads to \(ways.count) other feeds. Give the address of one of "
        + "them: "
        + names.joined(separator: ", ") + (ways.count > mostNamed ? ", …" : "."), cause: failure)
  }
}

/// Whether several lists of a catalog show by themselves that each holds all of it: a pure value.
///
/// A server's "newest" and "by title" hold the same books. Two short lists of picks may do so too, so one of them
/// has to show that it is at its end: that it comes in pages, or how many books there are.
struct OPDSAgreement {
  private var whole: Set<CatalogEntry.Identifier>?
  private var agreeing = 0
  private var differing = 0
  private var emptyCount = 0
  private var hasEnd = false

  /// Takes in the books of a list that was read to its end.
  mutating func add(_ held: Set<CatalogEntry.Identifier>, showsEnd: Bool) {
    hasEnd = hasEnd || showsEnd
    guard !held.isEmpty else {
      // A reading list without books says nothing of the others.
      emptyCount += 1
      return
    }
    if let whole, whole != held { differing += 1 } else { agreeing += 1 }
    whole = whole ?? held
  }

  /// Whether the lists are the catalog, whatever else there may be to follow.
  var isWhole: Bool { hasEnd && (whole == nil ? emptyCount > 1 : agreeing > 1 && differing == 0) }
}
