import CatalogRemotes
import CatalogRepository

/// Shows how far a refresh has come: in place on a terminal, now and then a line elsewhere.
final class RefreshProgressLine {
  private static let booksPerLine = 10_000
  private static let pagesPerLine = 100
  private static let barWidth = 20

  private let console: any Console
  private let isQuiet: Bool
  /// What counts documents and bytes; nil if the source isn't a server.
  private let meter: HTTPMeter?
  private var isShown = false
  private var linesSaid = 0

  init(console: any Console, isQuiet: Bool, meter: HTTPMeter?) {
    self.console = console
    self.isQuiet = isQuiet
    self.meter = meter
  }

  func show(_ progress: RefreshProgress) {
    guard !isQuiet else { return }
    if console.isErrorTerminal {
      let line = "\(Self.bar(progress))\(text(progress)) …"
      console.note("\r\u{1B}[K\(line.prefix(console.progressWidth))")
      isShown = true
      return
    }
    let steps =
      progress.books / Self.booksPerLine + (meter?.reading.documents ?? 0) / Self.pagesPerLine
    guard steps > linesSaid else { return }
    linesSaid = steps
    console.note("\(text(progress)) so far\n")
  }

  func clear() {
    if isShown { console.note("\r\u{1B}[K") }
    isShown = false
  }

  private func text(_ progress: RefreshProgress) -> String {
    var text = Wording.count(progress.books, "book")
    if let expected = progress.expectedBooks { text += " of \(Wording.grouped(expected))" }
    if progress.rejected > 0 { text += ", \(Wording.grouped(progress.rejected)) left out" }
    guard let reading = meter?.reading else { return text }
    return "\(Wording.count(reading.documents, "page")), \(text), \(Self.size(reading.bytes))"
  }

  /// A bar, if the server said how many books there are.
  private static func bar(_ progress: RefreshProgress) -> String {
    guard let expected = progress.expectedBooks, expected > 0 else { return "" }
    // More may come than was expected; dividing first keeps a mad number from overflowing.
    let part = min(1, Double(progress.books) / Double(expected))
    let filled = Int(part * Double(barWidth))
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: barWidth - filled)
      + "] "
  }

  private static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<10_000: Wording.count(bytes, "byte")
    case ..<10_000_000: "\(Wording.grouped(bytes / 1000)) kB"
    default: "\(Wording.grouped(bytes / 1_000_000)) MB"
    }
  }
}
