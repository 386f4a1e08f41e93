package import CatalogDomain

/// What a command works with: what was asked, the console, and the clock.
package struct CommandContext {
  package let call: CommandCall
  package let console: any Console
  /// The clock; it stands still at the time that `--now` gives, if it was given.
  package let clock: any WallClock

  package init(call: CommandCall, console: any Console, clock: any WallClock) {
    self.call = call
    self.console = console
    let reading = clock.read()
    guard let wanted = call[SharedOptions.now] else {
      self.clock = clock
      return
    }
    let shift = wanted.moment(from: reading.wall) - reading.wall
    self.clock = StandingClock(
      // The continuous clock goes along, so that within a boot an age is what it would be by then.
      reading: ClockReading(
        wall: reading.wall + shift, continuous: reading.continuous.addingSaturating(shift),
        boot: reading.boot),
      system: clock)
  }

  /// What the clocks say, or would say at the time that `--now` gives.
  package var now: ClockReading { clock.read() }

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

  /// Shows an output, and returns the status to end with.
  package func show(_ output: Output, endingWith code: ExitCode) throws(CommandFailure) -> ExitCode {
    try ending(with: code) { () throws(CommandFailure) in try show(output) }
  }

  /// Writes, and returns the status to end with: it holds even if whoever reads the output has gone, as in
  /// `list --fail-if-stale | head -1`.
  package func ending(
    with code: ExitCode, _ write: () throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> ExitCode {
    do throws(CommandFailure) {
      try write()
    } catch {
      guard case .outputClosed = error else { throw error }
    }
    return code
  }

  /// Says something beside the output, unless `--quiet` was given.
  package func remark(_ lines: [String]) {
    guard !call.has(SharedOptions.quiet) else { return }
    for line in lines { console.note(TerminalSafeText.message(line) + "\n") }
  }
}

/// A clock that stands still, for trying what would be decided at some time.
private struct StandingClock: WallClock {
  let reading: ClockReading
  let system: any WallClock

  func read() -> ClockReading { reading }

  func sleep(for span: Duration) async throws(CancellationError) { try await system.sleep(for: span) }
}
