package pytest_delta_schema;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import javax.management.ObjectName;

/** Writes the classes that this JVM has loaded into an archive, from which a later JVM starts in half the time. */
public final class ClassArchive {
  private ClassArchive() {}

  /**
   * Writes the archive to `path` and returns the answer of the JVM. Needs -XX:+RecordDynamicDumpInfo.
   *
   * <p>The JDK prints a line about it to standard output, which belongs to the program; it goes to standard error.
   */
  public static String dump(String path) throws Exception {
    Object[] arguments = {new String[] {"dynamic_dump", path}};
    String[] signature = {String[].class.getName()};
    ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
    PrintStream output = System.out;
    System.setOut(System.err);
    try {
      return (String) ManagementFactory.getPlatformMBeanServer().invoke(commands, "vmCds", arguments, signature);
    } finally {
      System.setOut(output);
    }
  }
}
