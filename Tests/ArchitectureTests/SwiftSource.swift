/// The text of a Swift file, split into what is code and what isn't, line by line.
struct SwiftSource {
  /// Each line with its comments and the contents of its string literals left out.
  let code: [String]
  /// Each line's comments.
  let comments: [String]
  /// Each line as it is.
  let lines: [String]

  init(_ text: String) {
    var scanner = Scanner(text)
    scanner.run()
    code = scanner.code
    comments = scanner.comments
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// How many lines the file has; a last line without a line feed counts.
  var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }

  /// The modules that the file imports, however it does, and those whose presence it asks for.
  ///
  /// `import struct Foundation.Date`, `@_exported import X`, `public import X` and an import inside
  /// `#if canImport(X)` are all imports.
  var modules: (imported: Set<String>, asked: Set<String>) {
    let text = code.joined(separator: "\n")
    let kinds = #/(?:typealias|struct|class|enum|actor|protocol|let|var|func)\s+/#
    let statement = #/(?<before>^|[\s;)])import\s+/#
    var imported: Set<String> = []
    for match in text.matches(of: statement) {
      var rest = text[match.range.upperBound...]
      if let kind = rest.prefixMatch(of: kinds) { rest = rest[kind.range.upperBound...] }
      let name = rest.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      imported.insert(String(name))
    }
    let asked = text.matches(of: #/canImport\s*\(\s*`?(?<name>\w+)/#).map { String($0.output.name) }
    return (imported, Set(asked))
  }

  /// The places at which a pattern is found in code, without a comment in the lines joined to it above, on the
  /// line itself, or at the start of the body that it opens, that gives a reason with "because".
  func unexplained(_ pattern: Regex<Substring>) -> [Int] {
    code.indices.filter { line in
      // Most lines have no such letters, and a regular expression is slow where nothing is optimized.
      guard code[line].contains("un"), code[line].contains(pattern) else { return false }
      if line + 1 < lines.count, comments[line + 1].contains("because") { return false }
      var above = line
      while above >= 0, !lines[above].allSatisfy(\.isWhitespace) {
        if comments[above].contains("because") { return false }
        above -= 1
      }
      return true
    }
    .map { $0 + 1 }
  }
}

/// Tells code, comments and literals apart, as far as this package's sources need it.
private struct Scanner {
  private let text: [Unicode.Scalar]
  private var position = 0
  private var codeLine = String.UnicodeScalarView()
  private var commentLine = String.UnicodeScalarView()
  private(set) var code: [String] = []
  private(set) var comments: [String] = []

  init(_ text: String) {
    self.text = Array(text.unicodeScalars)
  }

  mutating func run() {
    while position < text.count {
      switch text[position] {
      case "/" where starts("//"): while position < text.count, text[position] != "\n" { takeComment() }
      case "/" where starts("/*"): takeBlockComment()
      case "#", "\"": takeLiteralOrCode()
      default: takeCode()
      }
    }
    breakLine()
  }

  private func starts(_ mark: String, at offset: Int = 0) -> Bool {
    var place = position + offset
    for scalar in mark.unicodeScalars {
      guard place < text.count, text[place] == scalar else { return false }
      place += 1
    }
    return true
  }

  private mutating func breakLine() {
    code.append(String(codeLine))
    comments.append(String(commentLine))
    codeLine = .init()
    commentLine = .init()
  }

  private mutating func takeCode() {
    let scalar = text[position]
    position += 1
    if scalar == "\n" { breakLine() } else { codeLine.append(scalar) }
  }

  private mutating func takeComment() {
    let scalar = text[position]
    position += 1
    if scalar == "\n" { breakLine() } else { commentLine.append(scalar) }
  }

  private mutating func takeBlockComment() {
    var depth = 0
    repeat {
      if starts("/*") {
        depth += 1
        takeComment()
      } else if starts("*/") {
        depth -= 1
        takeComment()
      }
      if position < text.count { takeComment() }
    } while depth > 0 && position < text.count
    // A block comment stands between words like a space.
    codeLine.append(" ")
  }

  /// Takes a string literal, a regex literal with number signs, or the sign of a directive.
  private mutating func takeLiteralOrCode() {
    var hashes = 0
    while position + hashes < text.count, text[position + hashes] == "#" { hashes += 1 }
    let fence = String(repeating: "#", count: hashes)
    if starts("\"\"\"", at: hashes) {
      take(from: fence + "\"\"\"", to: "\"\"\"" + fence, escape: "\\" + fence, isMultiline: true)
    } else if starts("\"", at: hashes) {
      take(from: fence + "\"", to: "\"" + fence, escape: "\\" + fence, isMultiline: false)
    } else if hashes > 0, starts("/", at: hashes) {
      take(from: fence + "/", to: "/" + fence, escape: "\\", isMultiline: false)
    } else {
      takeCode()
    }
  }

  private mutating func take(from start: String, to end: String, escape: String, isMultiline: Bool) {
    position += start.unicodeScalars.count
    // Something stands where the literal was, so that the words beside it don't become one.
    codeLine.append("\"")
    while position < text.count {
      if starts(end) {
        position += end.unicodeScalars.count
        return
      }
      if starts(escape) {
        position += escape.unicodeScalars.count
        // What is escaped may be a quote; a line feed is counted below.
        if position < text.count, text[position] != "\n" { position += 1 }
      } else if text[position] == "\n" {
        position += 1
        breakLine()
        // A single-line literal can't go on: a quote inside a bare regex literal ends with its line.
        if !isMultiline { return }
      } else {
        position += 1
      }
    }
  }
}
