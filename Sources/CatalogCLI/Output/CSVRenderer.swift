/// Writes an output as RFC 4180 has it: a line of names, CR LF after each line, quotes only where needed.
///
/// Text is kept byte for byte; whoever opens it in a spreadsheet should import it as text.
struct CSVRenderer {
  let output: Output
  let isForTerminal: Bool

  var text: String {
    let header = output.columns.map(\.key)
    let lines = [header] + output.rows.map { $0.map(\.csvText) }
    return lines.map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
  }

  private func field(_ raw: String) -> String {
    let text = isForTerminal ? TerminalSafeText(raw).description : raw
    // Bytes, not characters: CR LF is a single character, and a mark may combine with a quote.
    let needsQuotes = text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    guard needsQuotes else { return text }
    var quoted = String.UnicodeScalarView()
    quoted.append("\"")
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.append("\"") }
      quoted.append(scalar)
    }
    quoted.append("\"")
    return String(quoted)
  }
}
