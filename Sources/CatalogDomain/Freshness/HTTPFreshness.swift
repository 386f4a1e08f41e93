/// What the header fields of one answer say about its age, its lifetime and its use: RFC 9111, RFC 5861.
///
/// A pure value, made from the fields and two moments, for a cache that is private to one account. Nothing
/// here is an error: what is garbled counts as stale, or as not said, whichever the RFC asks for.
public struct HTTPFreshness: Hashable, Sendable {
  /// How a lifetime is guessed if the server gives none (RFC 9111 §4.2.2).
  public enum Heuristic: Hashable, Sendable {
    /// It isn't: the policy's own lifetime holds.
    case off
    /// A tenth of the time since the last modification, at most `cap`.
    case tenthOfAge(cap: Duration)
  }

  /// Where the lifetime comes from.
  public enum LifetimeSource: String, Hashable, Sendable {
    /// From `max-age` (RFC 9111 §5.2.2.1).
    case maxAge = "max-age"
    /// From `Expires`, counted from `Date` (RFC 9111 §5.3).
    case expires = "Expires"
    /// Guessed from `Last-Modified` (RFC 9111 §4.2.2).
    case heuristic
    /// What was said can't be read, which counts as stale (RFC 9111 §4.2.1).
    case garbled
    /// The server said nothing.
    case none
  }

  /// Lifetime, windows and prohibitions.
  public let directives: ServerFreshness
  /// How old the answer already was when it was asked for; ``FetchHead/initialAge``.
  ///
  /// RFC 9111 §4.2.3 counts from the moment of receipt: the age then is
  /// max(apparent age, `Age` + response delay). Here age is counted from the request, so that the delay is
  /// in what passes anyway, and is taken off: max(apparent age − response delay, `Age`), never below zero.
  public let initialAge: Duration
  /// What to ask "has it changed?" with, byte for byte; nil if there is nothing, or only what is garbled.
  public let validators: FetchValidators?
  /// Where the lifetime comes from.
  public let lifetimeSource: LifetimeSource
  /// The request's fields that the answer depends on, in small letters; `*` is in ``directives`` instead.
  ///
  /// What is kept belongs to one account, so `authorization` always matches; no cookies are sent.
  public let variesBy: [String]
  /// Whether the server says that the answer never changes during its lifetime (RFC 8246).
  public let isImmutable: Bool
  /// Whether there is a `Cache-Control` at all, which in a 304 replaces the one that is held (RFC 9111 §3.2).
  public let hasCacheControl: Bool
  /// Whether `Vary: *` says that the answer fits no other request (RFC 9111 §4.1), which counts as `no-cache`.
  public let variesByEverything: Bool

  /// When the request was sent.
  public let requestedAt: Timestamp
  /// When the answer's head came.
  public let receivedAt: Timestamp
  /// The answer's own `Date`; nil if there is none that can be read.
  public let date: Timestamp?
  /// The answer's `Age`; zero if there is none that can be read.
  public let ageValue: Duration

  /// Every `ETag` and `Last-Modified` as it was sent, garbled or not.
  private let entityTags: [String]
  private let modificationDates: [String]

  /// Reads an answer's fields.
  ///
  /// - Parameters:
  ///   - fields: The header fields, in order.
  ///   - requestedAt: When the request was sent.
  ///   - receivedAt: When the answer's head came.
  ///   - heuristic: How a lifetime is guessed if the server gives none.
  public init(
    _ fields: [HTTPField], requestedAt: Timestamp, receivedAt: Timestamp, heuristic: Heuristic = .off
  ) {
    self.requestedAt = requestedAt
    self.receivedAt = receivedAt
    date = fields.values(of: "Date").first.flatMap { HTTPDate.parseFirst($0, now: receivedAt) }
    ageValue = Self.age(fields)

    entityTags = fields.values(of: "ETag")
    modificationDates = fields.values(of: "Last-Modified")
    hasCacheControl = !fields.values(of: "Cache-Control").isEmpty
    let control = CacheControl(fields.values(of: "Cache-Control"))
    let lastModified = Self.lastModified(fields, now: receivedAt)
    let lifetime: Duration?
    (lifetime, lifetimeSource) = Self.lifetime(
      control, expires: fields.values(of: "Expires").first, lastModified: lastModified?.moment,
      date: date ?? receivedAt, now: receivedAt, heuristic)

    let varied = fields.values(of: "Vary").flatMap { $0.split(separator: ",") }
      .map { String(decoding: String($0).trimmingBlanks().utf8.map(\.lowercasedASCII), as: UTF8.self) }
      .filter { !$0.isEmpty }
    variesByEverything = varied.contains("*")
    variesBy = varied.filter { $0 != "*" }
    isImmutable = control.isImmutable
    directives = ServerFreshness(
      lifetime: lifetime, staleWhileRevalidate: control.staleWhileRevalidate.window,
      staleIfError: control.staleIfError.window, mustRevalidate: control.mustRevalidate,
      noCache: control.noCache || variesByEverything, noStore: control.noStore)
    validators = FetchValidators(entityTag: Self.entityTag(fields), lastModified: lastModified?.text)
    initialAge = max(
      ageValue, Self.apparentAge(date, receivedAt) - Self.delay(requestedAt, receivedAt))
  }

