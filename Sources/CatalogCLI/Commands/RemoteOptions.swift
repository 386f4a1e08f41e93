import CatalogDomain
import CatalogRemotes
import Foundation

/// The options that name a remote, who asks it, and for how long.
enum RemoteOptions {
  /// The environment's name for the password.
  static let passwordVariable = "CATALOG_PASSWORD"

  static let from = Option(
    file: "from", value: "source",
    help: "A file, - for standard input, or an address with http: or https: (JSON, OPDS 1 or OPDS 2).")
  static let kind = Option<ServerCatalog.Kind>(
    choice: "kind", value: "kind", defaultText: "as the answer shows",
    help: "What the address has: a plain JSON catalog, or OPDS of either version.")
  static let user = Option<String>(
    "user", value: "name", isSensitive: true,
    help:
      "Sign in as this user; the password comes from --password-file, \(passwordVariable) or the terminal.",
    read: { $0.isEmpty ? .failure(ValueProblem("The name is empty.")) : .success($0) })
  static let passwordFile = Option(
    file: "password-file", value: "file", help: "The file whose first line is the password.")
  static let tokenVariable = Option<String>(
    "token-env", value: "variable", help: "Sign in with the token in this variable of the environment.",
    read: { text in
      text.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
        ? .success(text) : .failure(ValueProblem("Please provide a variable's name, not the token itself."))
    })
  static let languages = Option<[String]>(
    "languages", value: "tags", defaultText: "as the server likes",
    help: "The reader's languages, best first, such as fr-CA,en: for titles that are in several.",
    read: { text in
      let tags = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard tags.allSatisfy({ $0.wholeMatch(of: /[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*/) != nil }) else {
        return .failure(
          ValueProblem("Please provide language tags such as sv or pt-BR, with commas between."))
      }
      return .success(tags)
    })
  static let timeout = SharedOptions.duration(
    "timeout", help: "How long one answer of a server may take (standard: 5m).")

  /// Those that are about servers alone.
  static let ofServers = [
    kind.spec, user.spec, passwordFile.spec, tokenVariable.spec, languages.spec, timeout.spec,
  ]

  static let exclusive = [[user.spec, tokenVariable.spec], [passwordFile.spec, tokenVariable.spec]]

  /// Returns what is wrong with the options together.
  static func problem(_ call: CommandCall) -> String? {
    if call.has(passwordFile.spec), !call.has(user.spec) {
      return "--password-file is a user's. Give --user too."
    }
    if let timeout = call[timeout], timeout <= .zero {
      return "No server answers in no time. Give --timeout a longer one."
    }
    guard let source = call[from], !isAddress(source),
      let option = ofServers.first(where: { call.has($0) })
    else { return nil }
    return "--\(option.long) is for a server. Give --from an address that begins with http: or https:."
  }

  /// Whether a source names a server; a path may hold anything else.
  static func isAddress(_ source: String) -> Bool {
    let start = source.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  /// Returns the address that a source is; nil if it is a file.
  static func url(of source: String, _ call: CommandCall) throws(CommandFailure) -> URL? {
    guard isAddress(source) else { return nil }
    guard let url = URL(string: source), url.host(percentEncoded: true)?.isEmpty == false else {
      throw call.usageFailure(
        "The address can't be read. Check it, and escape what isn't plain.", about: from.spec)
    }
    guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
      throw call.usageFailure(
        "The address holds a user name or a password, which others may read there. Take them out, and give "
          + "--user.", about: from.spec)
    }
    return url
  }

  /// Says by which options a server is told who asks, if it wanted to know and wasn't told.
  static func advice(on error: CatalogError) -> CatalogError {
    guard let missing = error.cause as? HTTPCredentialsMissing else { return error }
    var error = error
    error.message += missing.takesPasswords ? " Give --user, or --token-env." : " Give --token-env."
    return error
  }

  /// What to do about a source that is no file: perhaps it was meant as an address.
  static func advice(onMissing source: String) -> String {
    let start = source.prefix { $0 != "/" }
    let isHost = start.contains(":") || start.contains(".") && source.contains("/") && !start.hasPrefix(".")
    return isHost || start == "localhost"
      ? "check the path; an address begins with http:// or https://." : "check the path."
  }
}

/// What a command line says of a server: what it is asked for, by whom, and how.
struct ServerOptions {
  let url: URL
  let kind: ServerCatalog.Kind?
  let credentials: [HTTPCredentials]
  let options: HTTPOptions
  let meter: HTTPMeter

  init(_ url: URL, for account: AccountID, _ context: CommandContext) throws(CommandFailure) {
    self.url = url
    kind = context.call[RemoteOptions.kind]
    credentials = try Self.credentials(url, account, context)
    var options = HTTPOptions()
    var idle = Duration.seconds(30)
    if let timeout = context.call[RemoteOptions.timeout] {
      options.deadline = timeout
      // Whoever allows a server so much time allows it to be spent in silence.
      idle = timeout
    }
    self.options = options
    meter = HTTPMeter(URLSessionTransport(idleTimeout: idle))
  }

  /// The catalog, as a remote to refresh from.
  var catalog: ServerCatalog {
    ServerCatalog(url, kind: kind, credentials: credentials, options: options, transport: meter)
  }

  private static func credentials(
    _ url: URL, _ account: AccountID, _ context: CommandContext
  ) throws(CommandFailure) -> [HTTPCredentials] {
    let call = context.call
    if let name = call[RemoteOptions.tokenVariable] {
      guard let token = context.console.environment[name], !token.isEmpty else {
        throw call.usageFailure(
          "The variable \(name) isn't set, or is empty. Put the token in it.",
          about: RemoteOptions.tokenVariable.spec)
      }
      return try CommandFailure.translating { () throws(CatalogError) in
        [try HTTPCredentials.bearer(token: token, for: account, at: url)]
      }
    }
    guard let user = call[RemoteOptions.user] else { return [] }
    let password = try password(context)
    return try CommandFailure.translating { () throws(CatalogError) in
      [try HTTPCredentials.basic(user: user, password: password, for: account, at: url)]
    }
  }

  private static func password(_ context: CommandContext) throws(CommandFailure) -> String {
    if let path = context.call[RemoteOptions.passwordFile] {
      let bytes = try InputFile.read(path, as: "password", limit: 4096, console: context.console)
      let password = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
      guard !password.isEmpty else {
        throw context.call.usageFailure(
          "The first line of the file is empty, where the password should be.",
          about: RemoteOptions.passwordFile.spec)
      }
      return password
    }
    let variable = context.console.environment[RemoteOptions.passwordVariable]
    if let password = variable, !password.isEmpty { return password }
    guard context.console.isInputTerminal, let password = try context.console.readSecret("Password: ") else {
      throw context.call.usageFailure(
        "Missing the password. Give --password-file <file>, set \(RemoteOptions.passwordVariable), or run it "
          + "on a terminal.")
    }
    return password
  }
}
