import CatalogDocuments
import CatalogDomain

extension CommandSpec {
  /// Writes a catalog as the plain form that `refresh` reads.
  package static let export = CommandSpec(
    "export",
    abstract: "Write an account's catalog to standard output as JSON Lines, which 'refresh' reads back.",
    discussion: [
      "One JSON object a line, by id; a catalog without books is '[]'. How old the books are is said on "
        + "standard error. What may not be served isn't exported: that exits with 69. "
        + PolicyOptions.discussion
    ],
    examples: ["export --db t.sqlite --account ada"],
    options: SharedOptions.scope + [
      SharedOptions.now.spec, SharedOptions.showAccounts.spec, SharedOptions.failIfStale.spec,
      SharedOptions.failIfEmpty.spec, SharedOptions.quiet.spec,
    ] + PolicyOptions.all,
    exclusive: PolicyOptions.exclusive,
    run: { context throws(CommandFailure) in
      let served = try ServedCatalog.read(context)
      return try context.ending(with: served.exitCode(context.call)) { () throws(CommandFailure) in
        var text = served.books.isEmpty ? PlainCatalogWriter.emptyCatalog + "\n" : ""
        for book in served.books {
          text += PlainCatalogWriter.line(for: book.entry) + "\n"
          if text.utf8.count > 1 << 16 {
            try context.console.write(text)
            text = ""
          }
        }
        if !text.isEmpty { try context.console.write(text) }
        context.remark(served.notes)
      }
    })
}
