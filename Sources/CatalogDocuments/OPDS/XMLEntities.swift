/// The entities that HTML names and XML doesn't: feeds hold them all the same.
enum XMLEntities {
  /// Returns the document with HTML's entities as numbers, which every parser knows; nil if it declares
  /// entities of its own, which may unfold without end.
  ///
  /// What no table knows becomes the text that it looks like.
  static func replacingNamed(in bytes: [UInt8]) -> [UInt8]? {
    // Text of two bytes a character has its ampersands elsewhere; such a feed is read as it is.
    guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
    if declaresEntities(bytes) { return nil }
    guard bytes.contains(0x26) else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x3C, bytes[index...].starts(with: Array("<![CDATA[".utf8)) {
        let end = firstIndex(of: Array("]]>".utf8), in: bytes, from: index) ?? bytes.count
        result += bytes[index..<end]
        index = end
        continue
      }
      guard byte == 0x26 else {
        result.append(byte)
        index += 1
        continue
      }
      let name = bytes[(index + 1)...].prefix(32).prefix { $0.isASCIILetterOrDigit }
      guard let first = name.first, first != 0x23, index + 1 + name.count < bytes.count,
        bytes[index + 1 + name.count] == 0x3B
      else {
        result.append(byte)
        index += 1
        continue
      }
      let text = String(decoding: name, as: UTF8.self)
      if own.contains(text) {
        result += Array("&\(text);".utf8)
      } else if let number = numbers[text] {
        result += Array("&#\(number);".utf8)
      } else {
        result += Array("&amp;\(text);".utf8)
      }
      index += name.count + 2
    }
    return result
  }

  /// Returns the text of a piece of HTML: without its tags, and with its entities undone.
  static func plainText(ofHTML html: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = Substring(html).unicodeScalars
    // Once none is left there is none to look for: else what has many beginnings would be searched for each.
    var hasEnds = true
    while let scalar = rest.popFirst() {
      if hasEnds, scalar == "<", let next = rest.first,
        next == "/" || next == "!" || next.properties.isAlphabetic
      {
        if let end = rest.firstIndex(of: ">") {
          rest = rest[rest.index(after: end)...]
        } else {
          hasEnds = false
          result.append(scalar)
        }
      } else if scalar == "&", let end = rest.prefix(33).firstIndex(of: ";"),
        let character = character(String(Substring(rest[..<end])))
      {
        result.append(character)
        rest = rest[rest.index(after: end)...]
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  private static func character(_ name: String) -> Unicode.Scalar? {
    if name.hasPrefix("#x") || name.hasPrefix("#X") {
      return UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    }
    if name.hasPrefix("#") { return UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init) }
    let known: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    return known[name] ?? numbers[name].flatMap(Unicode.Scalar.init)
  }

  private static func declaresEntities(_ bytes: [UInt8]) -> Bool {
    // A declaration stands before the first element, if anywhere.
    let declaration = Array("<!ENTITY".utf8)
    guard firstIndex(of: Array("<!DOCTYPE".utf8), in: bytes, from: 0) != nil else { return false }
    return firstIndex(of: declaration, in: bytes, from: 0) != nil
  }

  /// The index after the first place where some bytes stand.
  private static func firstIndex(of wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard let first = wanted.first, bytes.count >= wanted.count else { return nil }
    var index = start
    while index <= bytes.count - wanted.count {
      if bytes[index] == first, bytes[index..<index + wanted.count].elementsEqual(wanted) {
        return index + wanted.count
      }
      index += 1
    }
    return nil
  }

  private static let own: Set<String> = ["amp", "lt", "gt", "quot", "apos"]

  /// The entities of HTML 4 (section 24) by name.
  private static let numbers: [String: UInt32] = [
    "nbsp": 160, "iexcl": 161, "cent": 162, "pound": 163, "curren": 164, "yen": 165, "brvbar": 166,
    "sect": 167, "uml": 168, "copy": 169, "ordf": 170, "laquo": 171, "not": 172, "shy": 173, "reg": 174,
    "macr": 175, "deg": 176, "plusmn": 177, "sup2": 178, "sup3": 179, "acute": 180, "micro": 181,
    "para": 182, "middot": 183, "cedil": 184, "sup1": 185, "ordm": 186, "raquo": 187, "frac14": 188,
    "frac12": 189, "frac34": 190, "iquest": 191, "Agrave": 192, "Aacute": 193, "Acirc": 194,
    "Atilde": 195, "Auml": 196, "Aring": 197, "AElig": 198, "Ccedil": 199, "Egrave": 200, "Eacute": 201,
    "Ecirc": 202, "Euml": 203, "Igrave": 204, "Iacute": 205, "Icirc": 206, "Iuml": 207, "ETH": 208,
    "Ntilde": 209, "Ograve": 210, "Oacute": 211, "Ocirc": 212, "Otilde": 213, "Ouml": 214, "times": 215,
    "Oslash": 216, "Ugrave": 217, "Uacute": 218, "Ucirc": 219, "Uuml": 220, "Yacute": 221, "THORN": 222,
    "szlig": 223, "agrave": 224, "aacute": 225, "acirc": 226, "atilde": 227, "auml": 228, "aring": 229,
    "aelig": 230, "ccedil": 231, "egrave": 232, "eacute": 233, "ecirc": 234, "euml": 235, "igrave": 236,
    "iacute": 237, "icirc": 238, "iuml": 239, "eth": 240, "ntilde": 241, "ograve": 242, "oacute": 243,
    "ocirc": 244, "otilde": 245, "ouml": 246, "divide": 247, "oslash": 248, "ugrave": 249, "uacute": 250,
    "ucirc": 251, "uuml": 252, "yacute": 253, "thorn": 254, "yuml": 255, "OElig": 338, "oelig": 339,
    "Scaron": 352, "scaron": 353, "Yuml": 376, "fnof": 402, "circ": 710, "tilde": 732, "Alpha": 913,
    "Beta": 914, "Gamma": 915, "Delta": 916, "Epsilon": 917, "Zeta": 918, "Eta": 919, "Theta": 920,
    "Iota": 921, "Kappa": 922, "Lambda": 923, "Mu": 924, "Nu": 925, "Xi": 926, "Omicron": 927, "Pi": 928,
    "Rho": 929, "Sigma": 931, "Tau": 932, "Upsilon": 933, "Phi": 934, "Chi": 935, "Psi": 936,
    "Omega": 937, "alpha": 945, "beta": 946, "gamma": 947, "delta": 948, "epsilon": 949, "zeta": 950,
    "eta": 951, "theta": 952, "iota": 953, "kappa": 954, "lambda": 955, "mu": 956, "nu": 957, "xi": 958,
    "omicron": 959, "pi": 960, "rho": 961, "sigmaf": 962, "sigma": 963, "tau": 964, "upsilon": 965,
    "phi": 966, "chi": 967, "psi": 968, "omega": 969, "thetasym": 977, "upsih": 978, "piv": 982,
    "ensp": 8194, "emsp": 8195, "thinsp": 8201, "zwnj": 8204, "zwj": 8205, "lrm": 8206, "rlm": 8207,
    "ndash": 8211, "mdash": 8212, "lsquo": 8216, "rsquo": 8217, "sbquo": 8218, "ldquo": 8220,
    "rdquo": 8221, "bdquo": 8222, "dagger": 8224, "Dagger": 8225, "bull": 8226, "hellip": 8230,
    "permil": 8240, "prime": 8242, "Prime": 8243, "lsaquo": 8249, "rsaquo": 8250, "oline": 8254,
    "frasl": 8260, "euro": 8364, "image": 8465, "weierp": 8472, "real": 8476, "trade": 8482,
    "alefsym": 8501, "larr": 8592, "uarr": 8593, "rarr": 8594, "darr": 8595, "harr": 8596, "crarr": 8629,
    "lArr": 8656, "uArr": 8657, "rArr": 8658, "dArr": 8659, "hArr": 8660, "forall": 8704, "part": 8706,
    "exist": 8707, "empty": 8709, "nabla": 8711, "isin": 8712, "notin": 8713, "ni": 8715, "prod": 8719,
    "sum": 8721, "minus": 8722, "lowast": 8727, "radic": 8730, "prop": 8733, "infin": 8734, "ang": 8736,
    "and": 8743, "or": 8744, "cap": 8745, "cup": 8746, "int": 8747, "there4": 8756, "sim": 8764,
    "cong": 8773, "asymp": 8776, "ne": 8800, "equiv": 8801, "le": 8804, "ge": 8805, "sub": 8834,
    "sup": 8835, "nsub": 8836, "sube": 8838, "supe": 8839, "oplus": 8853, "otimes": 8855, "perp": 8869,
    "sdot": 8901, "lceil": 8968, "rceil": 8969, "lfloor": 8970, "rfloor": 8971, "lang": 9001,
    "rang": 9002, "loz": 9674, "spades": 9824, "clubs": 9827, "hearts": 9829, "diams": 9830,
  ]
}

extension UInt8 {
  fileprivate var isASCIILetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}
