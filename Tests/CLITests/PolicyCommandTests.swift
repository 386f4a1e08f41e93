import CatalogCLI
import CatalogDomain
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PolicyCommandTests {
  @Test(arguments: [
    ("explain-stale", "policy explain --age 2d --format table"),
    ("explain-fresh-json", "policy explain --age 9m --format json"),
    ("explain-forbidden", "policy explain --age 5m --max-age 0s --must-revalidate --format table"),
    (
      "explain-relaxed",
      "policy explain --age 5m --max-age 0s --must-revalidate --relaxed-offline --format table"
    ),
    ("explain-never-loaded", "policy explain --never-loaded --format table"),
    ("explain-future", "policy explain --validated-at +2h --format table"),
    ("simulate-standard", "policy simulate --format table"),
    ("simulate-json", "policy simulate --format json --lifetime 1h --swr 0s --sie 30d"),
    ("simulate-csv", "policy simulate --format csv"),
    ("simulate-ndjson", "policy simulate --marked-stale"),
    ("simulate-future", "policy simulate --validated-at +2h --format table"),
    ("simulate-no-store", "policy simulate --no-store --format table"),
    ("error-unit", "policy simulate --lifetime 10"),
    ("error-now", "policy explain --age 1m --now garbage"),
    ("error-missing-age", "policy explain --max-age 1m"),
    ("error-exclusive", "policy simulate --policy p.json --lifetime 10m"),
    ("error-no-file", "policy check no-such-file.json"),
  ])
  func `the output and the exit code are as recorded`(_ name: String, _ line: String) async throws {
    let session = await Session(line.split(separator: " ").map(String.init))
    try Golden.check("$ catalogctl \(line)\n\(session.transcript)", name)
  }

  @Test func `--now moves the moment, and nothing else`() async throws {
    let later = await Session(words("policy explain --validated-at 2026-11-01T12:00:00Z --now +10m"))
    #expect(later.output.contains("\"freshness\":\"stale\""))
    #expect(later.output.contains("\"ageSeconds\":600,"))
    let just = await Session(
      words("policy explain --validated-at 2026-11-01T12:00:00Z --now 2026-11-01T12:09:59.999Z"))
    #expect(just.output.contains("\"freshness\":\"fresh\""))
    #expect(just.output.contains("\"ageSeconds\":599.999,"))
  }

  @Test func `stale exits with 3 if that is asked for`() async {
    #expect(await Session(words("policy explain --age 1h")).code == .done)
    #expect(await Session(words("policy explain --age 1h --fail-if-stale")).code == .stale)
    #expect(await Session(words("policy explain --age 1m --fail-if-stale")).code == .done)
    #expect(await Session(words("policy explain --never-loaded --fail-if-stale")).code == .stale)
  }

  @Test func `--quiet leaves the remarks out`() async {
    #expect(await Session(words("policy simulate -q")).messages.isEmpty)
    #expect(await !Session(words("policy simulate")).messages.isEmpty)
  }

  @Test func `on a terminal the output is a table as wide as it`() async {
    let console = RecordingConsole()
    console.environment = [:]
    console.isOutputTerminal = true
    console.terminalWidth = 60
    let session = await Session(words("policy explain --age 2d"), console: console)
    #expect(session.output.hasPrefix("Now:  "))
    #expect(session.output.split(separator: "\n").allSatisfy { $0.count <= 60 })
  }

  @Test func `every step of a simulation is one that explain confirms`() async throws {
    let session = await Session(words("policy simulate --lifetime 1h --max-age 90m --swr 2h --sie 5h"))
    let rows = try session.output.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
    #expect(rows.compactMap { $0["ageSeconds"] as? Int } == [0, 5400, 12_600, 23_400])
    for row in rows {
      let age = try #require(row["ageSeconds"] as? Int)
      let explained = await Session(
        words("policy explain --age \(age)s --lifetime 1h --max-age 90m --swr 2h --sie 5h"))
      let rule = try #require(row["rule"] as? String)
      #expect(explained.output.contains("\"rule\":\"\(rule)\""))
      guard age > 0 else { continue }
      let before = await Session(
        words("policy explain --age \(age * 1000 - 1)ms --lifetime 1h --max-age 90m --swr 2h --sie 5h"))
      #expect(!before.output.contains("\"rule\":\"\(rule)\""), "\(age) s isn't a boundary")
    }
  }

  @Test func `a simulation ends, whatever the durations`() {
    let extremes: [Duration] = [.zero, .milliseconds(1), .milliseconds(Int64.max), .seconds(Int64.max)]
    for lifetime in extremes {
      for window in extremes {
        for start in [Int64.min, -1, 0, .max - 1, .max] {
          var policy = FreshnessPolicy()
          policy.lifetime = lifetime
          policy.staleIfError = window
          let moment = Timestamp(millisecondsSinceEpoch: start)
          let stamp = CatalogStamp(validatedAt: ClockReading(wall: moment, continuous: .zero, boot: nil))
          let steps = PolicyTimeline(policy: policy, stamp: stamp, from: moment).steps
          #expect((1...6).contains(steps.count))
        }
      }
    }
  }

  @Test func `a policy's file holds, whichever command reads it`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("policy.json", #"{"lifetime": "1h", "serverLifetimes": "ignored"}"#)
    let checked = await Session(["policy", "check", path])
    #expect(checked.code == .done)
    #expect(checked.output.contains(#""lifetime":"1h""#))
    #expect(checked.output.contains(#""serverLifetimes":"ignored""#))
    let explained = await Session(["policy", "explain", "--age", "59m", "--policy", path])
    #expect(explained.output.contains(#""freshness":"fresh""#))
    let same = await Session(words("policy explain --age 59m --lifetime 1h --ignore-server-lifetimes"))
    #expect(explained.output == same.output)
  }

  @Test(arguments: [
    "{}", #"{"serverLifetimes": "ignored", "serverProhibitions": "relaxedOffline"}"#,
    #"{"lifetime": "1500ms", "serverLifetimes": {"within": ["5m", "3d"]}, "futureTolerance": "0s"}"#,
  ])
  func `a policy that is printed is one that is read`(_ text: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("policy.json", text)
    let policy = try JSONDecoder().decode(FreshnessPolicy.self, from: Data(text.utf8))
    let printed = await Session(["policy", "check", path, "--format", "ndjson"]).output
    #expect(try JSONDecoder().decode(FreshnessPolicy.self, from: Data(printed.utf8)) == policy)
    let console = RecordingConsole()
    console.input = Array(printed.utf8)
    #expect(await Session(["policy", "check", "-"], console: console).output == printed)
    let document = await Session(["policy", "check", path, "--format", "json"]).output
    let parsed = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
    let row = try #require((parsed?["rows"] as? [Any])?.first)
    let bytes = try JSONSerialization.data(withJSONObject: row)
    #expect(try JSONDecoder().decode(FreshnessPolicy.self, from: bytes) == policy)
  }

  @Test func `a policy comes from standard input too`() async {
    let console = RecordingConsole()
    console.input = Array(#"{"lifetime": "2h"}"#.utf8)
    let session = await Session(["policy", "check", "-"], console: console)
    #expect(session.output.contains(#""lifetime":"2h""#))
  }

  @Test func `a valid policy that may not be meant is remarked on`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("p.json", #"{"lifetime": "0s", "staleIfError": "1h"}"#)
    let session = await Session(["policy", "check", path])
    #expect(session.code == .done)
    #expect(session.messages.contains("staleIfError is shorter"))
    #expect(session.messages.contains("never fresh"))
  }

  @Test(arguments: [
    ("", "It isn't JSON."), ("nope", "It isn't JSON."), ("[1]", "It isn't an object."),
    (#"{"lifetme": "10m"}"#, "Did you mean 'lifetime'?"),
    (#"{"lifetime": 10}"#, "At 'lifetime': it has a value"),
    (#"{"lifetime": "10"}"#, "At 'lifetime': '10' isn't a duration"),
    (#"{"serverProhibitions": "relaxed"}"#, #"At 'serverProhibitions': it is neither word. Give "obeyed""#),
    (#"{"serverLifetimes": {"within": ["7d", "0s"]}}"#, "At 'serverLifetimes.within': The bounds are two"),
    (#"{"serverLifetimes": {"withn": []}}"#, #"Give "ignored" or {"within""#),
    ("{\"lifetime\": \"\\u001b[31m\"}", "␛[31m"), ("\u{FEFF}{", "It isn't JSON."),
  ])
  func `a policy's file that is wrong is refused, and it is said where`(
    _ content: String, _ expected: String
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("p.json", content)
    for command in [["policy", "check", path], ["policy", "simulate", "--policy", path]] {
      let session = await Session(command)
      #expect(session.code == .badData)
      #expect(session.output.isEmpty)
      #expect(session.messages.contains(expected), "\(session.messages)")
      #expect(session.messages.hasPrefix("Error: The policy in '"))
      #expect(session.messages.split(separator: "\n").count == 1)
    }
  }

  @Test func `a file that can't be a policy is refused before it is read whole`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("big.json", String(repeating: " ", count: 1 << 20) + "{}")
    #expect(await Session(["policy", "check", path]).code == .badData)
    let isFolder = await Session(["policy", "check", folder.url.path])
    #expect(isFolder.code == .noSuchFile)
    #expect(isFolder.messages.contains("is a folder"))
  }

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
}
