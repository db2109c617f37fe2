package pytest_delta_schema;

import java.io.File;
import java.util.ArrayList;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.*;
import org.apache.spark.sql.delta.*;
import org.apache.spark.sql.delta.actions.DomainMetadata;
import scala.Option;

/**
 * Reads the states of many tables in one call from Python, without a Spark job. Each table is one line: kind, location,
 * version, metadata, protocol and clustering as JSON, separated by tabs. JSON holds neither tabs nor line ends.
 */
public final class StateReader {
  public StateReader() {}

  /** The states of tables, given as lines of physical schema, physical table and warehouse path, separated by tabs. */
  public String read(Object session, String request) {
    StringBuilder answer = new StringBuilder();
    String[] lines = request.split("\n");
    for (int i = 0; i < lines.length; i++) {
      String[] parts = lines[i].split("\t");
      answer.append(line(session, parts[0], parts[1], parts[2])).append('\n');
    }
    return answer.toString();
  }

  private static String line(Object session, String schema, String table, String path) {
    String place = path;
    try {
      SessionCatalog catalog = Sessions.state(session).catalog();
      TableIdentifier name = new TableIdentifier(table, Option.apply(schema));
      File target = Warehouse.target(new File(path));
      Path location = new Path(target.toURI());
      place = place(location);
      if (catalog.databaseExists(schema) && catalog.tableExists(name)) {
        CatalogTable entry = catalog.getTableMetadata(name);
        if (entry.tableType().equals(CatalogTableType.VIEW())) return "view";
        String provider = entry.provider().isDefined() ? (String) entry.provider().get() : "hive";
        if (!provider.equalsIgnoreCase("delta")) return other(provider, entry);
        location = new Path(entry.location());
        place = place(location);
      } else if (!Warehouse.holdsLog(target)) {
        String hidden = hidden(target);
        if (hidden != null) return "hidden\t" + hidden;
        return unknown(target, catalog.databaseExists(schema));
      }
      return delta(session, location, place);
    } catch (Throwable e) {
      return "unreadable\t" + place + "\t" + oneLine(e);
    }
  }

  private static String other(String provider, CatalogTable entry) {
    return "provider\t" + provider + "\t" + place(new Path(entry.location())) + "\t" + entry.schema().json() + "\t" + entry.partitionSchema().json();
  }

  /** A location for Python: a plain path if it is local. */
  private static String place(Path location) {
    String scheme = location.toUri().getScheme();
    return scheme == null || scheme.equals("file") ? location.toUri().getPath() : location.toString();
  }

  private static String delta(Object session, Path location, String place) {
    Snapshot snapshot = Sessions.snapshot(session, location);
    if (snapshot.version() < 0) return "gone\t" + place;
    String protocol = snapshot.protocol().json();
    String clustering = protocol.indexOf("clustering") < 0 ? "" : clustering(snapshot);
    return "delta\t" + place + "\t" + snapshot.version() + "\t" + snapshot.metadata().json() + "\t" + protocol + "\t" + clustering;
  }

  /** The content of the clustering domain. It is in the checksum file; without that file Delta runs a job. */
  private static String clustering(Snapshot snapshot) {
    Option checksum = snapshot.checksumOpt();
    Option known = checksum.isDefined() ? ((VersionChecksum) checksum.get()).domainMetadata() : checksum;
    scala.collection.Seq domains = (scala.collection.Seq) (known.isDefined() ? known.get() : snapshot.domainMetadata());
    for (int i = 0; i < domains.size(); i++) {
      DomainMetadata each = (DomainMetadata) domains.apply(i);
      if (each.domain().equals("delta.clustering") && !each.removed()) return each.configuration();
    }
    return "";
  }

  /** Why a folder cannot be read, which is not the same as a missing folder: its table must never be created again. */
  private static String hidden(File folder) throws java.io.IOException {
    File log = new File(folder, "_delta_log");
    try {
      java.nio.file.Files.newDirectoryStream(log.toPath()).close();
    } catch (java.nio.file.NoSuchFileException e) {
      return null;
    } catch (java.nio.file.NotDirectoryException e) {
      return null;
    } catch (java.nio.file.FileSystemException e) {
      String reason = e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
      return "nobody may look into " + log + ": " + reason;
    }
    return null;
  }

  private static String unknown(File folder, boolean schemaIsKnown) {
    if (!schemaIsKnown && !folder.getParentFile().isDirectory()) return "absent\tschema";
    ArrayList signs = new ArrayList();
    if (!holdsFiles(folder, "", signs)) return "absent";
    return "files\t" + (signs.isEmpty() ? "" : (String) signs.get(0));
  }

  /** Whether a folder holds files other than those that a killed CREATE TABLE leaves. */
  private static boolean holdsFiles(File folder, String above, ArrayList signs) {
    File[] children = folder.listFiles();
    boolean holds = false;
    for (int i = 0; children != null && i < children.length; i++) {
      String path = above + children[i].getName();
      if (children[i].isDirectory()) {
        holds |= holdsFiles(children[i], path + "/", signs);
      } else if (!Remains.isLeftover(path)) {
        holds = true;
        if (Remains.isSign(path)) signs.add(path);
      }
    }
    return holds;
  }

  private static String oneLine(Throwable e) {
    String text = e.getMessage() == null ? e.getClass().getName() : e.getMessage();
    return text.replace('\t', ' ').replace('\r', ' ').replace('\n', ' ');
  }
}
