// An app imports this one module; it brings the words of the problem and the repository with it.
@_exported public import CatalogDomain
@_exported public import CatalogRepository
