package pytest_delta_schema;

import java.util.ArrayList;
import java.util.Collections;
import org.apache.hadoop.fs.*;
import org.apache.spark.sql.classic.SparkSession;

/** Lists the files below a folder in one round trip, as Spark would read them: hidden ones are left out. */
public final class FileLister {
  public FileLister() {}

  /** The paths of all files below a path, relative to it and sorted, one a line; behind a line with what the first is. */
  public String list(Object session, String text) throws java.io.IOException {
    Path root = new Path(text);
    FileSystem files = root.getFileSystem(((SparkSession) session).sessionState().newHadoopConf());
    if (!files.exists(root)) return "nothing";
    String base = files.makeQualified(root).toUri().getPath();
    ArrayList found = new ArrayList();
    RemoteIterator all = files.listFiles(root, true);
    while (all.hasNext()) {
      LocatedFileStatus each = (LocatedFileStatus) all.next();
      String path = each.getPath().toUri().getPath().substring(base.length());
      String relative = path.startsWith("/") ? path.substring(1) : path;
      if (each.getLen() > 0 && !isHidden(relative)) found.add(relative);
    }
    Collections.sort(found);
    boolean isDelta = holdsLog(files, new Path(root, "_delta_log"));
    if (found.isEmpty()) return isDelta ? "delta" : "nothing";
    StringBuilder answer = new StringBuilder(isDelta ? "delta" : kind(files, new Path(root, (String) found.get(0))));
    for (int i = 0; i < found.size(); i++) answer.append('\n').append((String) found.get(i));
    return answer.toString();
  }

  private static boolean holdsLog(FileSystem files, Path log) throws java.io.IOException {
    FileStatus[] children = files.exists(log) ? files.listStatus(log) : new FileStatus[0];
    for (int i = 0; i < children.length; i++) {
      String name = children[i].getPath().getName();
      if (name.endsWith(".json") || name.endsWith(".checkpoint.parquet")) return true;
    }
    return false;
  }

  private static boolean isHidden(String path) {
    String[] parts = path.split("/");
    for (int i = 0; i < parts.length; i++) {
      boolean isPartition = parts[i].indexOf('=') > 0;
      if (parts[i].startsWith(".") || (parts[i].startsWith("_") && !isPartition)) return true;
    }
    return false;
  }

  /** What a file is, by its first bytes, or else by its name. */
  private static String kind(FileSystem files, Path path) throws java.io.IOException {
    byte[] head = new byte[4];
    FSDataInputStream stream = files.open(path);
    try {
      int length = stream.read(head);
      String text = length < 4 ? "" : new String(head, "ISO-8859-1");
      if (text.equals("PAR1")) return "parquet";
      if (text.startsWith("ORC")) return "orc";
      if (text.startsWith("Obj")) return "avro";
    } finally {
      stream.close();
    }
    String name = path.getName();
    int dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(dot + 1) : "unknown files";
  }
}
