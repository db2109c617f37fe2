package pytest_delta_schema;

import java.util.regex.Pattern;

/** Tells by the name of a file in the folder of a table whether a Delta log exists, existed, or is being created. */
final class Remains {
  private Remains() {}

  /** The file that is written to the folder of each table that is created or converted; Delta and VACUUM ignore it. */
  static final String MARKER = "_delta_schema";

  private static final Pattern LOG = Pattern.compile("\\d+\\.(json|checkpoint\\.([^/]+\\.)?(parquet|json))");
  private static final Pattern LEFTOVER = Pattern.compile("_delta_log/\\.{1,2}\\d{20}\\.json\\.[^./]+\\.tmp(\\.crc)?");
  private static final Pattern SIGN = Pattern.compile("_delta_log/.*|(.*/)?_change_data/.*|(.*/)?deletion_vector_[^/]*\\.bin|" + MARKER);

  /** Whether a file in {@code _delta_log} is a commit or a checkpoint, so the table exists. */
  static boolean isLog(String name) { return LOG.matcher(name).matches(); }

  /** Whether a file was left by a killed CREATE TABLE or CONVERT; paths are relative to the folder of the table. */
  static boolean isLeftover(String path) { return LEFTOVER.matcher(path).matches(); }

  /** Whether a file shows that the files next to it belong to a Delta table, although there is no log. */
  static boolean isSign(String path) { return SIGN.matcher(path).matches() && !isLeftover(path); }
}
