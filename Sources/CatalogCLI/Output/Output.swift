/// What a command found out, whatever the format it is shown in.
///
/// As `json` it is one document, whose members are stable; more may be added:
///
/// ```json
/// {"command": "policy simulate", "version": 1, "summary": {"lifetime": "10m"}, "rows": [{"ageSeconds": 0}]}
/// ```
///
/// As `ndjson` it is the rows, one object a line; as `csv` a line of keys and the rows (RFC 4180). For these
/// two the notes go to standard error. As `table` it is for people, and its form may change.
package struct Output: Hashable, Sendable {
  /// A column, or a field if each row is shown on lines of its own.
  package struct Column: Hashable, Sendable {
    /// The name in JSON and CSV; it carries the unit if the value doesn't.
    package let key: String
    /// The heading in tables; nil leaves the column out of them.
    package let title: String?
    /// Whether it is shortened if a row doesn't fit the terminal.
    package let isFlexible: Bool

    package init(_ key: String, _ title: String?, isFlexible: Bool = false) {
      self.key = key
      self.title = title
      self.isFlexible = isFlexible
    }
  }

  /// How a table shows it.
  package enum Layout: Hashable, Sendable {
    /// One line for each row.
    case rows
    /// One line for each field of each row.
    case fields
  }

  /// A fact about the whole that tables show too, before the rows.
  package struct Field: Hashable, Sendable {
    package let column: Column
    package let value: Cell

    package init(_ key: String, _ title: String?, _ value: Cell) {
      column = Column(key, title)
      self.value = value
    }
  }

  /// A fact about the whole.
  package struct Fact: Hashable, Sendable {
    package let key: String
    package let value: Cell

    package init(_ key: String, _ value: Cell) {
      self.key = key
      self.value = value
    }
  }

  /// The command's name, for JSON.
  package var command: String
  package var layout: Layout
  /// Facts about the whole that tables show as fields before the rows, and JSON at the summary's start.
  package var head: [Field]
  package var columns: [Column]
  /// The rows, each with a cell for every column.
  package var rows: [[Cell]]
  /// Facts about the whole, for JSON.
  package var summary: [Fact]
  /// The same for people: sentences.
  package var notes: [String]

  package init(
    command: String, layout: Layout = .rows, head: [Field] = [], columns: [Column], rows: [[Cell]] = [],
    summary: [Fact] = [], notes: [String] = []
  ) {
    self.command = command
    self.layout = layout
    self.head = head
    self.columns = columns
    self.rows = rows
    self.summary = summary
    self.notes = notes
  }

  /// Creates an output of one row, shown as fields.
  package init(
    command: String, record: [(Column, Cell)], summary: [Fact] = [], notes: [String] = []
  ) {
    self.init(
      command: command, layout: .fields, columns: record.map(\.0), rows: [record.map(\.1)],
      summary: summary, notes: notes)
  }
}

/// The formats an output can be shown in.
package enum OutputFormat: String, CaseIterable, Sendable {
  case table, json, ndjson, csv

  /// Whether the notes are part of the text; otherwise they belong on standard error.
  var holdsNotes: Bool { self == .table }
}

extension Output {
  /// Returns the text for standard output.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - width: The columns a table may take; nil if it may take any number.
  ///   - isForTerminal: Whether it goes straight to a terminal: then even CSV, which otherwise keeps every
  ///     text byte for byte, is made safe.
  /// - Returns: The text, with a line break at its end unless it is empty.
  package func text(as format: OutputFormat, width: Int?, isForTerminal: Bool) -> String {
    switch format {
    case .table: TableRenderer(output: self, width: width).text
    case .json: jsonDocument.document + "\n"
    case .ndjson: rows.map { JSONValue.object(members(of: $0)).line + "\n" }.joined()
    case .csv: CSVRenderer(output: self, isForTerminal: isForTerminal).text
    }
  }

  private var jsonDocument: JSONValue {
    .object([
      .init("command", .string(command)),
      .init("version", .integer(1)),
      .init(
        "summary",
        .object(
          head.map { .init($0.column.key, $0.value.json) } + summary.map { .init($0.key, $0.value.json) })),
      .init("rows", .array(rows.map { .object(members(of: $0)) })),
    ])
  }

  private func members(of row: [Cell]) -> [JSONValue.Member] {
    zip(columns, row).map { .init($0.key, $1.json) }
  }
}
