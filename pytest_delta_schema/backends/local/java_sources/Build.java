package pytest_delta_schema;

import java.io.File;
import org.codehaus.commons.compiler.util.resource.ResourceFinder;
import org.codehaus.janino.ClassLoaderIClassLoader;
import org.codehaus.janino.Compiler;
import org.codehaus.janino.IClassLoader;

/** Compiles the other classes of this folder with the compiler that Spark bundles; no JDK is needed. */
public class Build {
  /** Arguments: the folder for the classes, then the source files. */
  public static void main(String[] arguments) throws Exception {
    IClassLoader classPath = new ClassLoaderIClassLoader(Thread.currentThread().getContextClassLoader());
    Compiler compiler = new Compiler(ResourceFinder.EMPTY_RESOURCE_FINDER, classPath);
    compiler.setDestinationDirectory(new File(arguments[0]), false);
    // Older source levels refuse to call static methods of interfaces, of which Spark has some.
    compiler.setSourceVersion(8);
    compiler.setTargetVersion(8);
    File[] sources = new File[arguments.length - 1];
    for (int i = 0; i < sources.length; i++) sources[i] = new File(arguments[i + 1]);
    compiler.compile(sources);
  }
}
