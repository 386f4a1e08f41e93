import CatalogDomain
import Foundation

/// One item of a plain catalog as it was written, before it is judged.
struct PlainItem: Decodable {
  /// What stands at a key.
  enum Field<Value> {
    case absent
    case value(Value)
    /// It is of another type, or text that no string can hold (a lone surrogate).
    case unreadable

    var value: Value? {
      if case .value(let value) = self { value } else { nil }
    }

    var isUnreadable: Bool {
      if case .unreadable = self { true } else { false }
    }
  }

  private enum Key: String, CodingKey {
    case id, title, subtitle, authors, language, isBorrowed, borrowedUntil, updated
  }

  private let number: Field<Int>
  private let text: Field<String>
  private let isOtherNumber: Bool
  private let title: Field<String>
  private let subtitle: Field<String>
  private let authors: Field<[String]>
  private let language: Field<String>
  private let isBorrowed: Field<Bool>
  private let borrowedUntil: Field<String>
  private let updated: Field<String>

  /// Reads every field that can be read; fails only if the item isn't an object.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func field<Value: Decodable>(_ key: Key) -> Field<Value> {
      do {
        return try container.decodeIfPresent(Value.self, forKey: key).map { .value($0) } ?? .absent
      } catch {
        return .unreadable
      }
    }
    number = field(.id)
    text = number.isUnreadable ? field(.id) : .absent
    if text.isUnreadable, case .value = field(.id) as Field<Double> {
      isOtherNumber = true
    } else {
      isOtherNumber = false
    }
    title = field(.title)
    subtitle = field(.subtitle)
    authors = field(.authors)
    language = field(.language)
    isBorrowed = field(.isBorrowed)
    borrowedUntil = field(.borrowedUntil)
    updated = field(.updated)
  }

  /// Whether neither an identifier nor a title is there: some other document's object.
  var isNoBook: Bool {
    if case .absent = number, case .absent = title { true } else { false }
  }

  /// What the book is called, if that can be read and may be held.
  func identifier(within limits: DocumentLimits) -> CatalogEntry.Identifier? {
    if let number = number.value {
      return CatalogEntry.reservedIDs.contains(number) ? nil : .number(number)
    }
    guard let text = text.value, !text.isEmpty, text.utf8.count <= limits.identifierBytes else { return nil }
    return .text(text)
  }

  /// Returns the book, or says in one sentence why there is none.
  func entry(within limits: DocumentLimits) -> Result<CatalogEntry, Refusal> {
    guard let identifier = identifier(within: limits) else {
      return .failure(Refusal(identifierProblem(limits)))
    }
    guard let title = title.value else {
      return .failure(
        Refusal(title.isUnreadable ? "Its 'title' isn't text that can be read." : "It has no 'title'."))
    }
    if title.unicodeScalars.allSatisfy(\.properties.isWhitespace) {
      return .failure(Refusal(title.isEmpty ? "Its 'title' is empty." : "Its 'title' is only white space."))
    }
    if title.utf8.count > limits.titleBytes {
      return .failure(
        Refusal("Its 'title' has \(title.utf8.count) bytes; at most \(limits.titleBytes) are taken."))
    }
    var entry = CatalogEntry(identifier: identifier, title: title)
    do throws(Refusal) {
      entry.subtitle = try checkedSubtitle(limits)
      entry.authors = try checkedAuthors(limits)
      entry.language = try checkedLanguage(limits)
      entry.isBorrowed = try checked(isBorrowed, "isBorrowed", "true or false") ?? false
      entry.borrowedUntil = try moment(borrowedUntil, "borrowedUntil")
      entry.updated = try moment(updated, "updated")
    } catch {
      return .failure(error)
    }
    return .success(entry)
  }

  /// Why an item isn't taken, in one sentence without the item's own text.
  struct Refusal: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }
  }

  private func identifierProblem(_ limits: DocumentLimits) -> String {
    if number.value != nil { return "Its 'id' is a number that isn't below 2^62." }
    if let text = text.value {
      return text.isEmpty
        ? "Its 'id' is empty."
        : "Its 'id' has \(text.utf8.count) bytes; at most \(limits.identifierBytes) are taken."
    }
    if isOtherNumber { return "Its 'id' is a number that isn't whole, or isn't below 2^62." }
    return number.isUnreadable
      ? "Its 'id' is neither a whole number nor text that can be read." : "It has no 'id'."
  }

  private func checkedSubtitle(_ limits: DocumentLimits) throws(Refusal) -> String? {
    let text = try checked(subtitle, "subtitle", "text")
    guard (text?.utf8.count ?? 0) <= limits.titleBytes else {
      throw Refusal("Its 'subtitle' has more than \(limits.titleBytes) bytes.")
    }
    return text
  }

  private func checkedAuthors(_ limits: DocumentLimits) throws(Refusal) -> [String] {
    let names = try checked(authors, "authors", "an array of text") ?? []
    guard names.count <= limits.authors else {
      throw Refusal("It has \(names.count) authors; at most \(limits.authors) are taken.")
    }
    guard names.allSatisfy({ $0.utf8.count <= limits.authorBytes }) else {
      throw Refusal("One of its 'authors' has more than \(limits.authorBytes) bytes.")
    }
    return names
  }

  private func checkedLanguage(_ limits: DocumentLimits) throws(Refusal) -> String? {
    let tag = try checked(language, "language", "text")
    guard (tag?.utf8.count ?? 0) <= limits.languageBytes else {
      throw Refusal("Its 'language' has more than \(limits.languageBytes) bytes.")
    }
    return tag
  }

  private func moment(_ field: Field<String>, _ name: String) throws(Refusal) -> Timestamp? {
    guard let text = try checked(field, name, "text") else { return nil }
    guard let moment = RFC3339.parse(text) else {
      throw Refusal("Its '\(name)' isn't a date and time with a zone, as in 2026-12-01T00:00:00Z.")
    }
    return moment
  }

  private func checked<Value>(
    _ field: Field<Value>, _ name: String, _ wanted: String
  ) throws(Refusal) -> Value? {
    switch field {
    case .absent: return nil
    case .value(let value): return value
    case .unreadable: throw Refusal("Its '\(name)' isn't \(wanted).")
    }
  }
}
