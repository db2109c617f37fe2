package pytest_delta_schema;

import java.util.ArrayList;
import java.util.Collections;
import org.apache.hadoop.fs.*;

/** Lists the files below a folder that Spark would read, in one call, and writes marker files for Delta tables. */
public final class FileLister {
  public FileLister() {}

  private static final String MARK = "The files in this folder belong to a Delta table. If _delta_log is lost, restore it from a backup:\n"
      + "without it, rows that were deleted or replaced cannot be told from the others, and a conversion brings them back.\n";

  /** Writes a file by which later conversions see that the files in a folder belong to a Delta table. */
  public void mark(Object session, String table) throws java.io.IOException {
    Path place = new Path(table, Remains.MARKER);
    FileSystem files = place.getFileSystem(Sessions.state(session).newHadoopConf());
    if (files instanceof ChecksumFileSystem) files = ((ChecksumFileSystem) files).getRawFileSystem();
    FSDataOutputStream stream = files.create(place, true);
    try {
      stream.write(MARK.getBytes("UTF-8"));
    } finally {
      stream.close();
    }
  }

  /**
   * The relative paths of all files below a path, sorted, one in a line. The line before them has the format of the first
   * file and, behind a tab, the file that shows that all of them belong to a Delta table whose log is gone.
   */
  public String list(Object session, String text) throws java.io.IOException {
    Path root = new Path(text);
    FileSystem files = root.getFileSystem(Sessions.state(session).newHadoopConf());
    if (!files.exists(root)) return "nothing\t";
    String base = files.makeQualified(root).toUri().getPath();
    ArrayList found = new ArrayList();
    String sign = "";
    RemoteIterator all = files.listFiles(root, true);
    while (all.hasNext()) {
      LocatedFileStatus each = (LocatedFileStatus) all.next();
      String path = each.getPath().toUri().getPath().substring(base.length());
      String relative = path.startsWith("/") ? path.substring(1) : path;
      if (Remains.isSign(relative)) sign = relative;
      else if (each.getLen() > 0 && !isHidden(relative)) found.add(relative);
    }
    Collections.sort(found);
    boolean isDelta = holdsLog(files, new Path(root, "_delta_log"));
    String kind = isDelta ? "delta" : found.isEmpty() ? "nothing" : kind(files, new Path(root, (String) found.get(0)));
    StringBuilder answer = new StringBuilder(kind + "\t" + (isDelta ? "" : sign));
    for (int i = 0; i < found.size(); i++) answer.append('\n').append((String) found.get(i));
    return answer.toString();
  }

  private static boolean holdsLog(FileSystem files, Path log) throws java.io.IOException {
    FileStatus[] children = files.exists(log) ? files.listStatus(log) : new FileStatus[0];
    for (int i = 0; i < children.length; i++) {
      if (Remains.isLog(children[i].getPath().getName())) return true;
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

  /** The format of a file, by its first bytes or else by its name. */
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
