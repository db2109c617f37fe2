"""Scala from Python: the few values that Delta's transactions want."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.backends.spark.gateway import Gateway


def action_of(gateway: Gateway, action: Mapping[str, Any]) -> Any:
    """Build an action of Delta's log from its JSON."""
    return _object(gateway.jvm.org.apache.spark.sql.delta.actions, "Action").fromJson(json.dumps(action))


def operation(gateway: Gateway, name: str, *args: Any) -> Any:
    """Build what the history shows of a commit: an operation of ``DeltaOperations``."""
    return getattr(gateway.jvm.org.apache.spark.sql.delta, f"DeltaOperations${name}")(*args)


def relabelled(gateway: Gateway, label: str) -> Any:
    """Build an operation that the history shows under a name of ours.

    This kind makes Delta write the commit without rebuilding its state (run on the released jars).
    """
    return operation(gateway, "UpdateColumnMetadata", label, sequence(gateway))


def sequence(gateway: Gateway, items: Iterable[Any] = ()) -> Any:
    """Build a sequence."""
    array = gateway.jvm.java.util.ArrayList()
    for item in items:
        array.add(item)
    return gateway.jvm.scala.jdk.javaapi.CollectionConverters.asScala(array).toSeq()


def option(gateway: Gateway) -> Any:
    """Build an option that is empty."""
    return gateway.jvm.scala.Option.empty()


def commit(gateway: Gateway, transaction: Any, actions: Iterable[Any], label: Any) -> None:
    """Commit a transaction; the whole table counts as read, so that nobody else's write slips in."""
    transaction.readWholeTable()
    empty = _object(gateway.jvm.scala.collection.immutable, "Map").empty()
    transaction.commit(sequence(gateway, actions), label, empty)


def _object(package: Any, name: str) -> Any:
    return getattr(getattr(package, f"{name}$"), "MODULE$")
