package pytest_delta_schema;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.util.MutableURLClassLoader;

/**
 * Lets the tasks of a context use the classes that Spark has generated for tasks of earlier contexts of the JVM.
 *
 * Spark 4 keeps generated classes for each class loader apart, and each context makes a loader for its tasks, whose parent
 * is that of all contexts. As long as no jar was added to the context, its loader finds what its parent finds.
 */
public final class SharedTaskClasses implements SparkPlugin, ExecutorPlugin {
  public DriverPlugin driverPlugin() {
    return null;
  }

  public ExecutorPlugin executorPlugin() {
    return this;
  }

  public void onTaskStart() {
    Thread task = Thread.currentThread();
    ClassLoader loader = task.getContextClassLoader();
    if (loader == null || loader.getClass() != MutableURLClassLoader.class) return;
    if (((MutableURLClassLoader) loader).getURLs().length == 0) task.setContextClassLoader(loader.getParent());
  }
}
