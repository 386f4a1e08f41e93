package import CatalogDomain
import CatalogRepository
import Dispatch
import Foundation

/// The program `catalogctl`.
public enum CatalogCommandLine {
  /// Runs the process's own command line, and ends the process.
  @MainActor public static func main() async -> Never {
    let console = SystemConsole()
    let words = Array(ProcessInfo.processInfo.arguments.dropFirst())
    let work = Task { @MainActor in
      await run(words, console: console, clock: SystemWallClock())
    }
    let interrupt = Interrupt(isGraceful: isWriting(words)) { work.cancel() }
    let code = await work.value
    interrupt.stop()
    exit(code.rawValue)
  }

  /// Runs the command line of the words after the program's name, and returns the status to end with.
  package static func run(
    _ words: [String], console: any Console, clock: any WallClock
  ) async -> ExitCode {
    let width = console.helpWidth
    let error: CommandFailure
    do throws(CommandFailure) {
      switch ArgumentParser(root: CommandRegistry.root).parse(words) {
      case .success(let invocation):
        return try await perform(invocation, console: console, clock: clock)
      case .failure(let error):
        throw .usage(error)
      }
    } catch let failure {
      error = failure
    }
    switch error {
    case .usage(let usage): console.note(TerminalSafeText.message(usage.text(width: width)))
    case .failed(_, let message): console.note("Error: \(TerminalSafeText(message))\n")
    case .outputClosed: break
    }
    return error.exitCode
  }

  private static func perform(
    _ invocation: Invocation, console: any Console, clock: any WallClock
  ) async throws(CommandFailure) -> ExitCode {
    let root = CommandRegistry.root
    switch invocation {
    case .help(let path):
      try console.write(HelpText(path: path, width: console.helpWidth).text)
    case .version:
      try console.write(CommandRegistry.version + "\n")
    case .readmeSection:
      try console.write(ReadmeSection.text(of: root))
    case .completionScript(let name):
      guard let shell = name.map(CompletionShell.init(rawValue:)) ?? .init(environment: console.environment)
      else {
        let shells = Wording.quoted(CompletionShell.allCases.map(\.rawValue))
        throw .usage(
          UsageError(
            message: "SHELL names no shell there is a script for. Give one of \(shells).", path: [root],
            option: RootOptions.completionScript.spec))
      }
      try console.write(shell.script(for: root))
    case .run(let call):
      guard case .action(let action) = call.spec.body else {
        preconditionFailure("'\(call.name)' is a group, and was parsed as a command")
      }
      return try await action(CommandContext(call: call, console: console, clock: clock))
    }
    return .done
  }

  private static func isWriting(_ words: [String]) -> Bool {
    guard case .success(.run(let call)) = ArgumentParser(root: CommandRegistry.root).parse(words) else {
      return false
    }
    return call.spec.isWriting
  }
}