  /// How old the answer seemed to be when it came: zero if its `Date` is later than our clock.
  public var apparentAge: Duration { Self.apparentAge(date, receivedAt) }

  /// How long the answer took; zero if the clock was set back meanwhile.
  public var responseDelay: Duration { Self.delay(requestedAt, receivedAt) }

  /// How old the answer was when it came, by the larger of the two ways to reckon it.
  public var correctedInitialAge: Duration { max(apparentAge, ageValue + responseDelay) }

  /// How old the answer is at a moment (RFC 9111 §4.2.3); saturates.
  public func age(at now: Timestamp) -> Duration {
    correctedInitialAge.addingSaturating(max(.zero, now - receivedAt))
  }

  /// Whether a 304 with these fields can be about what was asked with `validators` (RFC 9111 §4.3.4).
  ///
  /// One that names another entity tag is about something else, and so is one that names another date where no
  /// tags can be compared. The comparison of tags is the weak one (RFC 9110 §8.8.3.2), because a server may make
  /// a strong tag weak on the way; a date is compared byte for byte. What isn't named isn't contradicted.
  public func confirms(_ asked: FetchValidators) -> Bool {
    if let sent = asked.entityTag, !entityTags.isEmpty {
      let opaque = Self.opaqueTag(sent)
      return entityTags.allSatisfy { Self.opaqueTag($0).utf8.elementsEqual(opaque.utf8) }
    }
    guard let sent = asked.lastModified else { return true }
    return modificationDates.allSatisfy { $0.utf8.elementsEqual(sent.utf8) }
  }
}

extension HTTPFreshness {
  private static func apparentAge(_ date: Timestamp?, _ receivedAt: Timestamp) -> Duration {
    // Without a date the moment of receipt stands for it (RFC 9110 §6.6.1).
    max(.zero, receivedAt - (date ?? receivedAt))
  }

  private static func delay(_ requestedAt: Timestamp, _ receivedAt: Timestamp) -> Duration {
    max(.zero, receivedAt - requestedAt)
  }

  /// `Age`: the first of a list counts, and what isn't delta-seconds is ignored (RFC 9111 §5.1).
  private static func age(_ fields: [HTTPField]) -> Duration {
    guard let line = fields.values(of: "Age").first,
      let first = line.split(separator: ",", omittingEmptySubsequences: false).first,
      let seconds = CacheControl.deltaSeconds(String(first).trimmingBlanks())
    else { return .zero }
    return .seconds(seconds)
  }

  private static func lifetime(
    _ control: CacheControl, expires: String?, lastModified: Timestamp?, date: Timestamp, now: Timestamp,
    _ heuristic: Heuristic
  ) -> (Duration?, LifetimeSource) {
    if control.isGarbled { return (.zero, .garbled) }
    switch control.maxAge {
    case .value(let seconds): return (.seconds(seconds), .maxAge)
    case .garbled: return (.zero, .garbled)
    case .absent: break
    }
    if let expires {
      // What can't be read, "0" above all, has passed already (§5.3).
      guard let end = HTTPDate.parseFirst(expires, now: now) else { return (.zero, .garbled) }
      return (min(max(.zero, end - date), .seconds(Int64(1) << 31)), .expires)
    }
    if case .tenthOfAge(let cap) = heuristic, let lastModified, lastModified < date {
      return (max(.zero, min(cap, (date - lastModified) / 10)), .heuristic)
    }
    return (nil, .none)
  }

  /// The entity tag byte for byte, if it is one, and the only one (RFC 9110 §8.8.3).
  ///
  /// A bare `*` or a list in it would match what it doesn't stand for when it is sent back.
  private static func entityTag(_ fields: [HTTPField]) -> String? {
    let tags = fields.values(of: "ETag")
    guard let tag = tags.first, tags.allSatisfy({ $0.utf8.elementsEqual(tag.utf8) }) else { return nil }
    let opaque = Array(opaqueTag(tag).utf8)
    guard tag.utf8.count <= 4096, opaque.count >= 2, opaque.first == 0x22, opaque.last == 0x22,
      opaque.dropFirst().dropLast().allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 })
    else { return nil }
    return tag
  }

  private static func opaqueTag(_ tag: String) -> String {
    tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
  }

  private static func lastModified(
    _ fields: [HTTPField], now: Timestamp
  ) -> (text: String, moment: Timestamp)? {
    guard let text = fields.values(of: "Last-Modified").first, let moment = HTTPDate.parse(text, now: now)
    else { return nil }
    return (text, moment)
  }
}

extension CacheControl.Seconds {
  /// A window after the lifetime: one that can't be read is none at all.
  fileprivate var window: Duration? {
    switch self {
    case .absent: nil
    case .value(let seconds): .seconds(seconds)
    case .garbled: .zero
    }
  }
}
