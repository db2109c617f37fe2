package pytest_delta_schema;

import java.io.File;
import java.lang.reflect.Method;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.*;
import scala.Option;

/**
 * Finds the tables that earlier processes have created in the warehouse folder. The session catalog is kept in memory, and
 * the folders stay. A schema or table that the session catalog lacks, but whose folder exists, is added to it: only as an
 * entry, so it is fast and the table is dropped like any managed one.
 */
public final class Warehouse {
  /** The file in the folder of a table with its location, if the table is elsewhere. */
  static final String MARKER = "_location";

  private final SessionCatalog session;
  private final File root;
  private final String prefix;

  Warehouse(SessionCatalog session, String root, String catalog) {
    this.session = session;
    this.root = root == null ? null : entry(new File(root), PhysicalNames.encodeCatalog(catalog), true);
    this.prefix = PhysicalNames.encodeCatalog(catalog) + PhysicalNames.SEPARATOR;
  }

  /** The folder of a schema of this catalog; null if there is none. */
  File folder(String physicalSchema) {
    return root == null ? null : entry(root, physicalSchema.substring(prefix.length()), false);
  }

  /** The folder of a physical name, which another program may have written in another form: `Order Items`. */
  private static File entry(File parent, String physical, boolean isCatalog) {
    File folder = new File(parent, physical);
    String[] names = folder.exists() ? null : parent.list();
    if (names != null) java.util.Arrays.sort(names);
    for (int i = 0; names != null && i < names.length; i++) {
      if (encoded(names[i], isCatalog).equals(physical)) return new File(parent, names[i]);
    }
    return folder;
  }

  private static String encoded(String name, boolean isCatalog) {
    String part = PhysicalNames.decode(name);
    return isCatalog ? PhysicalNames.encodeCatalog(part) : PhysicalNames.encode(part);
  }

  void attachSchema(String physicalSchema) {
    File folder = folder(physicalSchema);
    if (folder == null || !folder.isDirectory() || session.databaseExists(physicalSchema)) return;
    scala.collection.immutable.Map none = scala.collection.immutable.Map$.MODULE$.empty();
    session.createDatabase(new CatalogDatabase(physicalSchema, "", folder.toURI(), none), true);
  }

  void attachSchemas() {
    String[] names = root == null ? null : root.list();
    for (int i = 0; names != null && i < names.length; i++) attachSchema(prefix + encoded(names[i], false));
  }

  void attachTable(String physicalSchema, String physicalTable) {
    attachSchema(physicalSchema);
    File folder = folder(physicalSchema);
    if (folder == null || !session.databaseExists(physicalSchema)) return;
    TableIdentifier name = new TableIdentifier(physicalTable, Option.apply(physicalSchema));
    File place = entry(folder, physicalTable, false);
    File table = target(place);
    if (session.tableExists(name) || !holdsLog(table)) return;
    // Releases of Spark add arguments to these Scala constructors; arguments that are not given here take their defaults.
    Object storage = withDefaults(CatalogStorageFormat.empty(), "copy", new Object[] {Option.apply(table.toURI())});
    CatalogTableType type = table.equals(place) ? CatalogTableType.MANAGED() : CatalogTableType.EXTERNAL();
    Object[] given = {name, type, storage, new org.apache.spark.sql.types.StructType(), Option.apply("delta")};
    synchronized (lock(physicalSchema, physicalTable)) {
      session.createTable((CatalogTable) withDefaults(CatalogTable$.MODULE$, "apply", given), true, false);
    }
  }

  /**
   * What is held while a table is created, and while it is added here: Delta adds a new table after its first commit, and
   * fails if it was added meanwhile (Delta 4.4.0). An interned string is one object for all sessions and class loaders.
   */
  Object lock(String physicalSchema, String physicalTable) {
    return ("pytest_delta_schema " + new File(folder(physicalSchema), physicalTable)).intern();
  }

  void attachTables(String physicalSchema) {
    File folder = folder(physicalSchema);
    String[] names = folder == null ? null : folder.list();
    for (int i = 0; names != null && i < names.length; i++) attachTable(physicalSchema, encoded(names[i], false));
  }

  /** The location of a table: its folder, or the location in the marker file of that folder. */
  static File target(File place) {
    File marker = new File(place, MARKER);
    if (!marker.isFile()) return place;
    try {
      return new File(new String(java.nio.file.Files.readAllBytes(marker.toPath()), "UTF-8").trim());
    } catch (java.io.IOException e) {
      throw new IllegalStateException("the marker " + marker + " cannot be read", e);
    }
  }

  /** Removes the marker file of a dropped table; the files of the table stay. */
  void forget(String physicalSchema, String physicalTable) {
    File folder = folder(physicalSchema);
    if (folder == null) return;
    File place = entry(folder, physicalTable, false);
    if (new File(place, MARKER).delete()) place.delete();
  }

  /** Whether a folder is a Delta table: its log holds a commit or a checkpoint. */
  static boolean holdsLog(File table) {
    String[] names = new File(table, "_delta_log").list();
    for (int i = 0; names != null && i < names.length; i++) {
      if (Remains.isLog(names[i])) return true;
    }
    return false;
  }

  private static Object withDefaults(Object target, String name, Object[] given) {
    try {
      Method best = null;
      Method[] methods = target.getClass().getMethods();
      for (int i = 0; i < methods.length; i++) {
        boolean longer = best == null || methods[i].getParameterCount() > best.getParameterCount();
        if (methods[i].getName().equals(name) && longer) best = methods[i];
      }
      Object[] arguments = new Object[best.getParameterCount()];
      for (int i = 0; i < arguments.length; i++) {
        String fallback = name + "$default$" + (i + 1);
        arguments[i] = i < given.length ? given[i] : target.getClass().getMethod(fallback, new Class[0]).invoke(target, new Object[0]);
      }
      return best.invoke(target, arguments);
    } catch (Exception e) {
      throw new IllegalStateException("this Spark builds its catalog entries in a way that is not known", e);
    }
  }
}
