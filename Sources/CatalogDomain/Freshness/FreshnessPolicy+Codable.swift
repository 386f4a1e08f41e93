/// A policy in JSON has durations as people write them:
///
/// ```json
/// {"lifetime": "10m", "staleWhileRevalidate": "24h", "staleIfError": "7d",
///  "serverLifetimes": {"within": ["0s", "7d"]}, "serverProhibitions": "obeyed", "futureTolerance": "60s"}
/// ```
///
/// A key that is left out keeps the standard policy's value; `"serverLifetimes": "ignored"` ignores them;
/// an unknown key is an error, since a mistyped one would be silently without effect.
extension FreshnessPolicy: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case lifetime, staleWhileRevalidate, staleIfError, serverLifetimes, serverProhibitions, futureTolerance
  }

  /// Reads a policy, and checks it.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(except: Key.allCases.map(\.rawValue), of: "A policy")
    self.init()
    let container = try decoder.container(keyedBy: Key.self)
    func duration(_ key: Key, else standard: Duration) throws -> Duration {
      guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return standard }
      return try Self.duration(text, at: container.codingPath + [key])
    }
    lifetime = try duration(.lifetime, else: lifetime)
    staleWhileRevalidate = try duration(.staleWhileRevalidate, else: staleWhileRevalidate)
    staleIfError = try duration(.staleIfError, else: staleIfError)
    futureTolerance = try duration(.futureTolerance, else: futureTolerance)
    serverLifetimes =
      try container.decodeIfPresent(ServerLifetimes.self, forKey: .serverLifetimes) ?? serverLifetimes
    serverProhibitions =
      try container.decodeIfPresent(ServerProhibitions.self, forKey: .serverProhibitions)
      ?? serverProhibitions
  }

  /// Writes every field.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(DurationText.text(lifetime), forKey: .lifetime)
    try container.encode(DurationText.text(staleWhileRevalidate), forKey: .staleWhileRevalidate)
    try container.encode(DurationText.text(staleIfError), forKey: .staleIfError)
    try container.encode(serverLifetimes, forKey: .serverLifetimes)
    try container.encode(serverProhibitions, forKey: .serverProhibitions)
    try container.encode(DurationText.text(futureTolerance), forKey: .futureTolerance)
  }

  fileprivate static func duration(_ text: String, at path: [any CodingKey]) throws -> Duration {
    guard let duration = DurationText.parse(text) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: path,
          debugDescription: "'\(text)' isn't a duration such as 500ms, 90s, 10m, 24h or 7d."))
    }
    return duration
  }
}

extension FreshnessPolicy.ServerLifetimes: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case within
  }

  /// Reads `"ignored"` or `{"within": ["0s", "7d"]}`.
  public init(from decoder: any Decoder) throws {
    // A text is tried first; whatever else it is, the object's own error says better what is wrong.
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      guard text == "ignored" else {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription: "'\(text)' is neither \"ignored\" nor {\"within\": [\"0s\", \"7d\"]}."))
      }
      self = .ignored
      return
    }
    let container = try decoder.container(keyedBy: Key.self)
    let texts = try container.decode([String].self, forKey: .within)
    try decoder.refuseKeys(except: Key.allCases.map(\.rawValue), of: "A policy's serverLifetimes")
    let bounds = try texts.map { try FreshnessPolicy.duration($0, at: container.codingPath + [Key.within]) }
    guard bounds.count == 2, bounds[0] <= bounds[1] else {
      throw DecodingError.dataCorruptedError(
        forKey: .within, in: container, debugDescription: "The bounds are two durations, the lower first.")
    }
    self = .honoured(within: bounds[0]...bounds[1])
  }

  /// Writes `"ignored"` or `{"within": ["0s", "7d"]}`.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .ignored:
      var container = encoder.singleValueContainer()
      try container.encode("ignored")
    case .honoured(let bounds):
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(
        [DurationText.text(bounds.lowerBound), DurationText.text(bounds.upperBound)], forKey: .within)
    }
  }
}

extension Decoder {
  /// Throws if there is a key that isn't known.
  fileprivate func refuseKeys(except known: [String], of what: String) throws {
    for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: codingPath + [key],
          debugDescription:
            "\(what) has no '\(key.stringValue)'; it has \(known.joined(separator: ", "))."))
    }
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
