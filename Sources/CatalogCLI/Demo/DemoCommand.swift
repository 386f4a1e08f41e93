import CatalogDomain

extension CommandSpec {
  /// Shows what the library does, with real files.
  package static let demo = CommandSpec(
    "demo",
    abstract:
      "Take a tour: load, read, go offline, expire, switch accounts and sign out, in a temporary folder.",
    discussion: [
      "The tour brings two small catalogs and a clock of its own. Everything it shows is done by the library: a "
        + "real file, a real database, real failures. Each step checks what it says; one that doesn't hold exits "
        + "with 1."
    ],
    examples: ["demo"],
    isWriting: true,
    run: { context throws(CommandFailure) in
      let tour = try DemoTour(console: context.console)
      try await tour.run()
      return .done
    })
}
