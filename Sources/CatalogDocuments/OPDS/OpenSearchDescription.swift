public import CatalogDomain
import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Reads OpenSearch descriptions (OpenSearch 1.1), of which OPDS wants one thing: where to search for feeds.
public enum OpenSearchDescription {
  /// Returns the template of the first address that answers with a feed.
  ///
  /// - Throws: ``CatalogError`` with code `badResponse` if it isn't a whole description, or names no feed.
  public static func template(in bytes: [UInt8], of source: String) throws(CatalogError) -> String {
    guard let text = XMLEntities.replacingNamed(in: bytes) else {
      throw CatalogError(.badResponse, "\(source) declares entities of its own, which aren't taken.")
    }
    let reader = Reader()
    let parser = XMLParser(data: Data(text))
    parser.shouldProcessNamespaces = true
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    _ = parser.parse()
    guard reader.isWhole, let template = reader.templates.first else {
      throw CatalogError(
        .badResponse, "\(source) is no whole OpenSearch description with an address that answers with a feed."
      )
    }
    return template
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var templates: [String] = []
    /// The end was seen, and nothing was wrong before it: what is cut off is closed by the parser.
    var isWhole: Bool { hasEnded && !hasFailed }
    private var hasEnded = false
    private var hasFailed = false

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      guard name == "Url", attributes["type"]?.lowercased().hasPrefix("application/atom+xml") == true,
        let template = attributes["template"]
      else { return }
      // Suggestions and the description itself are other relations.
      if let relation = attributes["rel"], !relation.split(separator: " ").contains("results") { return }
      templates.append(template)
    }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
      if name == "OpenSearchDescription" { hasEnded = true }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
      hasFailed = true
    }
  }
}
