import CatalogCLI
import CatalogDomain
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OutputTests {
  private static let output = Output(
    command: "sample",
    columns: [
      .init("id", "Id"), .init("title", "Title", isFlexible: true), .init("authors", "Authors"),
      .init("isBorrowed", "Loan"), .init("savedAt", "Saved"), .init("ageSeconds", "Age"),
      .init("hidden", nil),
    ],
    rows: [
      [
        .number(7), .text("The Sea, the \"Sea\""), .list(["Iris", "M."]), .bool(true),
        .time(Timestamp(millisecondsSinceEpoch: 0)), .age(.milliseconds(183_250)), .text("x"),
      ],
      [
        .number(1234), .text("a\r\nb\u{1B}[2J\u{202E}\u{2028}"), .list([]), .bool(false), .none, .none, .none,
      ],
    ],
    summary: [.init("lifetime", .duration(.seconds(600)))], notes: ["2 books."])

  private func text(_ format: OutputFormat, width: Int? = nil, isForTerminal: Bool = false) -> String {
    Self.output.text(as: format, width: width, isForTerminal: isForTerminal)
  }

  @Test func `a table is safe, aligned, and followed by its notes`() {
    #expect(
      text(.table) == """
          ID  TITLE                     AUTHORS   LOAN  SAVED                   AGE
           7  The Sea, the "Sea"        Iris; M.  yes   1970-01-01T00:00:00Z  3 min
        1234  a␍␊b␛[2J<U+202E><U+2028>  –         no    –                         –

        2 books.

        """)
  }

  @Test func `a table shortens what may be shortened until it fits the terminal`() {
    let lines = text(.table, width: 65).split(separator: "\n").prefix(3)
    #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= 65 }, "\(lines)")
    #expect(lines[1].contains("The Sea, the \"Se…") || lines[1].contains("…"))
    // What can't be shortened is shown all the same.
    #expect(text(.table, width: 10).contains("1970-01-01T00:00:00Z"))
  }

  @Test func `json is stable, complete, and as safe to look at as a table`() throws {
    try Golden.check(text(.json), "output-json")
    let parsed = try JSONSerialization.jsonObject(with: Data(text(.json).utf8)) as? [String: Any]
    let rows = parsed?["rows"] as? [[String: Any]]
    #expect(rows?[1]["title"] as? String == "a\r\nb\u{1B}[2J\u{202E}\u{2028}")
    #expect(rows?[0]["ageSeconds"] as? Double == 183.25)
    #expect(rows?[1]["savedAt"] is NSNull)
  }

  @Test func `ndjson is a row a line, and each line is JSON`() throws {
    let lines = text(.ndjson).split(separator: "\n")
    #expect(lines.count == 2)
    for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
  }

  @Test func `csv quotes as RFC 4180 says and keeps every byte`() {
    #expect(
      text(.csv) == "id,title,authors,isBorrowed,savedAt,ageSeconds,hidden\r\n"
        + "7,\"The Sea, the \"\"Sea\"\"\",Iris; M.,true,1970-01-01T00:00:00Z,183.25,x\r\n"
        + "1234,\"a\r\nb\u{1B}[2J\u{202E}\u{2028}\",,false,,,\r\n")
  }

  @Test func `csv that goes straight to a terminal can't steer it`() {
    #expect(text(.csv, isForTerminal: true).contains("1234,a␍␊b␛[2J<U+202E><U+2028>,"))
  }

  @Test func `a record is a field a line`() {
    let record = Output(
      command: "sample",
      record: [
        (.init("a", "Short"), .text("x\ny")), (.init("b", "Much longer"), .none),
        (.init("c", nil), .bool(true)),
      ])
    #expect(
      record.text(as: .table, width: nil, isForTerminal: true) == """
        Short:        x␊y
        Much longer:  –

        """)
    #expect(
      record.text(as: .ndjson, width: nil, isForTerminal: true) == "{\"a\":\"x\\ny\",\"b\":null,\"c\":true}\n"
    )
  }

  @Test func `no rows give an empty table, and known-empty is said by the notes`() {
    let empty = Output(command: "sample", columns: [.init("id", "Id")], notes: ["No books."])
    #expect(empty.text(as: .table, width: 80, isForTerminal: true) == "No books.\n")
    #expect(empty.text(as: .ndjson, width: 80, isForTerminal: true).isEmpty)
    #expect(empty.text(as: .csv, width: 80, isForTerminal: true) == "id\r\n")
  }
}

@Suite(.timeLimit(.minutes(5)))
struct TextTests {
  @Test(arguments: [
    ("plain", "plain"), ("a\nb", "a␊b"), ("a\r\nb", "a␍␊b"), ("\u{0}\u{7F}", "␀␡"),
    ("\u{9B}31m", "<U+009B>31m"),
    ("\u{202E}abc\u{2066}\u{2069}", "<U+202E>abc<U+2066><U+2069>"), ("\u{2028}", "<U+2028>"),
    ("\u{FEFF}x", "<U+FEFF>x"), ("\u{200B}", "<U+200B>"), ("\u{FFFE}", "<U+FFFE>"),
    // A joiner and a direction mark are part of honest titles, and so are flags of tags.
    ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("\u{200F}שלום", "\u{200F}שלום"), ("👩‍👧", "👩‍👧"),
    ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"),
  ])
  func `text from outside can't steer, hide or reorder`(_ text: String, _ safe: String) {
    #expect(Array(TerminalSafeText(text).description.unicodeScalars) == Array(safe.unicodeScalars))
  }

