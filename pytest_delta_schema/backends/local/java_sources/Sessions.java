package pytest_delta_schema;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.Snapshot;
import org.apache.spark.sql.internal.SessionState;

/**
 * What the classes of this folder need of a Spark session. The class of a session is {@code sql.SparkSession} in Spark 3.5
 * and {@code sql.classic.SparkSession} in Spark 4, so its methods are looked up when they are called.
 */
final class Sessions {
  private Sessions() {}

  static SessionState state(Object session) {
    try {
      return (SessionState) invoke(session.getClass().getMethod("sessionState", new Class[0]), session, new Object[0]);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("this Spark has a session without a state", e);
    }
  }

  /** The newest snapshot of the table in a folder. */
  static Snapshot snapshot(Object session, Path table) {
    Method[] methods = DeltaLog.class.getMethods();
    for (int i = 0; i < methods.length; i++) {
      Class[] types = methods[i].getParameterTypes();
      boolean isIt = methods[i].getName().equals("forTableWithSnapshot") && types.length == 2 && types[1] == Path.class;
      if (isIt) return (Snapshot) ((scala.Tuple2) invoke(methods[i], null, new Object[] {session, table}))._2();
    }
    throw new IllegalStateException("this Delta opens its tables in a way that is not known");
  }

  private static Object invoke(Method method, Object target, Object[] arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      org.apache.spark.unsafe.Platform.throwException(e.getCause());
      return null;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
