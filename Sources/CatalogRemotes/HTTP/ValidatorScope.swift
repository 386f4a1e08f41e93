import CatalogDocuments
import CatalogDomain
import Foundation

/// What the validators of an answer are about: what was asked, on whose behalf and how it is read, and where the
/// answer came from in the end.
///
/// "Has it changed?" makes sense only to whoever is asked about the same thing. An entity tag may be as short
/// as "1", and a date says nothing of an older file elsewhere.
struct ValidatorScope: Sendable {
  /// What is known before the question.
  private let request: String

  /// - Parameters:
  ///   - url: The address that is asked.
  ///   - adapter: How the answer is read.
  ///   - client: Who asks; what an account may see, its loans above all, depends on where it has credentials.
  init(
    _ url: URL, by adapter: String, _ client: HTTPClient, languages: [String], limits: DocumentLimits
  ) {
    let reading = [
      PlainCatalogReader.revision, OPDSFeed.revision, limits.nesting, limits.itemBytes, limits.titleBytes,
      limits.identifierBytes, limits.authorBytes, limits.languageBytes, limits.authors,
    ]
    let parts = [adapter, url.absoluteString, "\(reading)"] + client.origins + [""] + languages
    request = "\(adapter)-" + Self.digest(parts.joined(separator: "\n"))
  }

  /// Whether validators may be about what will come; only where the answer comes from is still open.
  func mayCover(_ validators: FetchValidators) -> Bool {
    validators.scope?.hasPrefix(request + "/") ?? true
  }

  /// Whether validators are about an answer that came from an address; those that don't say may be.
  func covers(_ validators: FetchValidators, from url: URL) -> Bool {
    validators.scope.map { $0 == text(from: url) } ?? true
  }

  /// The scope of an answer that came from an address: digests, as an address may hold a secret.
  func text(from url: URL) -> String {
    request + "/" + Self.digest(url.absoluteString)
  }

  /// FNV-1a, 64 bits: the same in every process, which Swift's own hashes aren't.
  private static func digest(_ text: String) -> String {
    let digest = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(digest, radix: 16)
  }
}
