public import CatalogDomain
import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Reads documents of OPDS 1.2: Atom feeds of books, of loans, and of other feeds.
public enum OPDS1Document {
  /// Reads a document.
  ///
  /// - Parameters:
  ///   - bytes: The whole document.
  ///   - source: What messages call it.
  ///   - limits: How much is taken.
  /// - Throws: ``CatalogError`` with code `badResponse` if it isn't a whole Atom feed or entry, or `tooLarge`.
  public static func read(
    _ bytes: [UInt8], of source: String, limits: DocumentLimits = .init()
  ) throws(CatalogError) -> OPDSFeed {
    guard bytes.count <= limits.bytes else {
      throw CatalogError(.tooLarge, "\(source) has more than \(limits.bytes) bytes. Nothing of it was taken.")
    }
    guard let text = XMLEntities.replacingNamed(in: bytes) else {
      throw CatalogError(
        .badResponse, "\(source) declares entities of its own, which no feed needs and which aren't taken.")
    }
    let reader = AtomReader(limits)
    let parser = XMLParser(data: Data(text))
    parser.shouldProcessNamespaces = true
    parser.shouldReportNamespacePrefixes = true
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    _ = parser.parse()
    // The result means nothing: it is true for what is cut off, and for HTML.
    if let problem = reader.problem { throw CatalogError(problem.code, "\(source) \(problem.text)") }
    guard reader.isWhole else {
      throw CatalogError(
        .badResponse,
        reader.isAtom
          ? "\(source) is cut off, or isn't well-formed XML near line \(max(1, parser.lineNumber))."
          : isWebPage(bytes)
            ? "\(source) is a web page, perhaps one to sign in at, and no OPDS feed. Check the address, and who asks."
            : "\(source) is no OPDS feed: its first element isn't an Atom 'feed' or 'entry'.")
    }
    return reader.feed
  }

  /// Whether it begins as a page of HTML does, which an XML parser may not even get to the first element of.
  private static func isWebPage(_ bytes: [UInt8]) -> Bool {
    let start = String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased()
    return start.contains("<!doctype html") || start.contains("<html")
  }
}

/// Collects an Atom feed from a parser's events.
private final class AtomReader: NSObject, XMLParserDelegate {
  private static let atom = "http://www.w3.org/2005/Atom"
  private static let opds = "http://opds-spec.org/2010/catalog"
  private static let schema = "http://schema.org/"
  private static let terms = ["http://purl.org/dc/terms/", "http://purl.org/dc/elements/1.1/"]

  private let limits: DocumentLimits
  private(set) var feed = OPDSFeed()
  private(set) var isAtom = false
  private(set) var isWhole = false
  private(set) var problem: (code: CatalogError.Code, text: String)?

  private var depth = 0
  /// What addresses are relative to, by the elements that say so (RFC 4287 §2), innermost last.
  private var bases: [(depth: Int, base: String)] = []
  /// The text of the element that is of interest now, and how deep that element is.
  private var text = ""
  private var textDepth: Int?
  private var isHTML = false
  private var isInAuthor = false
  private var item: OPDSItem?
  private var itemDepth = 0
  private var itemCount = 0
  private var groupCount = 0
  /// The link that what stands in it belongs to; in an item, or in the feed.
  private var openLink: OPDSFeed.Link?

  init(_ limits: DocumentLimits) {
    self.limits = limits
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    depth += 1
    guard depth <= limits.nesting else {
      return fail(parser, .badResponse, "is nested more than \(limits.nesting) levels deep.")
    }
    if let base = attributes["xml:base"] ?? attributes["base"] {
      bases.append((depth, Self.resolve(base, against: bases.last?.base)))
    }
    let isAtomElement = namespaceURI == Self.atom
    if depth == 1 {
      isAtom = isAtomElement && (name == "feed" || name == "entry")
      if !isAtom { parser.abortParsing() }
    }
    if isAtomElement, name == "entry", item == nil, depth <= 2 {
      itemCount += 1
      guard itemCount <= limits.books else {
        return fail(parser, .tooLarge, "has more than \(limits.books) items. Nothing of it was taken.")
      }
      item = OPDSItem()
      itemDepth = depth
      return
    }
    // Only what stands directly in the feed or the item is theirs.
    let level = item == nil ? 1 : itemDepth
    switch (isAtomElement, name, depth - level) {
    case (true, "id", 1), (true, "title", 1), (true, "updated", 1): open(attributes)
    case (true, "author", 1): isInAuthor = true
    case (true, "name", 2) where isInAuthor: open([:])
    case (true, "link", 1):
      openLink = link(attributes)
      if item == nil, openLink == nil, relations(attributes).contains("next") {
        feed.hasLostNext = true
      }
    case (false, "language", 1) where Self.terms.contains(namespaceURI ?? ""): open([:])
    case (false, "alternativeHeadline", 1) where namespaceURI == Self.schema: open([:])
    case (false, "availability", _) where namespaceURI == Self.opds:
      openLink?.state = (attributes["status"] ?? attributes["state"])?.lowercased()
      openLink?.isSince = attributes["since"] != nil
      openLink?.until = attributes["until"].flatMap(RFC3339.parse)
    case (false, "totalResults", 1): open([:])
    default: break
    }
  }

