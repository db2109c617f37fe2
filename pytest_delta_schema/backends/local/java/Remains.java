package pytest_delta_schema;

import java.util.regex.Pattern;

/** What the name of a file in the folder of a table says about a Delta log that is there, was there, or is being made. */
final class Remains {
  private Remains() {}

  /** The file that is left in the folder of every table that is created or converted; hidden from Delta and from VACUUM. */
  static final String MARKER = "_delta_schema";

  private static final Pattern LOG = Pattern.compile("\\d{20}\\.(json|checkpoint\\.([^/]+\\.)?(parquet|json))");
  private static final Pattern LEFTOVER = Pattern.compile("_delta_log/\\.{1,2}\\d{20}\\.json\\.[^./]+\\.tmp(\\.crc)?");
  private static final Pattern SIGN = Pattern.compile("_delta_log/.*|(.*/)?_change_data/.*|(.*/)?deletion_vector_[^/]*\\.bin|" + MARKER);

  /** Whether a file in {@code _delta_log} is a commit or a checkpoint, with which there is a table. */
  static boolean isLog(String name) { return LOG.matcher(name).matches(); }

  /** Whether a killed CREATE TABLE or CONVERT leaves a file; paths are relative to the folder of the table. */
  static boolean isLeftover(String path) { return LEFTOVER.matcher(path).matches(); }

  /** Whether a file says that the files beside it belong to a Delta table, although it has no log. */
  static boolean isSign(String path) { return SIGN.matcher(path).matches() && !isLeftover(path); }
}
