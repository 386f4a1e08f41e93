package import CatalogDomain

/// What a command works with: what was asked, the console, and the clock.
package struct CommandContext {
  package let call: CommandCall
  package let console: any Console
  package let clock: any WallClock

  package init(call: CommandCall, console: any Console, clock: any WallClock) {
    self.call = call
    self.console = console
    self.clock = clock
  }

  /// What the clocks say, or would say at the time that `--now` gives.
  package var now: ClockReading {
    let reading = clock.read()
    guard let wanted = call[SharedOptions.now] else { return reading }
    let shift = wanted.moment(from: reading.wall) - reading.wall
    return ClockReading(
      wall: reading.wall + shift, continuous: reading.continuous + shift, boot: reading.boot)
  }

  /// The format to show output in: a table on a terminal, a row a line otherwise.
  package var format: OutputFormat {
    call[SharedOptions.format] ?? (console.isOutputTerminal ? .table : .ndjson)
  }

  /// Shows an output.
  package func show(_ output: Output) throws(CommandFailure) {
    let format = format
    try console.write(
      output.text(as: format, width: console.tableWidth, isForTerminal: console.isOutputTerminal))
    if format == .ndjson || format == .csv { remark(output.notes) }
  }

  /// Says something beside the output, unless `--quiet` was given.
  package func remark(_ lines: [String]) {
    guard !call.has(SharedOptions.quiet) else { return }
    for line in lines { console.note(TerminalSafeText.message(line) + "\n") }
  }
}
