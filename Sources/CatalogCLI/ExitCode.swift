/// The status that the program ends with: DESIGN's table, after BSD's `sysexits.h` where that fits.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case stale = 3
  case empty = 4
  case noneFound = 5
  case usage = 64
  case badData = 65
  case noSuchFile = 66
  case unavailable = 69
  case cannotCreate = 73
  case inputOutput = 74
  case tryAgain = 75
  case noPermission = 77
  case wrongVersion = 78
  case interrupted = 130

  /// What it means, for help.
  package var meaning: String {
    switch self {
    case .done: "Done."
    case .failed: "Another failure."
    case .stale: "The catalog is stale or expired, and --fail-if-stale was given."
    case .empty: "The catalog is known to be empty, and --fail-if-empty was given."
    case .noneFound: "Nothing matches, and --fail-if-none was given."
    case .usage: "The command line is wrong, or --yes is missing."
    case .badData: "The database is corrupt or no database, verify failed, or a file's content is wrong."
    case .noSuchFile: "There is no such database, or no such file or catalog to read from."
    case .unavailable: "Unavailable: never loaded, or the remote is down and nothing may be served."
    case .cannotCreate: "A file can't be created."
    case .inputOutput: "Reading or writing failed, or the disk is full."
    case .tryAgain: "Busy, or bytes of a forgotten account remain: try again."
    case .noPermission: "No permission, or the remote doesn't authorize it."
    case .wrongVersion: "The database is of a newer version, or of an older one and opened for reading."
    case .interrupted: "Interrupted."
    }
  }
}
