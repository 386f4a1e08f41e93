/// A promise that an implementation didn't keep.
public struct ContractViolation: Error, CustomStringConvertible, Sendable {
  /// What was expected and what happened instead.
  public let description: String

  /// Creates a violation.
  public init(_ description: String) {
    self.description = description
  }
}

package func require<Value: Equatable>(
  _ actual: Value, equals expected: Value, _ what: @autoclosure () -> String
) throws(ContractViolation) {
  guard actual == expected else {
    throw ContractViolation("\(what()): expected \(expected), got \(actual)")
  }
}
