/// Finds what somebody may have meant.
package enum Suggestion {
  /// Returns the nearest of some words, or nil if none is near.
  ///
  /// Near is one edit for up to four letters, two for up to eight, three beyond. One-letter words are never
  /// suggested.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    // A word much longer than any name can't be near one, and would be slow to compare.
    guard word.count <= 64 else { return nil }
    let reach = word.count <= 4 ? 1 : word.count <= 8 ? 2 : 3
    return
      candidates
      .filter { $0.count > 1 && $0 != word }
      .map { (word: $0, distance: distance(Array(word.lowercased()), Array($0))) }
      .filter { $0.distance <= reach }
      .min { $0.distance < $1.distance }?
      .word
  }

  /// Returns the number of letters to insert, delete, replace or swap with a neighbour (the optimal string
  /// alignment distance).
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for i in first.indices {
      var row = [i + 1]
      for j in second.indices {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (first[i] == second[j] ? 0 : 1))
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[second.count]
  }
}
