import CatalogDomain
import CatalogRepository

extension CommandSpec {
  private static let full = Flag(
    "full", help: "Compare the indexes with their tables too, which takes longer.")

  /// Checks a database.
  package static let verify = CommandSpec(
    "verify",
    abstract: "Check a database: its pages, and that every catalog's rows are the rows that were written.",
    discussion: [
      "Problems are listed and exit with 65. Nothing is changed; a refresh replaces damaged rows."
    ],
    examples: ["verify --db t.sqlite", "verify --db t.sqlite --full --format json"],
    options: [
      SharedOptions.database.spec, full.spec, SharedOptions.format.spec, SharedOptions.quiet.spec,
    ],
    run: { context throws(CommandFailure) in
      let cache = try context.openForReading()
      let isFull = context.call.has(full)
      let report = try CommandFailure.translating { () throws(CatalogError) in
        try cache.verify(isFull ? .full : .quick)
      }
      let checked = "\(Wording.count(report.catalogs, "catalog")) with \(Wording.count(report.books, "book"))"
      let isRight = report.problems.isEmpty
      return try context.show(
        Output(
          command: context.call.name, columns: [.init("problem", "Problem")],
          rows: report.problems.map { [.text($0)] },
          summary: [
            .init("isRight", .bool(isRight)), .init("depth", .text(isFull ? "full" : "quick")),
            .init("catalogs", .number(report.catalogs)), .init("books", .number(report.books)),
            .init("problems", .number(report.problems.count)),
          ],
          notes: [
            isRight
              ? "All is well: checked \(checked)."
              : "\(Wording.count(report.problems.count, "problem")) in \(checked). Refresh the catalogs named; "
                + "if SQLite itself reports problems, move the file away and refresh into a new one."
          ]), endingWith: isRight ? .done : .badData)
    })
}
