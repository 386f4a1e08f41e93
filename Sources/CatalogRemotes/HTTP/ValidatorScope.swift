import CatalogDocuments
import CatalogDomain
import Foundation

/// What the validators of an answer are about: the address, the reader's languages, and how it is read.
///
/// "Has it changed?" makes sense only to whoever is asked about the same thing. An entity tag may be as short
/// as "1", and a date says nothing of an older file elsewhere.
enum ValidatorScope {
  /// Returns a digest: the address may hold a secret, and isn't kept.
  static func of(
    _ url: URL, by adapter: String, languages: [String], limits: DocumentLimits
  ) -> String {
    let reading = [
      PlainCatalogReader.revision, OPDSFeed.revision, limits.nesting, limits.itemBytes, limits.titleBytes,
      limits.identifierBytes, limits.authorBytes, limits.languageBytes, limits.authors,
    ]
    let text = ([adapter, url.absoluteString, "\(reading)"] + languages).joined(separator: "\n")
    // FNV-1a, 64 bits: the same in every process, which Swift's own hashes aren't.
    let digest = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return "\(adapter)-" + String(digest, radix: 16)
  }
}
