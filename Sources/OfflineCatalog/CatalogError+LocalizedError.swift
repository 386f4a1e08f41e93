public import CatalogDomain
public import Foundation

extension CatalogError: LocalizedError {
  /// What happened, where, and what to do about it, in English; an app that translates goes by the code.
  public var errorDescription: String? { message }
}

extension CatalogFailure: LocalizedError {
  /// What an app may show where it has no books to show.
  public var errorDescription: String? {
    switch self {
    case .unavailable: "The catalog isn't available; the catalog's status says why."
    }
  }
}
