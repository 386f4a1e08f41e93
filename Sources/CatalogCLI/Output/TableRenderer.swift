/// Writes an output for people.
struct TableRenderer {
  let output: Output
  /// The columns of the terminal; nil if lines may have any length.
  let width: Int?

  private static let gap = 2
  private static let narrowest = 8

  var text: String {
    var parts: [String] = []
    let head = fieldsText(output.head.map(\.column), [output.head.map(\.value)])
    if !head.isEmpty { parts.append(head) }
    let table =
      switch output.layout {
      case .rows: rowsText
      case .fields: fieldsText(output.columns, output.rows)
      }
    if !table.isEmpty { parts.append(table) }
    if !output.notes.isEmpty {
      parts.append(
        output.notes.map { note in
          let safe = TerminalSafeText.message(note)
          return (width.map { TextWrapping.paragraph(safe, width: $0) } ?? safe) + "\n"
        }.joined())
    }
    return parts.joined(separator: "\n")
  }

  private var shown: [Int] { output.columns.indices.filter { output.columns[$0].title != nil } }

  private var rowsText: String {
    guard !output.rows.isEmpty else { return "" }
    let shown = shown
    let header = shown.map { output.columns[$0].title?.uppercased() ?? "" }
    let body = output.rows.map { row in shown.map { row[$0].tableLines } }
    let isRight = shown.map { column in
      output.rows.contains { $0[column].isNumeric }
        && output.rows.allSatisfy { $0[column].isNumeric || $0[column] == .none }
    }
    let natural = shown.indices.map { column in
      body.flatMap { $0[column] }.reduce(DisplayWidth.of(header[column])) { max($0, DisplayWidth.of($1)) }
    }
    let widths = fitted(natural, isFlexible: shown.map { output.columns[$0].isFlexible })
    return ([header] + body.flatMap(Self.lines))
      .map { line($0, widths: widths, isRight: isRight) + "\n" }
      .joined()
  }

  /// Takes a row apart into the lines it has on screen.
  private static func lines(_ row: [[String]]) -> [[String]] {
    (0..<(row.map(\.count).max() ?? 0)).map { index in
      row.map { $0.indices.contains(index) ? $0[index] : "" }
    }
  }

  private func line(_ cells: [String], widths: [Int], isRight: [Bool]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let text = DisplayWidth.truncate(cell, to: widths[column])
      let padding = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.of(text)))
      if column > 0 { line += String(repeating: " ", count: Self.gap) }
      if isRight[column] {
        line += padding + text
      } else {
        // Nothing follows the last column, so it needs no padding.
        line += column == cells.count - 1 ? text : text + padding
      }
    }
    return line
  }

  /// Takes from the flexible columns, the widest first, what the terminal doesn't have.
  private func fitted(_ natural: [Int], isFlexible: [Bool]) -> [Int] {
    guard let width else { return natural }
    var widths = natural
    var excess = natural.reduce(0, +) + Self.gap * (natural.count - 1) - width
    while excess > 0 {
      let candidates = widths.indices.filter { isFlexible[$0] && widths[$0] > Self.narrowest }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func fieldsText(_ columns: [Output.Column], _ rows: [[Cell]]) -> String {
    let shown = columns.indices.filter { columns[$0].title != nil }
    guard !shown.isEmpty else { return "" }
    let labels = shown.map { (columns[$0].title ?? "") + ":" }
    let column = (labels.map(DisplayWidth.of).max() ?? 0) + Self.gap
    let records = rows.map { row in
      zip(shown, labels).map { index, label in
        let text = row[index].tableText
        let value =
          width.map { TextWrapping.paragraph(text, width: $0, hanging: column) } ?? text
        return label + String(repeating: " ", count: column - DisplayWidth.of(label)) + value + "\n"
      }.joined()
    }
    return records.joined(separator: "\n")
  }
}
