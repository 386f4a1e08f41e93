import CatalogSQLite
import Dispatch
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FileLockTests {
  let folder: Folder
  let path: String

  init() throws {
    folder = try Folder()
    path = folder.path("x-lock")
  }

  private func isBusy(_ lock: FileLock, _ kind: FileLock.Kind = .exclusive) -> Bool {
    do throws(FileLock.Failure) {
      _ = try lock.hold(kind, waitingAtMost: .zero)
      return false
    } catch .busy {
      return true
    } catch {
      Issue.record(error)
      return false
    }
  }

  @Test func `two locks of one file exclude each other, in one process too`() throws {
    let first = try FileLock(path: path, mayCreate: true)
    let second = try FileLock(path: path, mayCreate: true)
    let hold = try first.hold(.exclusive, waitingAtMost: .zero)
    #expect(isBusy(second))
    #expect(isBusy(second, .shared))
    #expect(isBusy(first))
    _ = consume hold
    #expect(!isBusy(second))
  }

  @Test func `shared holds go together, and keep a writer out`() throws {
    let first = try FileLock(path: path, mayCreate: true)
    let second = try FileLock(path: path, mayCreate: false)
    let hold = try first.hold(.shared, waitingAtMost: .zero)
    #expect(!isBusy(second, .shared))
    #expect(isBusy(second, .exclusive))
    _ = consume hold
  }

  @Test func `another process that holds the lock keeps us out until it ends`() throws {
    let lock = try FileLock(path: path, mayCreate: true)
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    holder.arguments = ["flock", path, "sh", "-c", "echo held; read line"]
    let (input, output) = (Pipe(), Pipe())
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    #expect(output.fileHandleForReading.readData(ofLength: 4) == Data("held".utf8))
    #expect(isBusy(lock))
    try input.fileHandleForWriting.close()
    holder.waitUntilExit()
    #expect(!isBusy(lock))
  }

  @Test func `a lock file that was removed and made anew is the one that counts`() throws {
    let first = try FileLock(path: path, mayCreate: true)
    try FileSystem.remove(path)
    let second = try FileLock(path: path, mayCreate: true)
    let hold = try second.hold(.exclusive, waitingAtMost: .zero)
    #expect(isBusy(first))
    _ = consume hold
    #expect(!isBusy(first))
  }

  @Test func `a missing lock file is said, a symbolic link refused, and the file is its owner's`() throws {
    do throws(FileLock.Failure) {
      _ = try FileLock(path: path, mayCreate: false)
      Issue.record("a lock file was found where none is")
    } catch .missing {
    } catch {
      Issue.record(error)
    }
    _ = try FileLock(path: path, mayCreate: true)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    let link = folder.path("link-lock")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    do throws(FileLock.Failure) {
      _ = try FileLock(path: link, mayCreate: true)
      Issue.record("a symbolic link was followed")
    } catch .system(let error) {
      #expect(error.errno == FileSystemError.tooManyLinks)
    } catch {
      Issue.record(error)
    }
  }

  @Test func `a gate lets threads through in the order they came`() {
    let gate = FairGate()
    #expect(gate.enter(waitingAtMost: .zero))
    #expect(!gate.enter(waitingAtMost: .zero))
    let order = Lock<[Int]>([])
    let threads = DispatchGroup()
    for number in 0..<8 {
      threads.enter()
      // A thread of its own: Dispatch has no more of them than cores, and these all wait.
      Thread.detachNewThread {
        #expect(gate.enter(waitingAtMost: .seconds(30)))
        order.withLock { $0.append(number) }
        gate.leave()
        threads.leave()
      }
      while gate.waiting < number + 1 { sched_yield() }
    }
    gate.leave()
    threads.wait()
    #expect(order.withLock { $0 } == Array(0..<8))
    #expect(gate.waiting == 0)
  }

  @Test func `a watch notices what is announced in the lock file`() async throws {
    let lock = try FileLock(path: path, mayCreate: true)
    await withCheckedContinuation { noticed in
      let once = Lock<CheckedContinuation<Void, Never>?>(noticed)
      @Sendable func notice() {
        once.withLock { waiting in
          defer { waiting = nil }
          return waiting
        }?.resume()
      }
      let watch = FileWatch(path: path, changed: notice)
      #expect(watch != nil)
      if watch == nil { notice() }
      do throws(FileLock.Failure) {
        let hold = try lock.hold(.exclusive, waitingAtMost: .zero)
        hold.announce(7)
      } catch {
        Issue.record(error)
      }
      keepAlive.withLock { $0 = watch }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([7, 0, 0, 0, 0, 0, 0, 0]))
  }
}

private let keepAlive = Lock<FileWatch?>(nil)
