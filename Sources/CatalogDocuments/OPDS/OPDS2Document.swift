public import CatalogDomain
import Foundation

/// Reads documents of OPDS 2.0: JSON feeds of publications, of loans, and of other feeds.
public enum OPDS2Document {
  /// Reads a document.
  ///
  /// - Parameters:
  ///   - bytes: The whole document.
  ///   - source: What messages call it.
  ///   - limits: How much is taken.
  ///   - languages: The reader's languages, best first, for titles and names in several.
  /// - Throws: ``CatalogError`` with code `badResponse` if it isn't an OPDS feed, or `tooLarge`.
  public static func read(
    _ bytes: [UInt8], of source: String, limits: DocumentLimits = .init(), languages: [String] = []
  ) throws(CatalogError) -> OPDSFeed {
    guard bytes.count <= limits.bytes else {
      throw CatalogError(.tooLarge, "\(source) has more than \(limits.bytes) bytes. Nothing of it was taken.")
    }
    let json: Any
    do {
      json = try JSONSerialization.jsonObject(with: Data(bytes))
    } catch {
      throw CatalogError(
        .badResponse, "\(source) is cut off, or isn't well-formed JSON.", cause: error)
    }
    var reader = Reader(limits: limits, languages: languages)
    guard let object = json as? [String: Any] else { throw unfit(nil, source) }
    if isFeed(object) {
      reader.take(object)
    } else if isPublication(object) {
      reader.take(record: object)
    } else {
      throw unfit(object, source)
    }
    guard reader.itemCount <= limits.books else {
      throw CatalogError(.tooLarge, "\(source) has more than \(limits.books) items. Nothing of it was taken.")
    }
    return reader.feed
  }

  private static func isFeed(_ object: [String: Any]) -> Bool {
    ["publications", "navigation", "groups", "catalogs"].contains { object[$0] is [Any] }
  }

  /// Whether it is one publication by itself: a manifest of what there is to read or to get.
  private static func isPublication(_ object: [String: Any]) -> Bool {
    (object["metadata"] as? [String: Any])?["title"] != nil
      && (object["links"] is [Any] || object["readingOrder"] is [Any])
  }

  /// Why a document is neither.
  private static func unfit(_ object: [String: Any]?, _ source: String) -> CatalogError {
    if let object, let flows = OPDSAuthenticationDocument.flows(of: object) {
      let offer = flows.isEmpty ? "no way" : "'\(flows.joined(separator: "', '"))'"
      return CatalogError(
        .unauthorized,
        "\(source) is about signing in, by \(offer), and no feed. Sign in, or give the address of the feed.")
    }
    if let object, object["type"] is String, object["title"] is String || object["status"] is NSNumber {
      return CatalogError(
        .badResponse, "\(source) is a report of a problem (RFC 9457), and no OPDS feed. Check the address.")
    }
    return CatalogError(
      .badResponse,
      "\(source) is no OPDS feed: it has neither publications, navigation nor groups, or isn't an object.")
  }

  private struct Reader {
    let limits: DocumentLimits
    let languages: [String]
    var feed = OPDSFeed()
    var itemCount = 0
    /// Whether there is a list of books, be it empty.
    private var listsBooks = false
    private static let waysLost = "some of the feeds that it leads to have no address"

    init(limits: DocumentLimits, languages: [String]) {
      self.limits = limits
      self.languages = languages
    }

    mutating func take(_ object: [String: Any]) {
      feed.saysOPDS = true
      let metadata = object["metadata"] as? [String: Any] ?? [:]
      feed.links = links(object["links"])
      let namesNext = objects(object["links"]).contains { relations($0).contains("next") }
      if namesNext, feed.next == nil { feed.hasLostNext = true }
      feed.identifier = metadata["identifier"] as? String
      feed.expectedBooks = count(metadata["numberOfItems"])
      take(publications: list("publications", of: object), in: "")
      take(choices: list("navigation", of: object))
      for (number, group) in (list("groups", of: object) ?? []).enumerated() {
        take(group: group as? [String: Any] ?? [:], number + 1)
      }
      for catalog in list("catalogs", of: object) ?? [] {
        take(catalog: catalog as? [String: Any] ?? [:])
      }
      if !listsBooks, feed.choices.isEmpty, feed.omission == nil {
        feed.omission = "it lists neither books nor feeds that hold some"
      }
    }

    private mutating func take(group: [String: Any], _ number: Int) {
      let items = list("publications", of: group)
      let ways = list("navigation", of: group)
      take(publications: items, in: "group \(number), ")
      take(choices: ways)
      guard items != nil || ways != nil else {
        feed.omission = "it names groups without showing what is in them"
        return
      }
      let all = count((group["metadata"] as? [String: Any])?["numberOfItems"])
      // A group that leads to a feed of its own may hold more there, unless it says how many it holds.
      let mayHoldMore = all.map { $0 > items?.count ?? 0 } ?? !links(group["links"]).isEmpty
      if items != nil, mayHoldMore { feed.omission = "it shows only the beginning of some of its groups" }
    }

