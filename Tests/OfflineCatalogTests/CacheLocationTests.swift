import Foundation
import OfflineCatalog
import Testing

@Suite(.timeLimit(.minutes(5)))
final class CacheLocationTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "location-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)  // What is left is in the temporary folder.
  }

  private func permissions(_ url: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
  }

  private func errorCode(_ body: () throws(CatalogError) -> Void) -> CatalogError.Code? {
    do {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `opening for writing makes the folders, for their owner alone, and the file in them`() throws {
    let file = folder.appending(path: "one/two/books.sqlite")
    let cache = try CatalogCache(at: .file(file))
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(try permissions(folder.appending(path: "one")) == 0o700)
    #expect(try permissions(folder.appending(path: "one/two")) == 0o700)
    #expect(try permissions(file) == 0o600)
    try cache.close()
  }

  @Test func `a folder that is there keeps its permissions`() throws {
    let cache = try CatalogCache(at: .file(folder.appending(path: "books.sqlite")))
    #expect(try permissions(folder) == 0o755)
    try cache.close()
  }

  @Test func `opening for reading makes nothing`() throws {
    let file = folder.appending(path: "none/books.sqlite")
    let code = errorCode { () throws(CatalogError) in
      _ = try CatalogCache(at: .file(file), configuration: .init(access: .readOnly))
    }
    #expect(code == .noSuchDatabase)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `asking for a path makes nothing`() throws {
    let file = folder.appending(path: "none/books.sqlite")
    #expect(try CacheLocation.file(file).path() == file.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a file where a folder should be is an error that names the folder`() throws {
    let blocked = folder.appending(path: "file")
    try Data("x".utf8).write(to: blocked)
    do throws(CatalogError) {
      _ = try CatalogCache(at: .file(blocked.appending(path: "books.sqlite")))
      Issue.record("A cache was opened below a file.")
    } catch {
      #expect(error.code == .cannotCreate)
      #expect(error.message.contains(blocked.path))
    }
    #expect(try Data(contentsOf: blocked) == Data("x".utf8))
  }

  @Test func `caches are in the user's folder for them, each application's apart`() throws {
    let caches = try #require(
      FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first)
    let path = try CacheLocation.caches(application: "org.example.reader").path()
    #expect(path == caches.appending(path: "org.example.reader/OfflineCatalog/catalog.sqlite").path)
    #expect(try CacheLocation.caches().path().hasSuffix("/OfflineCatalog/catalog.sqlite"))
    #expect(CacheLocation.caches(application: "a") != .caches(application: "b"))
  }

  @Test(arguments: ["", ".", "..", "../elsewhere", "a/b", "/etc"])
  func `an application's name is one folder and leads nowhere else`(name: String) {
    #expect(
      errorCode { () throws(CatalogError) in _ = try CacheLocation.caches(application: name).path() }
        == .cannotCreate)
  }

  @Test func `a location that isn't a file on this machine is refused`() throws {
    let url = try #require(URL(string: "https://example.org/books.sqlite?token=secret"))
    do throws(CatalogError) {
      _ = try CatalogCache(at: .file(url))
      Issue.record("A cache was opened at an address.")
    } catch {
      #expect(error.code == .cannotCreate)
      #expect(!error.description.contains("secret"))
    }
  }

  #if os(Linux)
    @Test func `where there are no app groups the error says what to use instead`() {
      do throws(CatalogError) {
        _ = try CatalogCache(at: .appGroup("group.org.example"))
        Issue.record("A cache was opened in a group that can't be.")
      } catch {
        #expect(error.code == .cannotCreate)
        #expect(error.message.contains(".caches()"))
      }
    }
  #endif
}
