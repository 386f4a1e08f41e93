package import CatalogDomain
internal import CatalogSQLite

extension CatalogStore {
  /// Begins a flight with one small write, which orders it among every other decision in the database.
  ///
  /// Validators are given only if the rows they stand for are there, every byte of them: else a server would
  /// answer "not modified" about rows that are damaged, for ever.
  package func begin(
    _ key: CatalogKey, unconditional: Bool, policy: FreshnessPolicy, now: ClockReading
  ) throws(CatalogError) -> Ticket {
    var mayAskConditionally = !unconditional
    if mayAskConditionally {
      do throws(CatalogError) {
        try read { connection, _ in
          let record = try record(of: key, connection)
          if record.validators != nil { try requireSeal(of: key, record, connection) }
        }
      } catch {
        guard error.code == .corrupt || error.code == .busy else { throw error }
        mayAskConditionally = false
      }
    }
    return try write(now: now) { connection in
      let record = try record(of: key, connection)
      let begun = try nextNumber(connection)
      if record.policy != policy {
        let update = try connection.prepare(
          "UPDATE catalog SET \(FreshnessPolicy.assignments) WHERE account = ? AND name = ?")
        try policy.bind(to: update, from: 1)
        try update.bind(8, key.account.number)
        try update.bind(9, key.name.rawValue)
        try update.run()
      }
      // An age that is unknown now stays so when the wall clock catches up with a stamp from the future.
      if policy.decide(stamp: record.stamp, now: now).rule == .ageUnknown {
        try setColumn("stale_mark", to: begun, of: key, connection)
      }
      try noteWallTime(now, connection)
      return Ticket(
        key: key, begun: begun, base: record.version,
        validators: mayAskConditionally && record.isLoaded ? record.validators : nil, request: now)
    }
  }

  /// Whether a decision or an answer that came after a flight's beginning makes it worthless to join.
  package func isSuperseded(_ ticket: Ticket) throws(CatalogError) -> Bool {
    try read { connection, _ in
      let record = try record(of: ticket.key, connection)
      return max(record.floor, record.staleMark, record.answered) > ticket.begun
    }
  }

  /// Writes "not modified": the stamp moves, no book row is touched.
  package func commitNotModified(
    _ ticket: Ticket, head: FetchHead, now: ClockReading
  ) throws(CatalogError) -> CommitOutcome {
    try write(now: now) { connection in
      let record = try record(of: ticket.key, connection)
      if isOutdated(ticket, record) { return .superseded }
      guard record.version == ticket.base, record.isLoaded, ticket.validators != nil else {
        return .needsUnconditional
      }
      var head = head
      if let stamp = record.stamp { head.freshness = stamp.directives.confirmed(by: head) }
      try moveStamp(
        ticket, record, head: head, validators: head.validators ?? record.validators, digest: record.digest,
        seal: record.seal, count: record.bookCount, isComplete: record.isComplete, connection)
      try noteWallTime(now, connection)
      return .notModified
    }
  }

  /// Switches a catalog to a staged answer, with its stamp, in one transaction.
  ///
  /// - Returns: What became of it; the rows are all of the old or all of the new.
  package func commit(
    _ staged: StagedAnswer, _ ticket: Ticket, isComplete claimsComplete: Bool, now: ClockReading
  ) throws(CatalogError) -> CommitOutcome {
    try staged.exclusively { () throws(CatalogError) in
      try switchTo(staged, ticket, isComplete: claimsComplete, now: now)
    }
  }

  private func switchTo(
    _ staged: StagedAnswer, _ ticket: Ticket, isComplete claimsComplete: Bool, now: ClockReading
  ) throws(CatalogError) -> CommitOutcome {
    let answer = staged.state.withLock { $0 }
    let isComplete = claimsComplete && !answer.hasUnreadableIdentifier
    return try write(on: staged.box, now: now) { connection in
      let record = try record(of: ticket.key, connection)
      if isOutdated(ticket, record) { return .superseded }
      // A document of something else has items too: that none of them is a book says nothing of the catalog.
      if answer.books == 0, answer.rejectedCount > 0 {
        let items =
          answer.rejectedCount == 1
          ? "The one item of the remote's answer couldn't"
          : "None of the \(answer.rejectedCount) items of the remote's answer could"
        throw CatalogError(
          .badResponse,
          "\(items) be taken as a book; nothing was stored. The first, \(answer.rejected.first?.position ?? "item 1"): "
            + "\(answer.rejected.first?.reason ?? "")")
      }
      if !isComplete, !record.isLoaded, answer.books == 0 {
        throw CatalogError(
          .badResponse,
          "The remote's answer was incomplete and had no book that could be taken; nothing was stored.")
      }
      let digest = answer.digest.text(isComplete: isComplete)
      let validators = isComplete ? answer.head.validators : nil
      if record.isLoaded, record.digest == digest, record.version == ticket.base {
        let key = ticket.key
        // Rows that were damaged are written anew even if the server's answer is the same.
        if try hasSealedRows(key, record, connection) {
          try moveStamp(
            ticket, record, head: answer.head, validators: validators, digest: digest, seal: record.seal,
            count: record.bookCount, isComplete: record.isComplete, connection)
          try noteWallTime(now, connection)
          // Whoever is to name what was left out needs the counts, though nothing differs.
          return answer.rejectedCount > 0 ? .updated(MergeCounts(total: record.bookCount)) : .notModified
        }
      }
      let merge = try Merge(ticket: ticket, record: record, isComplete: isComplete, connection)
      let result = try merge.run(connection)
      // The answer was made before these confirmations, so what it is "not modified" from isn't what is held.
      let isAnswer = merge.confirmations.isEmpty
      try moveStamp(
        ticket, record, head: answer.head, validators: isAnswer ? validators : nil,
        digest: isAnswer ? digest : nil, seal: result.seal, count: result.counts.total,
        isComplete: isComplete, nextTextID: merge.nextTextID, connection)
      try noteWallTime(now, connection)
      return .updated(result.counts)
    }
  }

