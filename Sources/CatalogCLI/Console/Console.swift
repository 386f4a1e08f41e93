/// The port through which a command speaks with the world, so that tests run commands in-process.
package protocol Console: AnyObject {
  /// The environment's variables.
  var environment: [String: String] { get }
  /// Whether standard output is a terminal.
  var isOutputTerminal: Bool { get }
  /// Whether standard error is a terminal, so that progress can be shown in place.
  var isErrorTerminal: Bool { get }
  /// Whether standard input is a terminal, so that somebody can be asked.
  var isInputTerminal: Bool { get }
  /// The terminal's columns; nil if there is no terminal.
  var terminalWidth: Int? { get }
  /// The columns of the terminal that standard error is; nil if it is none.
  var errorTerminalWidth: Int? { get }

  /// Writes to standard output.
  func write(_ text: String) throws(CommandFailure)
  /// Writes to standard error; that this fails can't be said anywhere, so it is ignored.
  func note(_ text: String)
  /// Reads a line from standard input; nil at its end.
  func readLine() -> String?
  /// Asks for a line on the terminal without showing what is typed; nil at its end, or without a terminal.
  func readSecret(_ prompt: String) throws(CommandFailure) -> String?
  /// Reads standard input to its end, or to one byte more than the limit.
  func readInput(limit: Int) throws(CommandFailure) -> [UInt8]
}

extension Console {
  /// The width that `COLUMNS` asks for.
  private var wantedWidth: Int? {
    environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
  }

  /// The columns that help may take: `COLUMNS`, else the terminal's, else 80.
  var helpWidth: Int { wantedWidth ?? terminalWidth ?? 80 }

  /// The columns that a table may take: nothing is cut off in a file or a pipe unless `COLUMNS` asks for it.
  var tableWidth: Int? { wantedWidth ?? terminalWidth }

  /// The columns that a line of progress may take: one more, and it couldn't be written over.
  var progressWidth: Int { max(1, (wantedWidth ?? errorTerminalWidth ?? 80) - 1) }

  /// Asks whether to go on.
  func confirm(_ question: String) -> Bool {
    note("\(TerminalSafeText(question)) [y/N] ")
    guard let answer = readLine() else { return false }
    return ["y", "yes"].contains(answer.lowercased())
  }
}
