"""Private interfaces of pyspark, Delta and py4j, and the versions in which they were tried."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta import PAIRS, below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.names import QualifiedName


PYSPARK_VERSIONS = {"pyspark": f">=3.5.3,{below(PAIRS[-1].spark)}"}
"""The versions with which these names were tested."""

_IN_MESSAGE = re.compile(r"\A\[([A-Z][A-Z0-9_.]*)\]")


def is_connect_session(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, whose JVM this process cannot reach."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def spark_version(spark: SparkSession) -> tuple[int, int]:
    """Return the version of Spark behind a session, major and minor."""
    major, minor = spark.version.split(".")[:2]
    return int(major), int(minor)


def jvm_of(spark: SparkSession) -> Any:
    """Return py4j's view of the JVM of a classic session."""
    return spark._jvm


def java_session(spark: SparkSession) -> Any:
    """Return the ``SparkSession`` of the JVM behind a classic session."""
    return spark._jsparkSession


def java_context(spark: SparkSession) -> Any:
    """Return the ``SparkContext`` of the JVM behind a classic session."""
    context: Any = spark.sparkContext
    return context._jsc.sc()


def java_frame(frame: DataFrame) -> Any:
    """Return the ``Dataset`` of the JVM behind a classic DataFrame."""
    return frame._jdf


@contextmanager
def quiet_session(spark: SparkSession) -> Iterator[None]:
    """Keep the JVM of a session from logging what fails inside of the block, which is reported by its caller."""
    level = str(jvm_of(spark).org.apache.logging.log4j.LogManager.getRootLogger().getLevel())
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield
    finally:
        spark.sparkContext.setLogLevel(level)


def java_array(spark: SparkSession, kind: Any, items: Sequence[Any] = ()) -> Any:
    """Build a Java array."""
    array = _gateway(spark).new_array(kind, len(items))
    for index, item in enumerate(items):
        array[index] = item
    return array


def frame_of_rows(spark: SparkSession, rows: Sequence[tuple[Any, ...]], schema: StructType) -> DataFrame:
    """Return a frame of given rows, as ``createDataFrame`` does.

    A classic session starts two Python processes for those rows, which only copy them, and imports numpy, pandas and
    pyarrow (pyspark 4.2). The first one in a session takes a second. Here the JVM reads the rows itself, except on
    Databricks, whose pyspark differs.
    """
    if is_connect_session(spark) or "DATABRICKS_RUNTIME_VERSION" in os.environ:
        return spark.createDataFrame(rows, schema)
    from pyspark.sql import DataFrame, types

    kinds: Any = types
    verify = kinds._make_type_verifier(schema)
    for row in rows:
        verify(row)
    session: Any = spark
    batches, _ = session._createFromLocal(rows, schema)
    serializer = jvm_of(spark).SerDeUtil
    values = serializer.toJavaArray(serializer.pythonToJava(batches._jrdd, True))  # noqa: FBT003 - rows come in batches
    return DataFrame(java_session(spark).applySchemaToPythonRDD(values.rdd(), schema.json()), spark)


def jvm_process(spark: SparkSession) -> subprocess.Popen[bytes] | None:
    """Return the process of the JVM, if this process has started it."""
    process: subprocess.Popen[bytes] | None = getattr(_gateway(spark), "proc", None)
    return process


def end_unused_jvm() -> None:
    """End the JVM of a session that was stopped, if this process has started it."""
    if "pyspark" not in sys.modules:
        return
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if process is None or SparkContext._active_spark_context is not None:
        return
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    process.stdin.close()
    process.wait()


def is_stopped(spark: SparkSession) -> bool:
    """Whether a session was stopped in this process; a session whose JVM has crashed was not."""
    if is_connect_session(spark):
        return bool(getattr(spark, "is_stopped", False))
    # Projects also give doubles of a session to fixtures.
    context: Any = getattr(spark, "sparkContext", None)
    return getattr(context, "_jsc", context) is None and context is not None


