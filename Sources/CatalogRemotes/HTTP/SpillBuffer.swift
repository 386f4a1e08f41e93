import Foundation

/// Bytes that have come and aren't wanted yet: some in memory, what is more in a file without a name.
///
/// URLSession on Linux can't be slowed down: what it reads is handed over at once, and a suspended task is
/// lost. So that a fast server and a slow reader don't fill the memory, the disk takes the difference.
struct SpillBuffer {
  private static let bytesPerRead = 64 << 10

  private let memoryLimit: Int
  private let maySpill: Bool
  private var chunks: [Data] = []
  private var first = 0
  private var bytesInMemory = 0
  private var file: FileHandle?
  private var written: UInt64 = 0
  private var read: UInt64 = 0
  /// Whether the file stands where the next bytes are to be written.
  private var isAtEnd = false

  /// Creates an empty buffer.
  ///
  /// - Parameter maySpill: Whether anything may be written to disk; an answer with `no-store` may not.
  init(memoryLimit: Int, maySpill: Bool) {
    self.memoryLimit = memoryLimit
    self.maySpill = maySpill
  }

  /// Takes bytes.
  mutating func append(_ bytes: Data) throws {
    guard !bytes.isEmpty else { return }
    let isSpilling = read < written
    if !maySpill || (!isSpilling && bytesInMemory + bytes.count <= memoryLimit) {
      chunks.append(bytes)
      bytesInMemory += bytes.count
      return
    }
    let file = try self.file ?? Self.makeFile()
    self.file = file
    if !isAtEnd { try file.seek(toOffset: written) }
    isAtEnd = true
    try file.write(contentsOf: bytes)
    written += UInt64(bytes.count)
  }

  /// Returns the bytes that came first, or nil if there are none.
  mutating func next() throws -> [UInt8]? {
    if first < chunks.count {
      let chunk = chunks[first]
      chunks[first] = Data()
      first += 1
      bytesInMemory -= chunk.count
      if first == chunks.count {
        chunks = []
        first = 0
      }
      return [UInt8](chunk)
    }
    guard read < written, let file else { return nil }
    isAtEnd = false
    try file.seek(toOffset: read)
    guard let data = try file.read(upToCount: Self.bytesPerRead), !data.isEmpty else {
      throw CocoaError(.fileReadUnknown)
    }
    read += UInt64(data.count)
    if read == written {
      // What comes next goes to memory again, and the disk gets its room back.
      try file.truncate(atOffset: 0)
      read = 0
      written = 0
    }
    return [UInt8](data)
  }

  private static func makeFile() throws -> FileHandle {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    guard
      FileManager.default.createFile(
        atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    defer {
      // Without a name nobody else can open it, and the system frees it when it is closed.
      try? FileManager.default.removeItem(at: url)  // A file that can't be unlinked is still one that works.
    }
    return try FileHandle(forUpdating: url)
  }
}
