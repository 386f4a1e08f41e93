package import CatalogDomain
import Foundation

/// The options that make a freshness policy, the same in every command that takes one.
package enum PolicyOptions {
  package static let file = Option(
    file: "policy", value: "file", help: "Read the whole policy from a JSON file; see 'policy check'.")
  package static let lifetime = SharedOptions.duration(
    "lifetime", help: "How long a catalog is fresh if the server doesn't say (standard: 10m).")
  package static let staleWhileRevalidate = SharedOptions.duration(
    "swr", help: "How long past that it is served while it is refreshed behind (standard: 24h).")
  package static let staleIfError = SharedOptions.duration(
    "sie", help: "How long past that it is served if the remote is out of order (standard: 7d).")
  package static let ignoreServerLifetimes = Flag(
    "ignore-server-lifetimes", help: "Ignore the lifetimes that the server gives.")
  package static let relaxedOffline = Flag(
    "relaxed-offline", help: "Serve stale although the server says must-revalidate or no-cache.")

  /// All of them, for a command's table.
  package static let all = [
    file.spec, lifetime.spec, staleWhileRevalidate.spec, staleIfError.spec, ignoreServerLifetimes.spec,
    relaxedOffline.spec,
  ]

  /// A file is the whole policy, so no other option goes with it.
  package static let exclusive = all.dropFirst().map { [file.spec, $0] }

  /// Whether the command line says anything about the policy.
  package static func areGiven(in call: CommandCall) -> Bool {
    all.contains { call.has($0) }
  }

  /// What the commands that show a stored catalog say about its policy.
  package static let discussion =
    "The policy is the one stored with the catalog, else the standard one; a policy option changes what it "
    + "names for this once, and --policy replaces the whole."

  /// Returns what the command line makes of a policy, or nil if it doesn't say.
  ///
  /// A file is the whole policy; other options change what they name and leave the rest. So start from the
  /// policy stored with the catalog, or from the standard one if there is none.
  package static func change(
    of call: CommandCall, console: any Console
  ) throws(CommandFailure) -> ((FreshnessPolicy) -> FreshnessPolicy)? {
    guard areGiven(in: call) else { return nil }
    if let path = call[file] {
      let policy = try PolicyFile.read(path, console: console)
      return { _ in policy }
    }
    return { stored in
      var policy = stored
      if let lifetime = call[lifetime] { policy.lifetime = lifetime }
      if let window = call[staleWhileRevalidate] { policy.staleWhileRevalidate = window }
      if let window = call[staleIfError] { policy.staleIfError = window }
      if call.has(ignoreServerLifetimes) { policy.serverLifetimes = .ignored }
      if call.has(relaxedOffline) { policy.serverProhibitions = .relaxedOffline }
      return policy
    }
  }
}

/// A policy in a file, as an app may ship it.
package enum PolicyFile {
  private static let limit = 1 << 20

  /// Reads and checks a policy.
  ///
  /// - Throws: ``CommandFailure`` that names the key and says what to do.
  package static func read(
    _ path: String, console: any Console
  ) throws(CommandFailure) -> FreshnessPolicy {
    let bytes = try InputFile.read(path, as: "policy", limit: limit, console: console)
    let place = path == "-" ? "from standard input" : "in '\(Wording.excerpt(path))'"
    do {
      let policy = try JSONDecoder().decode(FreshnessPolicy.self, from: Data(bytes))
      try policy.validate()
      return policy
    } catch let error as DecodingError {
      throw .failed(.badData, "The policy \(place) is invalid. \(explanation(of: error))")
    } catch let error as CatalogError {
      throw .failed(.badData, "The policy \(place) is invalid. \(error.message)")
    } catch {
      throw .failed(.badData, "The policy \(place) can't be read. Give a JSON object, such as \(example).")
    }
  }

  private static let example = #"{"lifetime": "10m", "staleIfError": "7d"}"#

  private static func explanation(of error: DecodingError) -> String {
    switch error {
    case .dataCorrupted(let context):
      guard let key = key(context) else {
        return "It isn't JSON. Give an object, such as \(example)."
      }
      // An enumeration's own words would name a Swift type.
      let reason =
        context.codingPath.last?.stringValue == "serverProhibitions"
        ? "it is neither word. \(form(of: context.codingPath))"
        : Wording.excerpt(context.debugDescription, limit: 300)
      return "At \(key): \(reason)\(meant(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      guard let key = key(context) else { return "It isn't an object. Give one, such as \(example)." }
      return "At \(key): it has a value of the wrong kind. \(form(of: context.codingPath))"
    case .keyNotFound(let missing, let context):
      let path = context.codingPath + [missing]
      return "At \(key(path)): it is missing. \(form(of: path))"
    @unknown default:
      return "Give an object, such as \(example)."
    }
  }

  private static func key(_ context: DecodingError.Context) -> String? {
    context.codingPath.isEmpty ? nil : key(context.codingPath)
  }

  private static func key(_ path: [any CodingKey]) -> String {
    "'" + path.map { Wording.excerpt($0.stringValue) }.joined(separator: ".") + "'"
  }

  /// What a key's value should look like.
  private static func form(of path: [any CodingKey]) -> String {
    switch path.first?.stringValue {
    case "serverLifetimes": #"Give "ignored" or {"within": ["0s", "7d"]}."#
    case "serverProhibitions": #"Give "obeyed" or "relaxedOffline"."#
    default: #"Give a duration as text, such as "10m"."#
    }
  }

  private static let keys = [
    "lifetime", "staleWhileRevalidate", "staleIfError", "serverLifetimes", "serverProhibitions",
    "futureTolerance",
  ]

  private static func meant(_ context: DecodingError.Context) -> String {
    guard let last = context.codingPath.last, !keys.contains(last.stringValue),
      let near = Suggestion.nearest(to: last.stringValue, among: keys)
    else { return "" }
    return " Did you mean '\(near)'?"
  }
}
