/// The account whose catalog is kept: an opaque name that the app chooses, such as a user's identifier.
///
/// 1 to 255 UTF-8 bytes, no control characters. Two names are equal if their bytes are, as SQLite compares
/// them; a composed and a decomposed spelling are two accounts. Printing redacts the name.
public struct AccountID: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name.
  ///
  /// Keep it out of logs.
  public let rawValue: String

  /// Creates an account's name from text.
  ///
  /// - Throws: ``CatalogError`` with code ``CatalogError/Code/invalidName`` that says what is wrong.
  public init(validating text: String) throws(CatalogError) {
    try ScopeName.validate(text, as: "account name")
    rawValue = text
  }

  /// Creates an account's name from a literal, which must be a valid name.
  public init(stringLiteral literal: String) {
    do {
      try self.init(validating: literal)
    } catch {
      preconditionFailure("\"\(literal)\" can't be an account's name. \(error.message)")
    }
  }

  /// Whether both names have the same bytes.
  public static func == (first: AccountID, second: AccountID) -> Bool {
    first.rawValue.utf8.elementsEqual(second.rawValue.utf8)
  }

  /// Hashes the bytes of the name.
  public func hash(into hasher: inout Hasher) {
    ScopeName.hash(rawValue, into: &hasher)
  }
}

extension AccountID: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text that doesn't give the name away.
  public var description: String { "AccountID(redacted)" }
  /// A text that doesn't give the name away.
  public var debugDescription: String { description }
  /// A mirror that doesn't give the name away.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The name of one of an account's catalogs, such as `main` or `shelf`.
///
/// 1 to 255 UTF-8 bytes, no control characters; equal by bytes; printing redacts it.
public struct CatalogName: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The catalog of an account that has one.
  public static let main: CatalogName = "main"

  /// The name.
  public let rawValue: String

  /// Creates a catalog's name from text.
  ///
  /// - Throws: ``CatalogError`` with code ``CatalogError/Code/invalidName`` that says what is wrong.
  public init(validating text: String) throws(CatalogError) {
    try ScopeName.validate(text, as: "catalog name")
    rawValue = text
  }

  /// Creates a catalog's name from a literal, which must be a valid name.
  public init(stringLiteral literal: String) {
    do {
      try self.init(validating: literal)
    } catch {
      preconditionFailure("\"\(literal)\" can't be a catalog's name. \(error.message)")
    }
  }

  /// Whether both names have the same bytes.
  public static func == (first: CatalogName, second: CatalogName) -> Bool {
    first.rawValue.utf8.elementsEqual(second.rawValue.utf8)
  }

  /// Hashes the bytes of the name.
  public func hash(into hasher: inout Hasher) {
    ScopeName.hash(rawValue, into: &hasher)
  }
}

extension CatalogName: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text that doesn't give the name away.
  public var description: String { "CatalogName(redacted)" }
  /// A text that doesn't give the name away.
  public var debugDescription: String { description }
  /// A mirror that doesn't give the name away.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

private enum ScopeName {
  static func validate(_ text: String, as what: String) throws(CatalogError) {
    let length = text.utf8.count
    guard length > 0 else {
      throw CatalogError(.invalidName, "The \(what) is empty; give it 1 to 255 bytes.")
    }
    guard length <= 255 else {
      throw CatalogError(
        .invalidName, "The \(what) has \(length) bytes; give it at most 255, for example a digest of it.")
    }
    for (position, scalar) in text.unicodeScalars.enumerated() where isControl(scalar) {
      throw CatalogError(
        .invalidName,
        "The \(what) has the control character U+\(hexadecimal(scalar)) at position \(position + 1); "
          + "leave it out.")
    }
  }

  static func hash(_ text: String, into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    // Line and paragraph separators break a line wherever a name is shown, as control characters do.
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
