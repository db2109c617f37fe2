"""The checked metadata transaction: what open-source Delta cannot say in SQL, done in one commit of its own.

Delta checks nothing on this way (run on the released jars: NOT NULL over a NULL makes the row read back as 0), so the
checks are made here, in the snapshot that the transaction has read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.errors import UnsafePlanError
from pytest_delta_schema.execute.preflight import null_violations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.catalogs.spark.bridge import Bridge
    from pytest_delta_schema.execute.ddl import NullCounts
    from pytest_delta_schema.models.names import QualifiedName


def set_not_null(
    bridge: Bridge,
    name: QualifiedName,
    columns: Sequence[str],
    count: Callable[[int], NullCounts],
) -> None:
    """Forbid NULL in columns, if no row has one.

    The whole table counts as read, so a row that is appended meanwhile makes the commit fail instead of slipping in.

    Args:
        bridge: The session.
        name: The table.
        columns: Which, top level.
        count: Counts NULLs in those columns at a given version.

    Raises:
        UnsafePlanError: If rows are NULL in them; nothing was changed.
    """
    jvm = bridge.jvm
    transaction = bridge.load(name).startTransactionWithInitialSnapshot()
    violations = tuple(null_violations(name, count(transaction.snapshot().version())))
    if violations:
        raise UnsafePlanError(violations)
    action = json.loads(transaction.metadata().json())
    _forbid_null(action["metaData"], {column.lower() for column in columns})
    transaction.readWholeTable()
    parsed = _object(jvm.org.apache.spark.sql.delta.actions, "Action").fromJson(json.dumps(action))
    transaction.updateMetadata(parsed, False)  # noqa: FBT003 - Java has no names for arguments
    nothing = jvm.scala.jdk.javaapi.CollectionConverters.asScala(jvm.java.util.ArrayList()).toSeq()
    # This kind of operation makes Delta write the commit without rebuilding its state, and names it in the history.
    operation = getattr(jvm.org.apache.spark.sql.delta, "DeltaOperations$UpdateColumnMetadata")("SET NOT NULL", nothing)
    transaction.commit(nothing, operation, _object(jvm.scala.collection.immutable, "Map").empty())


def _forbid_null(metadata: dict[str, Any], columns: set[str]) -> None:
    schema = json.loads(metadata["schemaString"])
    for field in schema["fields"]:
        if field["name"].lower() in columns:
            field["nullable"] = False
    metadata["schemaString"] = json.dumps(schema)


def _object(package: Any, name: str) -> Any:
    return getattr(getattr(package, f"{name}$"), "MODULE$")
