package import CatalogDomain

/// What a flight holds from its beginning to its commit; numbers of the database order it, never clocks.
package struct Ticket: Sendable {
  /// Whose catalog, in which database.
  package let key: CatalogKey
  /// The number drawn when the flight began.
  package let begun: Int64
  /// The catalog's version then.
  package let base: Int64
  /// What to ask "has it changed?" with; nil to ask unconditionally.
  package let validators: FetchValidators?
  /// What the clocks said when the flight began: ages count from here.
  package let request: ClockReading
}

/// What became of an answer.
package enum CommitOutcome: Sendable {
  /// The rows were changed, or found the same one by one.
  case updated(MergeCounts)
  /// The stamp moved, no row was touched.
  case notModified
  /// A newer decision or answer came first; nothing was written.
  case superseded
  /// The answer is right for rows that are gone; it has to be fetched once more, unconditionally.
  case needsUnconditional
}

/// How many books an answer added, changed and removed.
package struct MergeCounts: Hashable, Sendable {
  package var added = 0
  package var changed = 0
  package var removed = 0
  package var total = 0
}
