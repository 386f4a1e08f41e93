public import CatalogDomain
public import CatalogRepository
public import Foundation

/// Where a cache keeps its file, which is called `catalog.sqlite` unless it is named.
///
/// A location is only a description: folders are looked for when a cache is opened, and made, for their owner
/// alone, only if it is opened for writing.
public struct CacheLocation: Hashable, Sendable {
  private enum Place: Hashable, Sendable {
    case caches(application: String)
    case appGroup(String)
    case file(URL)
  }

  private let place: Place

  /// The user's folder for caches, which the system may empty when it needs room; it isn't backed up.
  ///
  /// - Parameter application: What tells this application's caches from another's in the same folder; by
  ///   default its bundle identifier, or else the name of its process.
  public static func caches(application: String? = nil) -> CacheLocation {
    let name = application ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return CacheLocation(place: .caches(application: name))
  }

  /// The caches of an app group, which an app shares with its extensions; Apple's systems only.
  public static func appGroup(_ identifier: String) -> CacheLocation {
    CacheLocation(place: .appGroup(identifier))
  }

  /// A file of a name and in a place that the caller chooses.
  public static func file(_ url: URL) -> CacheLocation {
    CacheLocation(place: .file(url))
  }

  /// Returns the file's path.
  ///
  /// - Throws: ``CatalogError`` with code ``CatalogError/Code/cannotCreate`` if there is no such place here.
  public func path() throws(CatalogError) -> String {
    try url().path
  }

  private static let fileName = "catalog.sqlite"
  private static let folderName = "OfflineCatalog"

  private func url() throws(CatalogError) -> URL {
    switch place {
    case .caches(let application):
      // One name is one folder: what is in it can't lead anywhere else.
      guard !application.isEmpty, ![".", ".."].contains(application), !application.contains("/") else {
        throw CatalogError(
          .cannotCreate, "A folder for caches can't be named after the application; give it a plain name.")
      }
      return try userCaches()
        .appending(path: application, directoryHint: .isDirectory)
        .appending(path: Self.folderName, directoryHint: .isDirectory)
        .appending(path: Self.fileName, directoryHint: .notDirectory)
    case .appGroup(let identifier):
      return try container(of: identifier)
        .appending(path: "Library/Caches/\(Self.folderName)/\(Self.fileName)", directoryHint: .notDirectory)
    case .file(let url):
      guard url.isFileURL else {
        throw CatalogError(
          .cannotCreate,
          "A cache is a file on this machine; give a file URL, not one of '\(url.scheme ?? "")'.")
      }
      return url
    }
  }

  private func userCaches() throws(CatalogError) -> URL {
    guard let folder = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first else {
      throw CatalogError(
        .cannotCreate, "This system has no folder for the user's caches; choose a file with .file(_:).")
    }
    return folder
  }

  private func container(of group: String) throws(CatalogError) -> URL {
    #if os(Linux) || os(Windows) || os(Android)
      throw CatalogError(
        .cannotCreate, "This system has no app groups; use .caches(), or choose a file with .file(_:).")
    #else
      guard let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
        throw CatalogError(
          .cannotCreate,
          "The app has no container for this app group; add the group to its entitlements, or use .caches().")
      }
      return url
    #endif
  }

  /// Makes the file's folder, and those above it, for their owner alone; what is there stays as it is.
  func makeFolder() throws(CatalogError) {
    let folder = try url().deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CatalogError(
        Self.code(of: error),
        "Unable to make the folder '\(folder.path)' for the catalog cache; "
          + "see that a folder can be made there, or choose another place.",
        cause: error)
    }
  }

  private static func code(of error: any Error) -> CatalogError.Code {
    switch (error as? CocoaError)?.code {
    case .fileWriteNoPermission, .fileReadNoPermission, .fileWriteVolumeReadOnly: .permission
    case .fileWriteOutOfSpace: .diskFull
    default: .cannotCreate
    }
  }
}

extension CatalogCache {
  /// Opens the cache of a location, or makes it.
  ///
  /// - Parameters:
  ///   - location: Where its file is. A folder that isn't there is made, unless the cache is only read.
  ///   - configuration: How it is opened.
  /// - Throws: ``CatalogError``, as ``init(path:configuration:)`` does.
  public convenience init(
    at location: CacheLocation, configuration: Configuration = .init()
  ) throws(CatalogError) {
    if configuration.access == .readWrite { try location.makeFolder() }
    try self.init(path: location.path(), configuration: configuration)
  }
}
