"""The classes inside Delta's jar that this package uses through py4j; nothing else in the package uses one.

Delta documents its SQL and its log, and none of these classes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.spark_pairs import PAIRS, below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.backends.spark.compat.gateway import Gateway
    from pytest_delta_schema.models.names import QualifiedName

VERSIONS = {"delta-spark": f">=3.3.2,{below(PAIRS[-1].newest)}"}
"""The versions with which these classes were tested."""


class Transaction:
    """An optimistic transaction on a table.

    It commits only if nobody else has written to the table since it began, because the whole table counts as read.
    """

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
        """Write rows to new files of the table, which no version has before the commit.

        The rows are a ``Dataset`` of the JVM; their row ids are kept.
        """
        tracking = self._gateway.jvm.org.apache.spark.sql.delta.RowTracking
        kept = tracking.preserveRowTrackingColumns(rows, self._snapshot)
        return WrittenFiles(self._gateway, self._transaction, self._transaction.writeFiles(kept))

    def removals(self, milliseconds: int) -> list[Any]:
        """Return a ``remove`` action for each file of the table, for the commit.

        The time of the removal is in milliseconds since 1970.
        """
        files = self._transaction.filterFiles()
        return [file.removeWithTimestamp(milliseconds, False) for file in _items(files)]  # noqa: FBT003 - as above

    def commit(self, operation: Any, actions: Iterable[Mapping[str, Any]] = (), removals: Iterable[Any] = ()) -> None:
        """Commit the changes of metadata, and further actions.

        The operation, from :func:`labelled` or :func:`operation`, is what the history of the table shows. Actions are
        as the log has them, and removals those of :meth:`removals`.
        """
        self._transaction.readWholeTable()
        scala = self._gateway.jvm.scala
        committed = _sequence(self._gateway, [*(_action(self._gateway, action) for action in actions), *removals])
        self._transaction.commit(committed, operation, _object(scala.collection.immutable, "Map").empty())


class WrittenFiles:
    """Files that a transaction has written and not committed.

    The files are Delta's ``add`` actions.
    """

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
    """Build an operation for the history of a table.

    The name is that of a class in Delta's ``DeltaOperations``.
    """
    return getattr(gateway.jvm.org.apache.spark.sql.delta, f"DeltaOperations${name}")(*args)


def labelled(gateway: Gateway, label: str) -> Any:
    """Build an operation that the history shows under any name.

    For this class of operations Delta writes the commit without reading its state again (Delta 4.4.0).
    """
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
