internal import CatalogSQLite

/// A connection where something that can be copied is wanted.
final class ConnectionBox: Sendable {
  let connection: Connection
  private let log = Lock<FileSystem.Identity?>(nil)

  init(_ connection: consuming Connection) {
    self.connection = connection
  }

  /// Notes which log the connection reads and writes, once it has opened it.
  func noteLog(of location: StoreLocation) throws(FileSystemError) {
    let identity = try location.logIdentity
    log.withLock { $0 = identity }
  }

  /// Whether the database or its log isn't at its path any more: what is written then is lost.
  func hasMoved(from location: StoreLocation) throws(FileSystemError) -> Bool {
    if connection.hasMoved() { return true }
    guard let noted = log.withLock({ $0 }) else { return false }
    return try location.logIdentity != noted
  }
}

/// One connection for reading, with a number to tell it from the others: `data_version` differs from connection
/// to connection.
final class Reader: Sendable {
  let number: Int
  let generation: Int
  let box: ConnectionBox

  init(number: Int, generation: Int, box: ConnectionBox) {
    self.number = number
    self.generation = generation
    self.box = box
  }
}

/// Connections for reading that nobody uses at the moment; the one used last is lent first, since its caches
/// are warm.
final class ReaderPool: Sendable {
  private struct State: Sendable {
    var idle: [Reader] = []
    var generation = 0
    var lastNumber = 0
  }

  private let state = Lock(State())

  /// Takes an idle reader; nil if one has to be opened.
  func take() -> Reader? {
    state.withLock { $0.idle.popLast() }
  }

  /// Counts a connection that was just opened.
  func adopt(_ box: ConnectionBox) -> Reader {
    state.withLock { state in
      state.lastNumber += 1
      return Reader(number: state.lastNumber, generation: state.generation, box: box)
    }
  }

  /// Takes a reader back, unless the database it reads isn't ours any more, or there are enough.
  func giveBack(_ reader: Reader) {
    state.withLock { state in
      guard reader.generation == state.generation, state.idle.count < 4 else { return }
      state.idle.append(reader)
    }
  }

  /// Lets go of every reader, those in use included once they are given back.
  func drain() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      state.generation += 1
      return state.idle
    }
    // They close here, outside the lock.
    withExtendedLifetime(idle) {}
  }
}
