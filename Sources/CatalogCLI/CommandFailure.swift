package import CatalogDomain

/// Why a command failed: what to print, and the status to end with.
package enum CommandFailure: Error, Sendable {
  /// The command line is wrong.
  case usage(UsageError)
  /// Something went wrong; the message says what, where and what to do.
  case failed(ExitCode, String)
  /// Whoever read the output has gone; there is nothing left to say.
  case outputClosed

  /// Translates an error of the catalog: the one place that maps codes to exit codes.
  package init(_ error: CatalogError) {
    var message = error.message
    if let wait = error.retryAfter {
      message += " Try again in \(AgeText.text(wait))."
    }
    self = .failed(ExitCode(error.code), message)
  }

  /// The status to end with.
  package var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .failed(let code, _): code
    case .outputClosed: .done
    }
  }
}

extension ExitCode {
  /// The status for a kind of error.
  package init(_ code: CatalogError.Code) {
    self =
      switch code {
      case .neverLoaded, .unavailable, .revoked: .unavailable
      case .offline, .timedOut, .serverError: .unavailable
      case .unauthorized, .forbidden, .permission: .noPermission
      case .notFound, .gone, .noSuchDatabase: .noSuchFile
      case .badResponse, .tooLarge, .corrupt, .notADatabase: .badData
      case .throttled, .busy, .locked, .replaced, .superseded, .bytesRemain: .tryAgain
      case .tooNew, .needsMigration: .wrongVersion
      case .diskFull, .ioError: .inputOutput
      case .cannotCreate: .cannotCreate
      case .invalidName, .invalidPolicy: .usage
      case .cancelled: .interrupted
      default: .failed
      }
  }
}