  @Test func `no letter carries a pile of marks`() {
    let pile = "a" + String(repeating: "\u{301}", count: 1000) + "b"
    #expect(TerminalSafeText(pile).description.unicodeScalars.count == 18)
  }

  @Test func `no control character survives`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory == .control else {
        continue
      }
      let safe = TerminalSafeText(String(Character(scalar))).description
      #expect(safe.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
  }

  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("한국", 4),
    ("\u{1112}\u{1161}\u{11AB}", 2),
    ("👩‍👧", 2), ("🇳🇴", 2), ("❤️", 2), ("❤", 1), ("\u{200C}", 0), ("क्षि", 3), ("สวัสดี", 4), ("שלום", 4), ("𠀀", 2),
    ("", 0), ("\u{301}", 0),
  ])
  func `a text is as wide as a terminal draws it`(_ text: String, _ columns: Int) {
    #expect(DisplayWidth.of(text) == columns)
  }

  @Test func `a text is cut between characters and never too wide`() {
    #expect(DisplayWidth.truncate("日本語", to: 6) == "日本語")
    #expect(DisplayWidth.truncate("日本語", to: 5) == "日本…")
    #expect(DisplayWidth.truncate("日本語", to: 4) == "日…")
    #expect(DisplayWidth.truncate("e\u{301}e\u{301}e\u{301}", to: 2) == "e\u{301}…")
    #expect(DisplayWidth.truncate("abc", to: 0).isEmpty)
    for columns in 0...8 {
      #expect(DisplayWidth.of(DisplayWidth.truncate("a日👩‍👧本b語c", to: columns)) <= columns)
    }
  }

  @Test(arguments: [
    (0, "0 s"), (999, "0 s"), (1000, "1 s"), (59_999, "59 s"), (60_000, "1 min"), (183_250, "3 min"),
    (3_600_000, "1 h"), (7_500_000, "2 h 5 min"), (86_400_000, "1 d"), (187_200_000, "2 d 4 h"),
    (8_640_000_000 + 7_200_000, "100 d"), (-183_250, "-3 min"), (9_223_372_036_854_775_807, "106751991167 d"),
    (-9_223_372_036_854_775_808, "-106751991167 d"),
  ])
  func `an age is said as people say it`(_ milliseconds: Int, _ text: String) {
    #expect(AgeText.text(.milliseconds(milliseconds)) == text)
  }

  @Test(arguments: [
    (0, "0 s"), (499, "0 s"), (500, "1 s"), (59_500, "1 min"), (569_999, "9 min"), (570_000, "10 min"),
    (599_400, "10 min"), (3_570_000, "1 h"), (7_529_999, "2 h 5 min"), (86_370_000, "1 d"),
    (604_798_000, "7 d"), (8_639_999_999, "100 d"), (8_640_000_000 + 43_200_000, "101 d"),
    (-599_000, "-10 min"),
    (9_223_372_036_854_775_807, "106751991167 d"), (-9_223_372_036_854_775_808, "-106751991167 d"),
  ])
  func `what is still to come is rounded to the nearest`(_ milliseconds: Int, _ text: String) {
    #expect(AgeText.roundedText(.milliseconds(milliseconds)) == text)
  }

  @Test func `an exact age leaves nothing out`() {
    #expect(AgeText.exactText(.milliseconds(87_000_001)) == "1 d 10 min 1 ms")
    #expect(AgeText.exactText(.zero) == "0 s")
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-01T12:00:00Z", 1_793_534_400_000),
    ("2000-02-29T23:59:59.999Z", 951_868_799_999), ("1969-12-31T23:59:59.999Z", -1),
    ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
    ("0000-03-01T00:00:00Z", -62_162_035_200_000),
  ])
  func `a time goes through its text and back`(_ text: String, _ milliseconds: Int) {
    #expect(TimeText.parse(text)?.millisecondsSinceEpoch == Int64(milliseconds))
    #expect(TimeText.text(Timestamp(millisecondsSinceEpoch: Int64(milliseconds))) == text)
  }

  @Test(arguments: [
    ("2026-11-01T13:00:00+01:00", 1_793_534_400_000), ("2026-11-01t11:30:00.0004-00:30", 1_793_534_400_000),
    ("2026-11-01 12:00:00z", 1_793_534_400_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ("2026-11-01T12:00:00.123456789012345678901234567890Z", 1_793_534_400_123),
  ])
  func `every form of RFC 3339 is understood`(_ text: String, _ milliseconds: Int) {
    #expect(TimeText.parse(text)?.millisecondsSinceEpoch == Int64(milliseconds))
  }

  @Test(arguments: [
    "", "garbage", "2026-11-01", "2026-11-01T12:00:00", "2026-13-01T12:00:00Z", "2026-02-29T12:00:00Z",
    "2026-11-01T24:00:00Z", "2026-11-01T12:60:00Z", "2026-11-01T12:00:00.Z", "2026-11-01T12:00:00Zx",
    "2026-11-01T12:00:00+1:00", "２０２６-11-01T12:00:00Z", "1793534400",
  ])
  func `what isn't a time is refused`(_ text: String) {
    #expect(TimeText.parse(text) == nil)
  }

  @Test func `times at the ends of the range have a text`() {
    #expect(TimeText.text(Timestamp(millisecondsSinceEpoch: .max)) == "+292278994-08-17T07:12:55.807Z")
    #expect(TimeText.text(Timestamp(millisecondsSinceEpoch: .min)) == "-292275055-05-16T16:47:04.192Z")
  }
}