def stop_session(spark: SparkSession) -> None:
    """Stop a classic session; the thread that receives values of accumulators ends soon after.

    pyspark waits for that thread, which looks for its end every half second, and every second after a job of Python.
    That takes 0.4 s of a stop, and up to a second after such a job.
    """
    context: Any = spark.sparkContext
    server, context._accumulatorServer = context._accumulatorServer, None
    spark.stop()
    if server is not None:
        Thread(target=server.shutdown, daemon=True).start()


def is_replaced(spark: SparkSession) -> bool:
    """Whether the JVM of a classic session runs another session, which was created after it was stopped."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context not in (None, spark.sparkContext)


def shut_down_gateway(spark: SparkSession) -> None:
    """Close the connections to the JVM of a stopped session, so the next session starts its own JVM."""
    from pyspark import SparkContext

    gateway = _gateway(spark)
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()


def forget_session() -> None:
    """Remove a session whose JVM has ended from pyspark, so the next session starts its own JVM."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None


def active_spark() -> SparkSession | None:
    """Return the active session of this process, if there is one; pyspark is not imported for it."""
    if "pyspark.sql" not in sys.modules:
        return None
    import pyspark

    # A client without Spark has no contexts, and without its dependencies no sessions.
    context: Any = getattr(pyspark, "SparkContext", None)
    if context is None and "pyspark.sql.connect.session" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is None and context is not None and context._active_spark_context is not None:
        spark = SparkSession.builder.getOrCreate()
    return spark


def new_builder(options: Mapping[str, str]) -> Any:
    """Return a builder of sessions with exactly these options; pyspark's own keeps all options on its class."""
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.Builder()
    builder._options = dict(options)
    return builder


def builder_options(builder: Any) -> dict[str, str]:
    """Return the options of a builder of sessions."""
    options: dict[str, str] = builder._options
    return options


def spark_home() -> Path:
    """Return the folder of the Spark that sessions of this process run on."""
    from pyspark.find_spark_home import _find_spark_home

    return Path(_find_spark_home())


def error_condition(error: PySparkException) -> str:
    """Return the condition of an error; pyspark 3.5 calls it error class, conflicts of Delta have it in their text."""
    from pyspark.errors import IllegalArgumentException

    named: Any = error
    condition = (named.getCondition() if hasattr(named, "getCondition") else named.getErrorClass()) or ""
    if not condition and isinstance(error, IllegalArgumentException):
        return "IllegalArgumentException"
    return condition or next(iter(_IN_MESSAGE.findall(str(error))), "")


def java_condition(error: Any) -> str:
    """Return the condition of an exception of the JVM, ``""`` if it has none; Spark 3.5 calls it the error class."""
    from py4j.protocol import Py4JError

    for method in ("getCondition", "getErrorClass"):
        with suppress(Py4JError):
            return str(getattr(error, method)() or "")
    return ""


def java_stack(error: Exception) -> str:
    """Return the Java stack that pyspark keeps apart from the message of an error, ``""`` if it has none."""
    return str(getattr(error, "_stackTrace", None) or "")


def _gateway(spark: SparkSession) -> Any:
    context: Any = spark.sparkContext
    return context._gateway


class Gateway:
    """Loads tables as Delta represents them, through py4j."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.jvm = jvm_of(spark)

    def load(self, name: QualifiedName) -> Any:
        """Return a table as Delta's own ``DeltaTableV2``."""
        manager = java_session(self.spark).sessionState().catalogManager()
        namespace = self.array(self.jvm.java.lang.String, [name.schema])
        identifier = self.jvm.org.apache.spark.sql.connector.catalog.Identifier.of(namespace, name.table)
        return manager.catalog(name.catalog).loadTable(identifier)

    def array(self, kind: Any, items: Sequence[Any] = ()) -> Any:
        """Build a Java array."""
        return java_array(self.spark, kind, items)


DELTA_VERSIONS = {"delta-spark": f">=3.3.2,{below(PAIRS[-1].newest)}"}
"""The versions with which these classes were tested."""


