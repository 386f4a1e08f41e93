import CatalogCLI
import CatalogDomain
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BookLineTests {
  @Test func `a row shows the loan and the title, and JSON has everything`() {
    var entry = CatalogEntry(identifier: .text("urn:x:1"), title: "The \u{202E}Sea")
    entry.subtitle = "A Voyage"
    entry.authors = ["A", "B"]
    entry.isBorrowed = true
    entry.borrowedUntil = Timestamp(millisecondsSinceEpoch: 1_793_534_400_000)
    let output = Output(
      command: "list", columns: BookLine.columns,
      rows: [
        BookLine.cells(id: 7, entry),
        BookLine.cells(id: 8, CatalogEntry(identifier: .number(8), title: "Land")),
      ])
    #expect(
      output.text(as: .table, width: nil, isForTerminal: true) == """
        LOAN      TITLE
        borrowed  The <U+202E>Sea
                  A, B · due 2026-11-01T12:00:00Z
                  Land

        """)
    #expect(
      output.text(as: .ndjson, width: nil, isForTerminal: false) == """
        {"isBorrowed":true,"title":"The \\u202eSea","id":7,"identifier":"urn:x:1",\
        "subtitle":"A Voyage","authors":["A","B"],\
        "language":null,"borrowedUntil":"2026-11-01T12:00:00Z","updated":null}
        {"isBorrowed":false,"title":"Land","id":8,"identifier":8,"subtitle":null,"authors":[],"language":null,\
        "borrowedUntil":null,"updated":null}

        """)
  }

  @Test func `a cell of several lines takes several lines of a table`() {
    let output = Output(
      command: "x", columns: [.init("a", "A"), .init("b", "B"), .init("c", "C")],
      rows: [
        [.mark(true, shown: "x"), .lines("t", shown: ["one", "second\u{1B}"]), .number(1)],
        [.mark(false, shown: "x"), .lines("u", shown: ["two"]), .number(20)],
      ])
    #expect(
      output.text(as: .table, width: nil, isForTerminal: true) == """
        A  B         C
        x  one       1
           second␛    
           two      20

        """)
    #expect(output.text(as: .csv, width: nil, isForTerminal: false) == "a,b,c\r\ntrue,t,1\r\nfalse,u,20\r\n")
  }
}
