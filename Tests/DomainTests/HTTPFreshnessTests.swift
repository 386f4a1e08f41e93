import CatalogDomain
import Testing

/// An answer's header fields, and what has to come of them.
struct HeaderCase: CustomTestStringConvertible, Sendable {
  /// When the answer came: Sun, 06 Nov 1994 08:49:37 GMT.
  static let receivedAt = Timestamp(millisecondsSinceEpoch: 784_111_777_000)
  static let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\n"

  var section: String
  var head: String
  var lifetime: Int?
  var age: Int
  var initialAge: Int
  var decision: DecisionKind
  var delay: Int
  var wait: Int
  var heuristic: HTTPFreshness.Heuristic

  /// - Parameters:
  ///   - section: The section of the RFC that the case is about.
  ///   - head: The field lines.
  ///   - life: The lifetime in seconds; nil if the server said nothing, so that the policy's 600 s hold.
  ///   - age: The age in seconds at the moment asked for.
  ///   - initial: The age when it was asked for.
  ///   - is: What the standard policy decides.
  ///   - delay: How long the answer took.
  ///   - wait: How long after its receipt the age is asked for.
  init(
    _ section: String, _ head: String, life: Int?, age: Int = 0, initial: Int = 0,
    is decision: DecisionKind = .fresh, delay: Int = 0, wait: Int = 0,
    heuristic: HTTPFreshness.Heuristic = .off
  ) {
    self.section = section
    self.head = head
    lifetime = life
    self.age = age
    initialAge = initial
    self.decision = decision
    self.delay = delay
    self.wait = wait
    self.heuristic = heuristic
  }

  /// A case about one `Cache-Control`, in an answer that is dated now.
  static func control(
    _ section: String, _ value: String, life: Int?, is decision: DecisionKind = .fresh, wait: Int = 0
  ) -> HeaderCase {
    HeaderCase(
      section, date + "Cache-Control: " + value, life: life, age: wait, is: decision, wait: wait)
  }

  var testDescription: String { "\(section): \(head.replacing("\n", with: " | "))" }

  static let noStore = DecisionKind.forbidden(.forbiddenByNoStore)
  static let noCache = DecisionKind.forbidden(.forbiddenByNoCache)
  static let mustRevalidate = DecisionKind.forbidden(.forbiddenByMustRevalidate)
}

extension DecisionKind {
  static let noStore = HeaderCase.noStore
  static let noCache = HeaderCase.noCache
  static let mustRevalidate = HeaderCase.mustRevalidate
}

@Suite(.timeLimit(.minutes(1)))
struct HTTPFreshnessTests {
  static let cases =
    HeaderCase.lifetimes + HeaderCase.directives + HeaderCase.dates + HeaderCase.ages + HeaderCase.windows

  @Test func `there are at least 150 header cases, and each names its section`() {
    #expect(Self.cases.count >= 150, "\(Self.cases.count)")
    #expect(Set(Self.cases.map(\.testDescription)).count >= 150)
    for row in Self.cases {
      #expect(row.section.contains(#/^(9111|9110|5861|8246) §\d/#))
    }
  }

  @Test(arguments: cases)
  func `header fields give the lifetime, the age and the decision of the RFC`(row: HeaderCase) {
    let requestedAt = HeaderCase.receivedAt + .seconds(-row.delay)
    let now = HeaderCase.receivedAt + .seconds(row.wait)
    let freshness = HTTPFreshness(
      HTTPField.fields(ofHead: row.head), requestedAt: requestedAt, receivedAt: HeaderCase.receivedAt,
      heuristic: row.heuristic)
    #expect(freshness.directives.lifetime == row.lifetime.map { .seconds($0) })
    #expect(freshness.age(at: now) == .seconds(row.age))
    #expect(freshness.initialAge == .seconds(row.initialAge))
    let sent = ClockReading(wall: requestedAt, continuous: .seconds(100), boot: "boot-1")
    let asked = ClockReading(wall: now, continuous: .seconds(100 + row.delay + row.wait), boot: "boot-1")
    let decision = FreshnessPolicy.standard.decide(
      stamp: CatalogStamp(
        validatedAt: sent, initialAge: freshness.initialAge, directives: freshness.directives),
      now: asked)
    #expect(DecisionKind(decision) == row.decision)
    #expect(
      decision.age == .seconds(row.age), "The stamp counts from the request, and comes to the same age.")
  }

  @Test(arguments: cases)
  func `the terms of the explanation add up`(row: HeaderCase) throws {
    let now = HeaderCase.receivedAt + .seconds(row.wait)
    let freshness = HTTPFreshness(
      HTTPField.fields(ofHead: row.head), requestedAt: HeaderCase.receivedAt + .seconds(-row.delay),
      receivedAt: HeaderCase.receivedAt, heuristic: row.heuristic)
    let terms = Dictionary(freshness.terms(at: now).map { ($0.name, $0.value) }) { first, _ in first }
    func span(_ name: String) throws -> Duration {
      guard case .span(let span)? = terms[name] else { throw NoSpan() }
      return span
    }
    struct NoSpan: Error {}
    #expect(try span("corrected_age_value") == span("age_value") + span("response_delay"))
    #expect(
      try span("corrected_initial_age") == max(span("apparent_age"), span("corrected_age_value")))
    #expect(try span("initial_age") == span("corrected_initial_age") - span("response_delay"))
    #expect(try span("current_age") == span("corrected_initial_age") + span("resident_time"))
    #expect(try span("current_age") == .seconds(row.age))
    let lifetime = row.lifetime.map { Duration.seconds($0) }
    #expect(terms["freshness_lifetime"] == lifetime.map { .span($0) } ?? .unsaid)
    #expect(
      terms["response_is_fresh"] == lifetime.map { .truth($0 > .seconds(row.age)) } ?? .unsaid)
    #expect(freshness.terms(at: now).allSatisfy { !$0.reason.isEmpty && $0.section.hasPrefix("RFC ") })
  }
}
