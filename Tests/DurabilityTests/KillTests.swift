import CatalogDomain
import CatalogRepository
import CatalogTesting
import Foundation
import Testing

/// A process that is killed at any moment leaves all of the old or all of the new, and nothing undone.
@Suite(.timeLimit(.minutes(30)), .serialized)
struct KillTests {
  private static let accounts = ["ada", "ben", "cyd"]

  @Test func `kill -9 at any moment leaves each catalog of one piece, and no sign-out undone`() async throws {
    var generator = Campaign.generator("kill")
    let rounds = Campaign.rounds(15, long: 200)
    var interrupted: [String: Int] = [:]
    var workspace = try Workspace()
    var version = 0
    // How long a whole run takes here and now; the moment is drawn from that.
    var span = 400_000
    for round in 0..<rounds {
      if round.isMultiple(of: 5) { workspace = try Workspace() }
      var steps = ["killafter:\(generator.number(0...span))", "open"]
      for _ in 0..<generator.number(4...10) {
        version += 1
        steps.append(step(&generator, version))
      }
      steps.append("close")
      let began = ContinuousClock.now
      let said = try Worker(workspace.path, steps).finish()
      if said.last == "done close" {
        span = max(20_000, Int((ContinuousClock.now - began) / .microseconds(1)))
        interrupted["nothing", default: 0] += 1
      } else {
        let last = said.last { $0.hasPrefix("begin") } ?? "begin start"
        let isBetween = said.last?.hasPrefix("begin") != true
        let name = last.dropFirst(6).split(separator: ":").first.map(String.init) ?? ""
        interrupted[isBetween ? "between steps" : name, default: 0] += 1
      }
      try check(workspace, said, "round \(round), seed \(generator.seed), \(steps)")
    }
    print("kill: \(rounds) reopened, killed in \(interrupted.sorted { $0.key < $1.key })")
    #expect(interrupted["nothing", default: 0] < rounds * 2 / 3, "Too few were killed to mean anything.")
  }

  private func step(_ generator: inout SeededGenerator, _ version: Int) -> String {
    let account = generator.pick(Self.accounts)
    return switch generator.number(0...11) {
    case 0: "stale:\(account)"
    case 1: "discard:\(account)"
    case 2, 3: "forget:\(account)"
    case 4: "confirm:\(account):\(2 * generator.number(0...40))"
    case 5: "register:\(account)"
    default: "refresh:\(account):\(version):\(generator.number(0...600))"
    }
  }

  /// What the worker said of an account: what is certain, and what it was killed in the middle of.
  private struct Knowledge {
    /// The version that is held for certain, and how many books it has; nil if nothing is known to be held.
    var held: (version: String, books: Int)?
    var maybe: [(version: String, books: Int)] = []
    var mayBeGone = false
    var isGone = false
    var isKnown = false
  }

  private func knowledge(of account: String, _ said: [String]) -> Knowledge {
    var known = Knowledge()
    for line in said {
      let words = line.split(whereSeparator: { $0 == " " || $0 == ":" }).map(String.init)
      guard words.count >= 3, words[2] == account else { continue }
      let isDone = words[0] == "done"
      switch words[1] {
      case "refresh":
        guard let books = Int(words[4]) else { continue }
        if isDone {
          known = Knowledge(held: (words[3], books), isKnown: true)
        } else if words[0] == "begin" {
          known.maybe.append((words[3], books))
        }
      case "discard", "forget":
        if isDone {
          known = Knowledge(isGone: true, isKnown: true)
        } else {
          known.mayBeGone = true
        }
      default: continue
      }
    }
    return known
  }

  private func check(_ workspace: Workspace, _ said: [String], _ label: String) throws {
    let cache = try workspace.open()
    #expect(try cache.verify(.full).problems.isEmpty, "\(label)")
    #expect(try !cache.inspect().isScrubPending, "\(label)")
    let registered = try cache.inspect().catalogs.map(\.account.rawValue)
    for account in Self.accounts {
      if !registered.contains(account) {
        // Not "ada-": a digest is two hexadecimal numbers with that between them, once in a while.
        for text in ["\(account) author", "urn:\(account):"] {
          #expect(try workspace.filesHolding(text).isEmpty, "\(account), \(label)")
        }
      }
      let books: [BookSummary]?
      do {
        books = try cache.catalog(for: AccountID(validating: account), remote: remote([])).books()
      } catch is CatalogFailure {
        books = nil
      }
      let versions = Set(
        (books ?? []).map { $0.title.split(separator: "-").dropLast().joined(separator: "-") })
      #expect(versions.count <= 1, "mixed: \(versions), \(label)")
      let version = versions.first.map { String($0.split(separator: "-")[1]) }
      let known = knowledge(of: account, said)
      guard known.isKnown else { continue }
      var allowed = known.maybe
      if let held = known.held { allowed.append(held) }
      if let books {
        #expect(
          allowed.contains { $0.books == books.count && (version == nil || $0.version == version) },
          "\(account) has version \(version ?? "none") of \(books.count) books, not of \(allowed), \(label)")
      } else {
        #expect(known.isGone || known.mayBeGone, "\(account) lost what was done, \(label)")
      }
    }
    try cache.close()
  }
}
