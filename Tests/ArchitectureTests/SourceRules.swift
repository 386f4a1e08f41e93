import Testing

/// The house rules for text that no compiler setting and no linter checks.
@Suite(.timeLimit(.minutes(5)))
struct SourceRules {
  /// Words that switch a check of the compiler off.
  static var unsafeWord: Regex<Substring> { #/\bunsafe\b|@unchecked\b/# }
  /// Those of them that say something about threads.
  static var uncheckedWord: Regex<Substring> { #/\bnonisolated\s*\(\s*unsafe\s*\)|@unchecked\b/# }

  private static let everywhere = ["Sources", "Migrations", "Tests"]

  @Test func `checks are switched off only in the room of SQLite, or with a reason`() throws {
    for (path, source) in try Repository.swiftFiles(under: Self.everywhere) {
      let isRoomOfSQLite = Repository.room(of: path) == "CatalogSQLite"
      let lines = source.unexplained(isRoomOfSQLite ? Self.uncheckedWord : Self.unsafeWord)
      #expect(
        lines.isEmpty,
        "\(path):\(lines.map(String.init).joined(separator: ",")) needs a comment beside it with \"because\"."
      )
    }
  }

  @Test func `no file has more than 400 lines`() throws {
    for (path, source) in try Repository.swiftFiles(under: Self.everywhere) {
      let count = source.lineCount
      #expect(count <= 400, "\(path) has \(count) lines; one main type a file.")
    }
  }

  @Test func `an error is dropped only with the reason beside it`() throws {
    for (path, source) in try Repository.swiftFiles(under: Self.everywhere) {
      for line in source.code.indices
      where source.code[line].contains("try?") && source.code[line].contains(#/\btry\?/#) {
        // The reason may stand on the line above where the line itself is too long for it.
        let reasons = [line, line - 1].filter { $0 >= 0 }.map { source.comments[$0] }
        #expect(
          reasons.contains { !$0.isEmpty },
          "\(path):\(line + 1) drops an error; a comment has to say why that is right.")
      }
    }
  }

  @Test func `nothing is left to be done later`() throws {
    let marks = ["TODO", "FIXME", "XXX", "HACK"]
    for (path, source) in try Repository.swiftFiles(under: Self.everywhere) {
      for line in source.comments.indices where marks.contains(where: source.comments[line].contains) {
        guard source.comments[line].contains(#/\b(?:TODO|FIXME|XXX|HACK)\b/#) else { continue }
        Issue.record("\(path):\(line + 1) has a note of something left undone.")
      }
    }
  }
}
