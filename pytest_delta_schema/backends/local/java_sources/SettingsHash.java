package pytest_delta_schema;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.util.TreeMap;
import scala.Tuple2;
import scala.collection.Iterator;

/** Tells in one short call from Python whether the settings of a session have changed: they are hundreds. */
public final class SettingsHash {
  public SettingsHash() {}

  /** The hash of all settings of a session, without those that are given as lines. */
  public String of(Object session, String without) throws Exception {
    TreeMap settings = new TreeMap();
    Iterator all = Sessions.state(session).conf().getAllConfs().iterator();
    while (all.hasNext()) {
      Tuple2 setting = (Tuple2) all.next();
      settings.put(setting._1(), setting._2());
    }
    String[] names = without.split("\n");
    for (int i = 0; i < names.length; i++) settings.remove(names[i]);
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(settings.toString().getBytes("UTF-8"));
    return new BigInteger(1, hash).toString(16);
  }
}