  func parser(_ parser: XMLParser, didStartMappingPrefix prefix: String, toURI namespaceURI: String) {
    if namespaceURI == Self.opds { feed.saysOPDS = true }
  }

  private func open(_ attributes: [String: String]) {
    text = ""
    textDepth = depth
    isHTML = attributes["type"] == "html" || attributes["type"] == "text/html"
  }

  private func link(_ attributes: [String: String]) -> OPDSFeed.Link? {
    guard let href = attributes["href"] else { return nil }
    return OPDSFeed.Link(
      Self.resolve(href, against: bases.last?.base),
      relations: relations(attributes), type: attributes["type"], title: attributes["title"])
  }

  private func relations(_ attributes: [String: String]) -> [String] {
    (attributes["rel"] ?? "").lowercased().split(separator: " ").map(String.init)
  }

  /// A reference below a base; one that can't be put together, such as a template, stays as it is.
  private static func resolve(_ reference: String, against base: String?) -> String {
    guard let base, !reference.contains("{"), let base = URL(string: base) else { return reference }
    return URL(string: reference, relativeTo: base)?.absoluteString ?? reference
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if textDepth != nil { append(string, parser) }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    if textDepth != nil { append(String(decoding: block, as: UTF8.self), parser) }
  }

  private func append(_ string: String, _ parser: XMLParser) {
    // A field longer than any that is taken is kept long enough to be refused for it.
    if text.utf8.count <= limits.itemBytes { text += string }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    defer {
      if bases.last?.depth == depth { bases.removeLast() }
      depth -= 1
    }
    if depth == textDepth {
      textDepth = nil
      take(name, isHTML ? XMLEntities.plainText(ofHTML: text) : text)
    }
    guard namespaceURI == Self.atom else { return }
    switch name {
    case "author": isInAuthor = false
    case "link":
      if let openLink {
        if openLink.isOfOPDS { feed.saysOPDS = true }
        if item == nil { feed.links.append(openLink) } else { item?.links.append(openLink) }
      }
      openLink = nil
    case "entry" where depth == itemDepth:
      close()
      if depth == 1 {
        isWhole = true
        feed.omission = "it is the record of one book, and no feed"
      }
    case "feed" where depth == 1: finish()
    default: break
    }
  }

  private func take(_ name: String, _ text: String) {
    let text = text.trimmingWhitespace()
    switch name {
    case "id":
      if item == nil { feed.identifier = text } else { item?.identifier = .text(text) }
    case "title": if item?.title == nil { item?.title = text }
    case "alternativeHeadline": if item?.subtitle == nil { item?.subtitle = text }
    case "updated": item?.updated = RFC3339.parse(text)
    case "language": if item?.language == nil, !text.isEmpty { item?.language = text }
    case "name": if !text.isEmpty { item?.authors.append(text) }
    case "totalResults": if item == nil { feed.expectedBooks = Int(text).flatMap { $0 >= 0 ? $0 : nil } }
    default: break
    }
  }

  private func close() {
    guard let item else { return }
    self.item = nil
    if !item.hasAcquisition, let target = item.links.first(where: Self.leadsToFeed) {
      var choice = target
      choice.title = item.title
      feed.choices.append(choice)
      return
    }
    // An entry without links, authors or a language is a shelf that leads nowhere.
    if item.links.isEmpty, item.authors.isEmpty, item.language == nil {
      feed.omission = "some of its items lead nowhere and describe no book"
      let position = "item \(itemCount)"
      if case .text(let id)? = item.identifier, !id.isEmpty, id.utf8.count <= limits.identifierBytes {
        feed.page.rejected.append(
          RejectedItem(
            position: position, identifier: .text(id), reason: "It leads nowhere and describes no book."))
        return
      }
    }
    if item.links.contains(where: { $0.relations.contains { $0 == "collection" || $0.hasSuffix("/group") } })
    {
      groupCount += 1
    }
    feed.take(item, at: "item \(itemCount)", limits: limits)
  }

  private func finish() {
    isWhole = true
    if groupCount > 0 { feed.omission = "it shows only the beginning of each of its groups" }
  }

  /// Whether a link leads to another feed, and not to the item itself in full.
  private static func leadsToFeed(_ link: OPDSFeed.Link) -> Bool {
    let aside = ["alternate", "self", "related", "author", "contributor", "collection", "up", "start"]
    guard !link.relations.contains(where: { aside.contains($0) || $0.hasSuffix("/group") }) else {
      return false
    }
    let type = link.type?.lowercased().filter { $0 != " " } ?? ""
    return type.hasPrefix("application/atom+xml") && !type.contains("type=entry")
      && !type.contains("relation=entry")
  }

  private func fail(_ parser: XMLParser, _ code: CatalogError.Code, _ text: String) {
    if problem == nil { problem = (code, text) }
    parser.abortParsing()
  }

  func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
    isWhole = false
    if isAtom, problem == nil {
      problem = (.badResponse, "is cut off, or isn't well-formed XML near line \(max(1, parser.lineNumber)).")
    }
  }
}

extension String {
  func trimmingWhitespace() -> String {
    var scalars = Substring(self).unicodeScalars
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(scalars)
  }
}
