package pytest_delta_schema;

import java.io.File;
import java.util.*;
import org.apache.spark.sql.catalyst.catalog.SessionCatalog;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.delta.catalog.DeltaCatalog;
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog;
import org.apache.spark.sql.types.StructType;

/**
 * A Delta catalog of any name: three-part names work as written, and schemas of two catalogs with one name are kept apart.
 * Each name is mapped to a physical one in calls, and back in results; physical names are accepted, too, because the super
 * class calls back with them. A table in the warehouse folder is added to the session catalog when it is first used.
 * Exceptions are thrown unchecked, because releases of Spark declare different ones.
 */
public class NamespacedDeltaCatalog extends DeltaCatalog {
  private String alias;
  private String prefix;
  private Warehouse warehouse;

  public void initialize(String name, org.apache.spark.sql.util.CaseInsensitiveStringMap options) {
    super.initialize(name, options);
    SessionCatalog session = Sessions.state(org.apache.spark.sql.SparkSession.active()).catalog();
    alias = name;
    prefix = PhysicalNames.encodeCatalog(name) + PhysicalNames.SEPARATOR;
    warehouse = new Warehouse(session, options.get("warehouse"), name);
    setDelegateCatalog(new V2SessionCatalog(session));
  }

  // With the name of the session catalog, Spark would use its older commands, which do not know the mapping.
  public String name() { return alias; }

  private boolean isForeign(String[] ns) { return ns.length != 1 || ns[0].equals("delta"); }

  private String[] in(String[] ns) {
    if (isForeign(ns) || ns[0].startsWith(prefix)) return ns;
    return new String[] {prefix + PhysicalNames.encode(ns[0])};
  }

  private String[] schema(String[] ns) {
    String[] physical = in(ns);
    if (!isForeign(physical)) warehouse.attachSchema(physical[0]);
    return physical;
  }

  private Identifier in(Identifier i) {
    if (isForeign(i.namespace())) return i;
    boolean mapped = i.namespace()[0].startsWith(prefix);
    Identifier physical = Identifier.of(in(i.namespace()), mapped ? i.name() : PhysicalNames.encode(i.name()));
    warehouse.attachTable(physical.namespace()[0], physical.name());
    return physical;
  }

  private Object lock(Identifier physical) {
    return isForeign(physical.namespace()) ? physical : warehouse.lock(physical.namespace()[0], physical.name());
  }

  private String[] out(String[] ns) {
    return new String[] {PhysicalNames.decode(ns[0].substring(prefix.length()))};
  }

  private static RuntimeException thrown(Exception e) {
    org.apache.spark.unsafe.Platform.throwException(e);
    return null;
  }

  public Table loadTable(Identifier i) { try { return super.loadTable(in(i)); } catch (Exception e) { throw thrown(e); } }
  public Table loadTable(Identifier i, long time) { try { return super.loadTable(in(i), time); } catch (Exception e) { throw thrown(e); } }
  public Table loadTable(Identifier i, String version) { try { return super.loadTable(in(i), version); } catch (Exception e) { throw thrown(e); } }
  public boolean tableExists(Identifier i) { return super.tableExists(in(i)); }
  public void invalidateTable(Identifier i) { super.invalidateTable(in(i)); }

  // SHALLOW CLONE creates a table to learn its path, and replaces it. It gives it all properties of the source as if a user
  // had set them, which refuses the ones that Delta writes by itself, and a default without its table feature (Delta 4.4.0).
  // So that table is empty; the mode of column mapping is the one property that the replacement cannot change. Spark names
  // the owner of every other new table.
  private static boolean isPlaceholder(Map m) { return !m.containsKey(TableCatalog.PROP_OWNER); }

  private static Map ofPlaceholder(Map m) {
    HashMap kept = new HashMap();
    kept.put(TableCatalog.PROP_PROVIDER, "delta");
    kept.put(TableCatalog.PROP_OWNER, System.getProperty("user.name"));
    if (m.containsKey("delta.columnMapping.mode")) kept.put("delta.columnMapping.mode", m.get("delta.columnMapping.mode"));
    return kept;
  }

