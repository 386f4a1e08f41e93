import CatalogDomain
import CatalogTesting

/// The implementations of `CatalogReading` that the boundary's suite runs over.
///
/// A new implementation is a new line here; the suite and the contract stay as they are.
enum BoundarySources {
  static let available: [CatalogReadingSource] = [
    CatalogReadingSource("FixtureCatalog") { books, body in
      try body(FixtureCatalog(values: books))
    }
  ]

  static let unavailable: [CatalogReadingSource] = [
    CatalogReadingSource("UnavailableCatalog") { _, body in
      try body(UnavailableCatalog())
    }
  ]
}
