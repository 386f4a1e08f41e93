package import CatalogDomain

/// One value of an output, which each format writes in its own way.
package enum Cell: Hashable, Sendable {
  /// Nothing is known, or there is nothing.
  case none
  /// A text: from outside or ours, every table makes it safe.
  case text(String)
  /// One of a few words that machines compare, and what people read instead.
  case term(String, shown: String)
  /// A text, and the lines that tables show for it, one below the other.
  case lines(String, shown: [String])
  /// Whether something holds, and what people read if it does; else they read nothing.
  case mark(Bool, shown: String)
  /// Facts that belong together, and what people read instead.
  case object([Output.Fact], shown: String)
  /// Several things with facts of their own; people read how many.
  case objects([[Output.Fact]])
  /// Several texts.
  case list([String])
  case number(Int)
  case bool(Bool)
  /// A moment.
  case time(Timestamp)
  /// A moment, with how far it is from another for people: `2026-11-01T12:00:00Z (3 min ago)`.
  case timeBeside(Timestamp, now: Timestamp)
  /// A span that passes, such as an age: people read it roughly, machines in seconds.
  case age(Duration)
  /// The same, which people read to the millisecond.
  case exactAge(Duration)
  /// A span somebody chose, such as a lifetime: `10m`.
  case duration(Duration)

  package static func text(_ text: String?) -> Cell { text.map(Cell.text) ?? .none }
  package static func number(_ number: Int?) -> Cell { number.map(Cell.number) ?? .none }
  package static func time(_ time: Timestamp?) -> Cell { time.map(Cell.time) ?? .none }
  package static func age(_ age: Duration?) -> Cell { age.map(Cell.age) ?? .none }

  /// What a table shows, line by line.
  var tableLines: [String] {
    if case .lines(_, let shown) = self { return shown.map { TerminalSafeText($0).description } }
    return [tableText]
  }

  /// What a table shows on one line.
  var tableText: String {
    switch self {
    case .none, .list([]): "–"
    case .text(let text): TerminalSafeText(text).description
    case .term(_, let shown): shown
    case .lines: tableLines.joined(separator: " / ")
    case .mark(let value, let shown): value ? shown : ""
    case .object(_, let shown): shown
    case .objects(let objects): String(objects.count)
    case .list(let texts): TerminalSafeText(texts.joined(separator: "; ")).description
    case .number(let number): String(number)
    case .bool(let value): value ? "yes" : "no"
    case .time(let time): TimeText.text(time)
    case .timeBeside(let time, let now): "\(TimeText.text(time)) (\(Self.distance(from: now, to: time)))"
    case .age(let span): AgeText.text(span)
    case .exactAge(let span): AgeText.exactText(span)
    case .duration(let span): DurationText.text(span)
    }
  }

  /// What JSON has.
  var json: JSONValue {
    switch self {
    case .none: .null
    case .text(let text), .term(let text, _), .lines(let text, _): .string(text)
    case .object(let facts, _): Self.object(facts)
    case .objects(let objects): .array(objects.map(Self.object))
    case .list(let texts): .array(texts.map(JSONValue.string))
    case .number(let number): .integer(Int64(number))
    case .bool(let value), .mark(let value, _): .bool(value)
    case .time(let time), .timeBeside(let time, _): .string(TimeText.text(time))
    case .age(let span), .exactAge(let span): .seconds(milliseconds: span.wholeMilliseconds)
    case .duration(let span): .string(DurationText.text(span))
    }
  }

  /// What a field of CSV has, before it is quoted.
  var csvText: String {
    switch self {
    case .none: ""
    case .text(let text), .term(let text, _), .lines(let text, _): text
    case .list(let texts): texts.joined(separator: "; ")
    case .number, .bool, .mark, .age, .exactAge, .object, .objects: json.line
    case .time(let time), .timeBeside(let time, _): TimeText.text(time)
    case .duration(let span): DurationText.text(span)
    }
  }

  private static func distance(from now: Timestamp, to time: Timestamp) -> String {
    time > now ? "in \(AgeText.roundedText(time - now))" : "\(AgeText.text(now - time)) ago"
  }

  var isNumeric: Bool {
    switch self {
    case .number, .age: true
    case .none, .text, .term, .lines, .mark, .object, .objects, .list, .bool, .time, .timeBeside, .exactAge,
      .duration:
      false
    }
  }

  private static func object(_ facts: [Output.Fact]) -> JSONValue {
    .object(facts.map { JSONValue.Member($0.key, $0.value.json) })
  }
}
