package pytest_delta_schema;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFs;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FsConstants;

/** {@link NioFileSystem} behind {@code FileContext}, the interface by which Delta writes its log. */
public final class NioFs extends ChecksumFs {
  NioFs(URI uri, Configuration conf) throws IOException, URISyntaxException { super(new Raw(conf)); }

  /** The file system without checksum files. */
  static final class Raw extends DelegateToFileSystem {
    Raw(Configuration conf) throws IOException, URISyntaxException {
      super(FsConstants.LOCAL_FS_URI, new NioFileSystem.Raw(), conf, FsConstants.LOCAL_FS_URI.getScheme(), false);
    }

    @Override
    public int getUriDefaultPort() { return -1; }

    /** As for Hadoop's local file system, it is left to the operating system to refuse names. */
    @Override
    public boolean isValidName(String name) { return true; }
  }
}
