package pytest_delta_schema;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system, without the processes that it starts. Without its native library, Hadoop runs {@code chmod} for
 * each file and folder that it creates, and {@code readlink} for each file that it renames: about twenty processes for one
 * commit of Delta 4.4.0. The Java library does the same by system calls. Checksum files stay as they are.
 */
public final class NioFileSystem extends LocalFileSystem {
  public NioFileSystem() { super(new Raw()); }

  /** The file system without checksum files. */
  static final class Raw extends RawLocalFileSystem {
    private static final String MODE = "unix:mode";
    /** The set-user-ID and set-group-ID bits, which chmod keeps for a folder. */
    private static final int KEPT = 06000;

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      java.nio.file.Path file = pathToFile(path).toPath();
      int mode = permission.toShort();
      if (Files.isDirectory(file)) mode |= ((Integer) Files.getAttribute(file, MODE)).intValue() & KEPT;
      Files.setAttribute(file, MODE, Integer.valueOf(mode));
    }

    /** Hadoop looks for a link at the whole text of the path, scheme included. Where there is none, it shows the file. */
    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
      return Files.isSymbolicLink(Paths.get(path.toString())) ? super.getFileLinkStatus(path) : getFileStatus(path);
    }
  }
}