    private mutating func take(catalog: [String: Any]) {
      let name = text((catalog["metadata"] as? [String: Any])?["title"])
      let ways = links(catalog["links"]).filter { $0.relations.contains("http://opds-spec.org/catalog") }
      if ways.isEmpty { feed.omission = Self.waysLost }
      for var link in ways {
        link.title = name
        feed.choices.append(link)
      }
    }

    /// A member that is a list; what stands in its place and is none is lost.
    private mutating func list(_ name: String, of object: [String: Any]) -> [Any]? {
      guard let value = object[name], !(value is NSNull) else { return nil }
      guard let list = value as? [Any] else {
        feed.omission = "its '\(name)' isn't a list"
        return nil
      }
      if name == "publications" { listsBooks = true }
      return list
    }

    /// Takes a publication that stands alone.
    mutating func take(record: [String: Any]) {
      feed.saysOPDS = true
      feed.omission = "it is the record of one book, and no feed"
      take(publications: [record], in: "")
    }

    private mutating func take(choices: [Any]?) {
      let ways = links(choices)
      if ways.count < choices?.count ?? 0 { feed.omission = Self.waysLost }
      feed.choices += ways
    }

    private mutating func take(publications: [Any]?, in place: String) {
      for (number, publication) in (publications ?? []).enumerated() {
        itemCount += 1
        guard itemCount <= limits.books else { return }
        let position = "\(place)item \(number + 1)"
        guard let publication = publication as? [String: Any] else {
          feed.page.rejected.append(RejectedItem(position: position, reason: "It isn't a JSON object."))
          continue
        }
        feed.take(item(publication), at: position, limits: limits)
      }
    }

    private func item(_ publication: [String: Any]) -> OPDSItem {
      let metadata = publication["metadata"] as? [String: Any] ?? [:]
      var item = OPDSItem()
      item.links = links(publication["links"])
      item.title = text(metadata["title"])
      item.subtitle = text(metadata["subtitle"])
      item.authors = names(metadata["author"])
      item.language = metadata["language"] as? String ?? (metadata["language"] as? [Any])?.first as? String
      item.updated = (metadata["modified"] as? String).flatMap(RFC3339.parse)
      item.identifier = identifier(metadata["identifier"], item.links)
      return item
    }

    /// The identifier is optional; the address of the publication itself stands in for it.
    private func identifier(_ value: Any?, _ links: [OPDSFeed.Link]) -> CatalogEntry.Identifier? {
      if let text = value as? String { return text.isEmpty ? nil : .text(text) }
      if let number = value as? NSNumber {
        return number.doubleValue == Double(number.intValue) ? .number(number.intValue) : nil
      }
      return links.first { $0.relations.contains("self") }.map { .text($0.href) }
    }

    /// Text, or the text of a map that suits the reader best: language tags to texts.
    private func text(_ value: Any?) -> String? {
      if let text = value as? String { return text }
      guard let map = value as? [String: Any] else { return nil }
      let texts = map.compactMapValues { $0 as? String }
      func tag(_ wanted: String, _ match: (String) -> Bool) -> String? {
        texts.keys.sorted().first(where: match).flatMap { texts[$0] }
      }
      for wanted in languages.map({ $0.lowercased() }) {
        if let found = tag(wanted, { $0.lowercased() == wanted }) { return found }
        let primary = wanted.prefix { $0 != "-" }
        if let found = tag(wanted, { $0.lowercased().prefix { $0 != "-" } == primary }) { return found }
      }
      return texts["und"] ?? texts["en"] ?? texts.keys.sorted().first.flatMap { texts[$0] }
    }

    /// Names: text, an object with a name, or an array that mixes both; what is neither is left out.
    private func names(_ value: Any?) -> [String] {
      if let list = value as? [Any] { return list.flatMap(names) }
      if let object = value as? [String: Any], let name = object["name"] {
        return text(name).map { [$0] } ?? []
      }
      return (value as? String).map { $0.isEmpty ? [] : [$0] } ?? []
    }

    private func objects(_ value: Any?) -> [[String: Any]] {
      ((value as? [Any]) ?? []).compactMap { $0 as? [String: Any] }
    }

    private func relations(_ link: [String: Any]) -> [String] {
      (link["rel"] as? String).map { [$0] } ?? (link["rel"] as? [Any])?.compactMap { $0 as? String } ?? []
    }

    private func links(_ value: Any?) -> [OPDSFeed.Link] {
      objects(value).compactMap { object in
        guard let href = object["href"] as? String else { return nil }
        var link = OPDSFeed.Link(
          href, relations: relations(object), type: object["type"] as? String, title: text(object["title"]))
        link.isTemplate = object["templated"] as? Bool ?? false
        let properties = object["properties"] as? [String: Any]
        if let availability = properties?["availability"] as? [String: Any] {
          link.state = (availability["state"] as? String)?.lowercased()
          link.isSince = availability["since"] is String
          link.until = (availability["until"] as? String).flatMap(RFC3339.parse)
        }
        return link
      }
    }

    private func count(_ value: Any?) -> Int? {
      (value as? NSNumber).flatMap { $0.intValue >= 0 ? $0.intValue : nil }
    }
  }
}
