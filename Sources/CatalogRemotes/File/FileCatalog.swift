public import CatalogDocuments
public import CatalogDomain
public import Foundation

/// A catalog in a file, in the plain form: a JSON array of books, or one JSON object a line.
///
/// The file is read in pieces, so its size costs no memory. A file that hasn't changed since the last answer
/// isn't read again: its entity tag is made of its size, its times of modification and of change, and what
/// tells it from other files. A file that changes while it is read is an error, and so is one that is missing,
/// empty or cut off: none of them is an empty catalog. A pipe can be read too, each time anew.
public struct FileCatalog: CatalogFetching {
  private enum Source {
    case file(URL)
    case standardInput
  }

  private static let bytesPerRead = 64 << 10

  private let source: Source
  private let limits: DocumentLimits
  private let now: @Sendable () -> Date

  /// Creates a catalog that is read from the file at a URL.
  ///
  /// - Parameters:
  ///   - url: A file URL; another kind of URL fails when it is fetched.
  ///   - limits: How much is taken.
  public init(_ url: URL, limits: DocumentLimits = .init()) {
    self.init(url, limits: limits, now: { Date() })
  }

  /// Creates a catalog that is read from the file at a path.
  ///
  /// - Parameters:
  ///   - path: The path; if it is relative, it is taken from the current folder of this moment.
  ///   - limits: How much is taken.
  public init(path: String, limits: DocumentLimits = .init()) {
    self.init(URL(fileURLWithPath: path), limits: limits)
  }

  /// Creates a catalog that is read from standard input, once, to its end.
  public static func standardInput(limits: DocumentLimits = .init()) -> FileCatalog {
    FileCatalog(.standardInput, limits: limits, now: { Date() })
  }

  package init(_ url: URL, limits: DocumentLimits, now: @escaping @Sendable () -> Date) {
    self.init(.file(url), limits: limits, now: now)
  }

  private init(_ source: Source, limits: DocumentLimits, now: @escaping @Sendable () -> Date) {
    self.source = source
    self.limits = limits
    self.now = now
  }

  /// Reads the file into a sink, or finds that it is as it was.
  ///
  /// - Throws: ``CatalogError`` with code `notFound`, `permission`, `ioError`, `tooLarge`, `cancelled`, or
  ///   `badResponse` if it is no catalog or changed meanwhile; or the sink's own error, unchanged.
  @concurrent public func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    guard !Task.isCancelled else { throw CatalogError(.cancelled, "Reading the catalog was cancelled.") }
    switch source {
    case .standardInput:
      return try await fetch(
        stream: ByteStream(.standardInput, name: "Standard input"), name: "Standard input", into: sink)
    case .file(let url):
      guard url.isFileURL else {
        throw CatalogError(
          .notFound,
          "A URL with the scheme '\(url.scheme ?? "")' names no file; a file's URL begins with 'file:'.")
      }
      guard let facts = try FileFacts(of: url) else {
        let name = "'\(url.path)'"
        let stream = ByteStream(try await ByteStream.open(url, name: name), name: name)
        return try await fetch(stream: stream, name: name, into: sink)
      }
      return try await fetch(url, facts, request, into: sink)
    }
  }

  private func fetch(
    _ url: URL, _ facts: FileFacts, _ request: FetchRequest, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    let name = "'\(url.path)'"
    let head = FetchHead(validators: facts.validators(limits: limits, now: now()))
    if let held = request.validators?.entityTag, held == head.validators?.entityTag {
      return .notModified(head)
    }
    guard facts.sizeInBytes <= limits.bytes else {
      throw CatalogError(
        .tooLarge,
        "\(name) has \(facts.sizeInBytes) bytes, and at most \(limits.bytes) are taken. Nothing was read; "
          + "raise the limit if that is right.")
    }
    let handle = try FileFacts.translating(url) { try FileHandle(forReadingFrom: url) }
    try await sink.begin(head)
    var delivery = PlainCatalogDelivery(of: name, limits: limits, to: sink)
    do throws(CatalogError) {
      while let chunk = try FileFacts.translating(url, { try handle.read(upToCount: Self.bytesPerRead) }),
        !chunk.isEmpty
      {
        try await delivery.feed([UInt8](chunk))
      }
      let conclusion = try await delivery.finish()
      guard try FileFacts(of: url) == facts else { throw Self.changed(name) }
      return conclusion
    } catch {
      // Half of the old text and half of the new is no catalog at all; the better reason is that it changed.
      if error.code == .badResponse, try FileFacts(of: url) != facts { throw Self.changed(name) }
      throw error
    }
  }

  private func fetch(
    stream: ByteStream, name: String, into sink: any FetchSink
  ) async throws(CatalogError) -> FetchConclusion {
    defer { stream.close() }
    try await sink.begin(FetchHead())
    var delivery = PlainCatalogDelivery(of: name, limits: limits, to: sink)
    while let chunk = try await stream.next(atMost: Self.bytesPerRead) { try await delivery.feed(chunk) }
    return try await delivery.finish()
  }

  private static func changed(_ name: String) -> CatalogError {
    CatalogError(.badResponse, "\(name) changed while it was read. Nothing of it was taken; try again.")
  }
}
