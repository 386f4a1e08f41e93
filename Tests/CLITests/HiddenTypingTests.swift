import Foundation
import TestServer
import Testing

/// A password that is asked for on a terminal, a real one.
@Suite(.timeLimit(.minutes(5)))
struct HiddenTypingTests {
  /// Both ends of a terminal.
  private struct Terminal {
    let typing: FileHandle
    let program: FileHandle

    init() throws {
      var (master, slave): (Int32, Int32) = (-1, -1)
      // Unsafe because C returns both through pointers; they are to local values.
      guard unsafe openpty(&master, &slave, nil, nil, nil) == 0 else { throw POSIXError(.ENOTTY) }
      typing = FileHandle(fileDescriptor: master, closeOnDealloc: true)
      program = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    }

    var showsWhatIsTyped: Bool {
      var settings = termios()
      // Unsafe because C fills it in through a pointer; it is to a local value.
      return unsafe tcgetattr(program.fileDescriptor, &settings) == 0
        && settings.c_lflag & tcflag_t(ECHO) != 0
    }
  }

  /// Runs the program up to its question, and then does something to it.
  private func ask(_ body: (Terminal, Process) throws -> Void) throws -> (status: Int32, terminal: Terminal) {
    let folder = try TemporaryFolder()
    let terminal = try Terminal()
    let run = try Program.Run([
      "refresh", "--db", folder.url.appendingPathComponent("c.sqlite").path, "--account", "ada", "--user",
      "al",
      // Nobody listens there; it is asked only once the password is typed.
      "--from", "http://127.0.0.1:9/",
    ])
    run.process.standardInput = terminal.program
    try run.process.run()
    awaitQuestion(of: run)
    #expect(!terminal.showsWhatIsTyped)
    try body(terminal, run.process)
    _ = run.finish()
    return (run.process.terminationStatus, terminal)
  }

  private func awaitQuestion(of run: Program.Run) {
    var said = ""
    while !said.contains("Password: ") {
      let data = run.messages.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      said += String(decoding: data, as: UTF8.self)
    }
    #expect(said.contains("Password: "))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a terminal shows again what is typed, whatever ends the program`(ending: Int32) throws {
    // More than once: a signal may come at any moment.
    for _ in 0..<8 {
      let (status, terminal) = try ask { _, process in kill(process.processIdentifier, ending) }
      #expect(terminal.showsWhatIsTyped)
      #expect(status == (ending == SIGINT ? 130 : ending))
    }
  }

  @Test func `a refresh that is interrupted says so`() async throws {
    try await LoopbackServer.run({ _ in [.stall] }) { server in
      let folder = try TemporaryFolder()
      let run = try Program.Run([
        "refresh", "--db", folder.url.appendingPathComponent("c.sqlite").path, "--account", "ada",
        "--from", server.url("/").absoluteString,
      ])
      try run.process.run()
      await server.untilStalled()
      kill(run.process.processIdentifier, SIGINT)
      let (status, _, messages) = run.finish()
      #expect(status == 130, "\(messages)")
    }
  }

  @Test func `a signal that the program was started to ignore is ignored`() throws {
    let folder = try TemporaryFolder()
    let terminal = try Terminal()
    let run = try Program.Run([])
    let program = try #require(Program.url)
    run.process.executableURL = URL(fileURLWithPath: "/bin/sh")
    run.process.arguments = [
      "-c", "trap '' HUP; exec \"$@\"", "sh", program.path, "refresh", "--db",
      folder.url.appendingPathComponent("c.sqlite").path, "--account", "ada", "--user", "al", "--from",
      "http://127.0.0.1:9/",
    ]
    run.process.standardInput = terminal.program
    try run.process.run()
    awaitQuestion(of: run)
    kill(run.process.processIdentifier, SIGHUP)
    try terminal.typing.write(contentsOf: Data("word\r".utf8))
    #expect(run.finish().status == 69)
  }

  @Test(arguments: [("pass word\r", 69), ("\u{3}", 130), ("\u{4}", 64)] as [(String, Int32)])
  func `what is typed isn't shown, and the terminal is as it was afterwards`(typed: String, code: Int32)
    throws
  {
    let (status, terminal) = try ask { terminal, _ in
      try terminal.typing.write(contentsOf: Data(typed.utf8))
    }
    #expect(status == code)
    #expect(terminal.showsWhatIsTyped)
  }
}