  private func isOutdated(_ ticket: Ticket, _ record: CatalogRecord) -> Bool {
    // A discard is a floor; a newer answer is never replaced by an older one, whatever the order of arrival.
    ticket.begun < record.floor || ticket.begun < record.answered
  }

  private func moveStamp(
    _ ticket: Ticket, _ record: CatalogRecord, head: FetchHead, validators: FetchValidators?, digest: String?,
    seal: RowSeal, count: Int, isComplete: Bool, nextTextID: Int64? = nil, _ connection: borrowing Connection
  ) throws {
    let version = try nextNumber(connection)
    let update = try connection.prepare(
      """
      UPDATE catalog SET \(FetchHead.assignments), version = ?, answered = ?, is_loaded = 1, is_complete = ?,
        book_count = ?, read_seal = ?, rest_seal = ?, next_text_id = ?, validated_begun = ?, validated_wall = ?,
        validated_continuous = ?, validated_boot = ?, latest_wall_seen = ?, entity_tag = ?, last_modified = ?,
        validator_scope = ?, answer_digest = ?, failure_code = NULL, failure_at = NULL
      WHERE account = ? AND name = ?
      """)
    try head.bind(to: update, from: 1)
    try update.bind(7, version)
    try update.bind(8, ticket.begun)
    try update.bind(9, isComplete)
    try update.bind(10, Int64(count))
    try update.bind(11, Int64(bitPattern: seal.read))
    try update.bind(12, Int64(bitPattern: seal.rest))
    try update.bind(13, nextTextID ?? record.nextTextID)
    try update.bind(14, ticket.begun)
    try update.bind(15, ticket.request.wall.millisecondsSinceEpoch)
    try update.bind(16, ticket.request.continuous.wholeNanoseconds)
    try update.bind(17, ticket.request.boot)
    try update.bind(18, ticket.request.wall.millisecondsSinceEpoch)
    try update.bind(19, validators?.entityTag)
    try update.bind(20, validators?.lastModified)
    try update.bind(21, validators?.scope)
    try update.bind(22, digest)
    try update.bind(23, ticket.key.account.number)
    try update.bind(24, ticket.key.name.rawValue)
    try update.run()
  }

  /// Notes that a remote forbids keeping its newer answer: what is held is out of date and may not be renewed.
  package func commitNotStored(_ ticket: Ticket, now: ClockReading) throws(CatalogError) -> CommitOutcome {
    try write(now: now) { connection in
      let record = try record(of: ticket.key, connection)
      if isOutdated(ticket, record) { return .superseded }
      let mark = try nextNumber(connection)
      let update = try connection.prepare(
        """
        UPDATE catalog SET answered = ?, stale_mark = ?, entity_tag = NULL, last_modified = NULL,
          validator_scope = NULL, answer_digest = NULL
        WHERE account = ? AND name = ?
        """)
      try update.bind(1, ticket.begun)
      try update.bind(2, mark)
      try update.bind(3, ticket.key.account.number)
      try update.bind(4, ticket.key.name.rawValue)
      try update.run()
      return .notModified
    }
  }

  /// Notes that a flight failed, for whoever asks how the catalog stands.
  package func noteFailure(
    _ code: CatalogError.Code, of ticket: Ticket, now: ClockReading
  ) throws(CatalogError) {
    try write(now: now) { connection in
      let record = try record(of: ticket.key, connection)
      if isOutdated(ticket, record) { return }
      let update = try connection.prepare(
        "UPDATE catalog SET failure_code = ?, failure_at = ? WHERE account = ? AND name = ?")
      try update.bind(1, code.name)
      try update.bind(2, now.wall.millisecondsSinceEpoch)
      try update.bind(3, ticket.key.account.number)
      try update.bind(4, ticket.key.name.rawValue)
      try update.run()
    }
  }

  func setColumn(
    _ column: String, to number: Int64, of key: CatalogKey, _ connection: borrowing Connection
  ) throws {
    let update = try connection.prepare("UPDATE catalog SET \(column) = ? WHERE account = ? AND name = ?")
    try update.bind(1, number)
    try update.bind(2, key.account.number)
    try update.bind(3, key.name.rawValue)
    try update.run()
  }
}