class Transaction:
    """An optimistic transaction on a table, which commits only if nobody else has written since it began."""

    def __init__(self, gateway: Gateway, name: QualifiedName) -> None:
        self._gateway = gateway
        self._transaction = gateway.load(name).startTransactionWithInitialSnapshot()
        self._snapshot = self._transaction.snapshot()

    @property
    def version(self) -> int:
        """The version that the transaction began with."""
        return int(self._snapshot.version())

    def metadata(self) -> dict[str, Any]:
        """Return the table's ``metaData`` action, as the transaction would commit it."""
        action: dict[str, Any] = json.loads(self._transaction.metadata().json())
        return action

    def protocol(self) -> dict[str, Any]:
        """Return the table's ``protocol`` action, as the transaction would commit it."""
        action: dict[str, Any] = json.loads(self._transaction.protocol().json())
        return action

    def update_metadata(self, action: Mapping[str, Any]) -> None:
        """Replace the table's ``metaData`` action; Delta adds the features that it needs to the protocol."""
        self._transaction.updateMetadata(_action(self._gateway, action), False)  # noqa: FBT003 - Java has no names for arguments

    def files_match(self, condition: str) -> bool:
        """Return the value of an aggregate over the files of the table; the condition is SQL over ``add`` actions."""
        array = self._gateway.array(self._gateway.jvm.java.lang.String, [condition])
        return bool(self._snapshot.allFiles().selectExpr(array).head().getBoolean(0))

    def write(self, rows: Any) -> WrittenFiles:
        """Write rows to new files of the table, which no version has before the commit."""
        tracking = self._gateway.jvm.org.apache.spark.sql.delta.RowTracking
        kept = tracking.preserveRowTrackingColumns(rows, self._snapshot)
        return WrittenFiles(self._gateway, self._transaction, self._transaction.writeFiles(kept))

    def removals(self, milliseconds: int) -> list[Any]:
        """Return a ``remove`` action for each file of the table, for the commit."""
        files = self._transaction.filterFiles()
        return [file.removeWithTimestamp(milliseconds, False) for file in _items(files)]  # noqa: FBT003 - as above

    def commit(self, operation: Any, actions: Iterable[Mapping[str, Any]] = (), removals: Iterable[Any] = ()) -> None:
        """Commit the changes of metadata, and further actions."""
        self._transaction.readWholeTable()
        scala = self._gateway.jvm.scala
        committed = _sequence(self._gateway, [*(_action(self._gateway, action) for action in actions), *removals])
        self._transaction.commit(committed, operation, _object(scala.collection.immutable, "Map").empty())


class WrittenFiles:
    """Delta's ``add`` actions of files that a transaction has written and not committed."""

    def __init__(self, gateway: Gateway, transaction: Any, files: Any) -> None:
        self._gateway = gateway
        self._transaction = transaction
        self._files = files

    def actions(self) -> list[dict[str, Any]]:
        """Return the ``add`` actions of the files."""
        return [json.loads(file.json()) for file in _items(self._files)]

    def rows(self) -> Any:
        """Return the rows of the files as a ``Dataset`` of the JVM, read as the version to be committed will be."""
        scala, log = self._gateway.jvm.scala, self._transaction.deltaLog()
        snapshot = self._gateway.jvm.org.apache.spark.sql.delta.DummySnapshot(
            log.logPath(),
            log,
            self._transaction.metadata(),
            scala.Option.empty(),
            scala.Option.apply(self._transaction.protocol()),
        )
        return log.createDataFrame(snapshot, self._files, False, scala.Option.empty())  # noqa: FBT003 - as above

    def remove(self) -> None:
        """Delete the files, which no version of the table will have."""
        path, log = self._gateway.jvm.org.apache.hadoop.fs.Path, self._transaction.deltaLog()
        system = log.dataPath().getFileSystem(log.newDeltaHadoopConf())
        for file in _items(self._files):
            relative = path(self._gateway.jvm.java.net.URI(file.path()))
            system.delete(path(log.dataPath(), relative), False)  # noqa: FBT003 - as above


def operation(gateway: Gateway, name: str, *args: Any) -> Any:
    """Build an operation for the history of a table by the name of its class in Delta's ``DeltaOperations``."""
    return getattr(gateway.jvm.org.apache.spark.sql.delta, f"DeltaOperations${name}")(*args)


