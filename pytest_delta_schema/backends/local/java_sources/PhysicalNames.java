package pytest_delta_schema;

import java.nio.charset.StandardCharsets;

/**
 * Maps the schemas of all catalogs to schemas of Spark's session catalog: the schema `silver` of the catalog `dev` is the
 * physical schema `dev__silver`. The mapping is unique, because a part that is not plain is written in hexadecimal.
 * The Python module physical_names.py has the same rules; a test compares the two.
 */
public final class PhysicalNames {
  static final String SEPARATOR = "__";
  static final String ESCAPED = "hex_";

  private PhysicalNames() {}

  /** The physical form of one part, which the session catalog accepts whatever characters the part has. */
  public static String encode(String part) {
    String folded = part.toLowerCase(java.util.Locale.ROOT);
    return isPlain(folded) ? folded : ESCAPED + hex(folded);
  }

  /** The physical form of the name of a catalog, which never contains the separator. */
  public static String encodeCatalog(String part) {
    String folded = part.toLowerCase(java.util.Locale.ROOT);
    boolean splits = folded.contains(SEPARATOR) || folded.endsWith("_");
    return isPlain(folded) && !splits ? folded : ESCAPED + hex(folded);
  }

  /** The name part of a physical form. */
  public static String decode(String physical) {
    if (!physical.startsWith(ESCAPED)) return physical;
    byte[] bytes = new byte[(physical.length() - ESCAPED.length()) / 2];
    for (int i = 0; i < bytes.length; i++) {
      int at = ESCAPED.length() + 2 * i;
      bytes[i] = (byte) Integer.parseInt(physical.substring(at, at + 2), 16);
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static boolean isPlain(String part) {
    if (part.isEmpty() || part.startsWith(ESCAPED)) return false;
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_')) return false;
    }
    return true;
  }

  private static String hex(String part) {
    StringBuilder text = new StringBuilder();
    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      text.append(Character.forDigit(bytes[i] >> 4 & 15, 16)).append(Character.forDigit(bytes[i] & 15, 16));
    }
    return text.toString();
  }
}