  public Table createTable(Identifier i, Column[] c, Transform[] p, Map m) { if (isPlaceholder(m)) return createTable(i, new Column[0], new Transform[0], ofPlaceholder(m)); try { Identifier t = in(i); synchronized (lock(t)) { return super.createTable(t, c, p, m); } } catch (Exception e) { throw thrown(e); } }
  public Table createTable(Identifier i, StructType c, Transform[] p, Map m) { if (isPlaceholder(m)) return createTable(i, new StructType(), new Transform[0], ofPlaceholder(m)); try { Identifier t = in(i); synchronized (lock(t)) { return super.createTable(t, c, p, m); } } catch (Exception e) { throw thrown(e); } }
  public StagedTable stageCreate(Identifier i, Column[] c, Transform[] p, Map m) { try { return super.stageCreate(in(i), c, p, m); } catch (Exception e) { throw thrown(e); } }
  public StagedTable stageCreate(Identifier i, StructType c, Transform[] p, Map m) { try { return super.stageCreate(in(i), c, p, m); } catch (Exception e) { throw thrown(e); } }
  public StagedTable stageReplace(Identifier i, Column[] c, Transform[] p, Map m) { try { return super.stageReplace(in(i), c, p, m); } catch (Exception e) { throw thrown(e); } }
  public StagedTable stageReplace(Identifier i, StructType c, Transform[] p, Map m) { try { return super.stageReplace(in(i), c, p, m); } catch (Exception e) { throw thrown(e); } }
  public StagedTable stageCreateOrReplace(Identifier i, Column[] c, Transform[] p, Map m) { try { return super.stageCreateOrReplace(in(i), c, p, m); } catch (Exception e) { throw thrown(e); } }
  public StagedTable stageCreateOrReplace(Identifier i, StructType c, Transform[] p, Map m) { try { return super.stageCreateOrReplace(in(i), c, p, m); } catch (Exception e) { throw thrown(e); } }

  public Table alterTable(Identifier i, TableChange[] changes) { try { return super.alterTable(in(i), changes); } catch (Exception e) { throw thrown(e); } }
  public boolean dropTable(Identifier i) { Identifier p = in(i); return forget(p, super.dropTable(p)); }
  public boolean purgeTable(Identifier i) { try { Identifier p = in(i); return forget(p, super.purgeTable(p)); } catch (Exception e) { throw thrown(e); } }

  private boolean forget(Identifier physical, boolean dropped) {
    if (dropped && !isForeign(physical.namespace())) warehouse.forget(physical.namespace()[0], physical.name());
    return dropped;
  }

  public void renameTable(Identifier from, Identifier to) { try { super.renameTable(in(from), in(to)); } catch (Exception e) { throw thrown(e); } }

  public Identifier[] listTables(String[] ns) {
    try {
      String[] physical = schema(ns);
      if (!isForeign(physical)) warehouse.attachTables(physical[0]);
      Identifier[] all = super.listTables(physical);
      ArrayList mine = new ArrayList();
      // Spark lists the temporary views of the session with those of every schema; they have no namespace.
      for (int k = 0; k < all.length; k++) if (all[k].namespace().length == 1) mine.add(Identifier.of(out(all[k].namespace()), PhysicalNames.decode(all[k].name())));
      return (Identifier[]) mine.toArray(new Identifier[0]);
    } catch (Exception e) { throw thrown(e); }
  }

  public String[][] listNamespaces() {
    try {
      warehouse.attachSchemas();
      String[][] all = super.listNamespaces();
      ArrayList mine = new ArrayList();
      for (int k = 0; k < all.length; k++) if (all[k].length == 1 && all[k][0].startsWith(prefix)) mine.add(out(all[k]));
      return (String[][]) mine.toArray(new String[0][]);
    } catch (Exception e) { throw thrown(e); }
  }

  public String[][] listNamespaces(String[] ns) { try { return ns.length == 0 ? listNamespaces() : super.listNamespaces(schema(ns)); } catch (Exception e) { throw thrown(e); } }
  public boolean namespaceExists(String[] ns) { return super.namespaceExists(schema(ns)); }
  public Map loadNamespaceMetadata(String[] ns) { try { return super.loadNamespaceMetadata(schema(ns)); } catch (Exception e) { throw thrown(e); } }

  public void createNamespace(String[] ns, Map metadata) {
    try {
      String[] physical = schema(ns);
      HashMap located = new HashMap(metadata);
      File folder = isForeign(physical) ? null : warehouse.folder(physical[0]);
      if (folder != null && !located.containsKey("location")) located.put("location", folder.toURI().toString());
      super.createNamespace(physical, located);
    } catch (Exception e) { throw thrown(e); }
  }

  public void alterNamespace(String[] ns, NamespaceChange[] changes) { try { super.alterNamespace(schema(ns), changes); } catch (Exception e) { throw thrown(e); } }

  public boolean dropNamespace(String[] ns, boolean cascade) {
    try {
      String[] physical = schema(ns);
      // Tables that were not used yet are added, because the schema would look empty without them.
      if (!isForeign(physical)) warehouse.attachTables(physical[0]);
      return super.dropNamespace(physical, cascade);
    } catch (Exception e) { throw thrown(e); }
  }
}