def labelled(gateway: Gateway, label: str) -> Any:
    """Build an operation that the history shows under any name, whose commit reads no state again (Delta 4.4.0)."""
    return operation(gateway, "UpdateColumnMetadata", label, _sequence(gateway))


def protocol_and_metadata(gateway: Gateway, name: QualifiedName) -> list[str]:
    """Return the ``protocol`` and ``metaData`` actions of a table as JSON."""
    snapshot = gateway.load(name).initialSnapshot()
    return [str(snapshot.protocol().json()), str(snapshot.metadata().json())]


def spark_schema_of(gateway: Gateway, metadata: Mapping[str, Any]) -> str:
    """Return the schema of a ``metaData`` action as JSON, as Delta understands it."""
    return str(_action(gateway, {"metaData": metadata}).schema().json())


def delta_version(gateway: Gateway) -> tuple[int, int] | None:
    """Return the version of Delta in a session, major and minor; ``None`` if the session has no Delta."""
    try:
        version = str(_object(gateway.jvm.io.delta, "package").VERSION())
    except TypeError:
        # py4j takes a class that is missing for a package, which cannot be called.
        return None
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def known_properties(gateway: Gateway) -> frozenset[str]:
    """Return the keys of the table properties that Delta in a session knows, in lower case."""
    configs = _object(gateway.jvm.org.apache.spark.sql.delta, "DeltaConfigs").getAllConfigs()
    return frozenset(f"delta.{key}" for key in str(configs.keysIterator().mkString("\n")).split("\n"))


def clear_cache(gateway: Gateway) -> None:
    """Clear Delta's cache of logs."""
    gateway.jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


def _action(gateway: Gateway, action: Mapping[str, Any]) -> Any:
    """Build an action of the log from its JSON."""
    return _object(gateway.jvm.org.apache.spark.sql.delta.actions, "Action").fromJson(json.dumps(action))


def _items(sequence: Any) -> Iterator[Any]:
    """Yield the items of a Scala sequence."""
    return (sequence.apply(index) for index in range(sequence.size()))


def _sequence(gateway: Gateway, items: Iterable[Any] = ()) -> Any:
    """Build a Scala sequence."""
    array = gateway.jvm.java.util.ArrayList()
    for item in items:
        array.add(item)
    # Its successor in Scala 2.13 is missing in Scala 2.12, for which Spark 3.5 is built.
    return gateway.jvm.scala.collection.JavaConverters.asScalaBuffer(array).toSeq()


def _object(package: Any, name: str) -> Any:
    """Return a Scala object."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


PY4J_VERSIONS = {"py4j": ">=0.10.9.7,<0.10.10"}
"""The versions with which these names were tested."""


@contextmanager
def end_interrupted_launch() -> Iterator[None]:
    """End a JVM that pyspark launches in this block, if the block fails before pyspark is connected to it."""
    from pyspark import SparkContext, java_gateway

    launched: list[subprocess.Popen[bytes]] = []

    def launch(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
        launched.append(subprocess.Popen(*args, **options))  # noqa: S603 - what pyspark starts
        return launched[-1]

    gateway: Any = java_gateway
    original, gateway.Popen = gateway.Popen, launch
    try:
        yield
    except BaseException:
        for process in launched if SparkContext._gateway is None else ():
            with process:
                process.kill()
        raise
    finally:
        gateway.Popen = original


def import_numpy_late() -> None:
    """Convert arguments of Java calls without numpy as long as nothing has imported it.

    The converters of pyspark import numpy, pandas and pyspark's own tools for tests in the first call of a JVM. Without
    them a start takes 1.3 s of processor time less (pyspark 4.2). Before numpy is imported, no argument is one of its
    values.
    """
    from pyspark.sql import types

    kinds: Any = types
    for kind in (kinds.NumpyScalarConverter, kinds.NumpyArrayConverter):
        if not hasattr(kind.can_convert, "__wrapped__"):
            kind.can_convert = _if_imported("numpy", kind.can_convert)


def _if_imported(module: str, can_convert: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    @wraps(can_convert)
    def checked(converter: Any, value: Any) -> bool:
        return module in sys.modules and can_convert(converter, value)

    return checked
