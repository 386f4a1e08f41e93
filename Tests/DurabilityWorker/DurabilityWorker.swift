import CatalogDomain
import CatalogRepository
import CatalogSQLite
import CatalogStore
import CatalogTesting
import Foundation

/// A process of its own that works on a cache as it is told, one step after another, until it is done or killed.
///
/// `DurabilityWorker PATH STEP…`; a step is `name:argument:…`. It says on standard output what it begins, what
/// is done and what failed, one line each, so that whoever reads it knows how far it came.
@main
struct DurabilityWorker {
  private let path: String
  private var configuration = CatalogCache.Configuration(clock: ManualWallClock())
  private var cache: CatalogCache?
  private var handles: [String: CachedCatalog] = [:]
  private let remote = WorkerRemote()

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else {
      print("usage: DurabilityWorker PATH STEP…")
      exit(64)
    }
    // A write beyond a limit is an error to be told about, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    var worker = DurabilityWorker(path: path)
    for step in arguments.dropFirst() { await worker.run(step) }
  }

  private init(path: String) {
    self.path = path
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private mutating func run(_ step: String) async {
    let words = step.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    Self.say("begin \(step)")
    do {
      if let answer = try await perform(words) { Self.say(answer) }
      Self.say("done \(step)")
    } catch let error as CatalogError {
      Self.say("failed \(step) \(error.code)")
      FileHandle.standardError.write(Data("\(error) \(error.cause.map { "\($0)" } ?? "")\n".utf8))
    } catch let error as CatalogFailure {
      Self.say("failed \(step) \(error)")
    } catch {
      Self.say("failed \(step) \(error)")
    }
  }

  private mutating func perform(_ words: [String]) async throws -> String? {
    switch (words[0], Array(words.dropFirst())) {
    case ("killafter", let arguments):
      try killAfter(microseconds: number(arguments, 0))
    case ("limit", let arguments):
      var limit = rlimit()
      limit.rlim_cur = rlim_t(try number(arguments, 0))
      limit.rlim_max = rlim_t.max
      // Unsafe because C takes a pointer; it is to a local value, which outlives the call.
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
        throw WorkerFailure(description: "setrlimit failed")
      }
    case ("readonly", _):
      configuration.access = .readOnly
    case ("rebuild", _):
      configuration.unreadable = .setAsideAndRebuild
    case ("open", _):
      cache = try CatalogCache(path: path, configuration: configuration)
    case ("close", _):
      try cache?.close()
      (cache, handles) = (nil, [:])
    case ("wait", _):
      _ = readLine()
    case ("die", _):
      kill(getpid(), SIGKILL)
    case ("stage", let arguments):
      try WorkerErasure(path: path).perform(arguments)
    default:
      return try await performOnCatalog(words)
    }
    return nil
  }

  private mutating func performOnCatalog(_ words: [String]) async throws -> String? {
    let arguments = Array(words.dropFirst())
    let account = try AccountID(validating: arguments.first ?? "")
    let cache = try opened()
    switch words[0] {
    case "refresh", "hold":
      remote.plan(
        version: try number(arguments, 1), books: try number(arguments, 2), isHeld: words[0] == "hold")
      return Self.text(try await handle(account).refresh(.forced))
    case "stale": _ = try await cache.markStale(.account(account))
    case "discard": _ = try await cache.discard(.account(account))
    case "forget":
      _ = try await cache.forget(account)
      handles[account.rawValue] = nil
    case "register":
      handles[account.rawValue] = nil
      _ = try handle(account)
    case "confirm":
      try await handle(account).confirm(.borrowed(id: try number(arguments, 1), until: nil))
    case "books":
      let books = try handle(account).books()
      return "books \(books.count) \(books.first?.title ?? "none")"
    case "entries":
      return "entries \(try handle(account).entries().count)"
    case "status":
      return "status \(try handle(account).status().presence)"
    case "inspect":
      return "inspect \(try cache.inspect().catalogs.count)"
    case "verify":
      return "verify \(try cache.verify(.full).problems)"
    default:
      throw WorkerFailure(description: "no such step")
    }
    return nil
  }

  private func opened() throws -> CatalogCache {
    guard let cache else { throw WorkerFailure(description: "not open") }
    return cache
  }

  private mutating func handle(_ account: AccountID) throws -> CachedCatalog {
    if let handle = handles[account.rawValue] { return handle }
    let made = try opened().catalog(for: account, remote: remote)
    handles[account.rawValue] = made
    return made
  }

  private static func text(_ outcome: RefreshOutcome) -> String {
    switch outcome {
    case .updated(let summary): "updated \(summary.total)"
    case .notModified: "notModified"
    case .notNeeded: "notNeeded"
    case .superseded: "superseded"
    case .notStored: "notStored"
    }
  }

  private func number(_ arguments: [String], _ place: Int) throws -> Int {
    guard arguments.indices.contains(place), let number = Int(arguments[place]) else {
      throw WorkerFailure(description: "a number is missing")
    }
    return number
  }

  /// Ends the process as a crash would, at a moment of the kernel's choosing.
  private func killAfter(microseconds: Int) {
    DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + .microseconds(microseconds)) {
      kill(getpid(), SIGKILL)
    }
  }
}

struct WorkerFailure: Error, CustomStringConvertible {
  let description: String
}
