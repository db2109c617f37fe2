"""Delta logs with metadata that no released reader knows in full: types, features, properties and actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.state.log_facts import LogFacts
from support.logs import commit, field, metadata, protocol

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.state import TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class FutureLog:
    """A log of one commit, and what readers of logs show of it.

    Args:
        actions: The actions of the commit: the protocol, the metadata, and others.
        shown: The type of the column ``t``, as messages show it.
        is_known: Whether Delta 4.4.0 stores that type.
        property: A property with its value that the table shows.
    """

    actions: tuple[dict[str, Any], ...]
    shown: str = "bigint"
    is_known: bool = True
    property: tuple[str, str] = ("delta.minWriterVersion", "2")

    def write(self, folder: Path) -> Path:
        """Write the log to a folder."""
        return commit(folder, 0, *self.actions)

    def state(self, name: QualifiedName) -> TableState:
        """Return the state of the table."""
        return LogFacts(self.actions[1]["metaData"], self.actions[0]["protocol"]).state(name)


def of_type(kind: Any, shown: str, **field_metadata: Any) -> FutureLog:
    """Return a table whose column ``t`` has a type that Delta 4.4.0 does not store."""
    fields = field("id"), field("t", kind, **field_metadata)
    return FutureLog(actions=(protocol(), metadata(*fields)), shown=shown, is_known=False)


def for_readers(feature: str) -> FutureLog:
    """Return a table whose readers have to know a feature."""
    features = {"readerFeatures": [feature], "writerFeatures": [feature]}
    needed = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}}
    return FutureLog(actions=(needed, PLAIN), property=(f"delta.feature.{feature}", "supported"))


PLAIN = metadata(field("id"), field("t"))
WITHOUT_SCHEMA = {"metaData": {key: value for key, value in PLAIN["metaData"].items() if key != "schemaString"}}

GEOGRAPHIES = {"type": "array", "elementType": "geography(OGC:CRS84, SPHERICAL)", "containsNull": True}
RANGE = {"type": "range", "bound": "long"}
QUANTUM, ENTANGLED = "delta.enableQuantumFiles", "entangled"

READABLE_LOGS = {
    "nanoseconds": of_type("timestamp_ns", "timestamp_ns"),
    "geometry": of_type("geometry(OGC:CRS84)", "geometry(OGC:CRS84)"),
    "geographies": of_type(GEOGRAPHIES, "array<geography(OGC:CRS84, SPHERICAL)>"),
    "collated string": of_type("string", "string collate UTF8_LCASE", __COLLATIONS={"t": "spark.UTF8_LCASE"}),
    "interval": of_type("interval day to second", "interval day to second"),
    "time of day": of_type("time(6)", "time(6)"),
    "type as an object": of_type(RANGE, '{"bound": "long", "type": "range"}'),
    "metadata of a field": FutureLog(actions=(protocol(), metadata(field("id"), field("t", retention={"days": 7})))),
    "vacuum protocol check": for_readers("vacuumProtocolCheck"),
    "feature for readers": for_readers("quantumFiles"),
    "feature for writers": FutureLog(
        actions=(protocol("quantumFiles"), PLAIN), property=("delta.feature.quantumFiles", "supported")
    ),
    "protocol version": FutureLog(
        actions=({"protocol": {"minReaderVersion": 9, "minWriterVersion": 9}}, PLAIN),
        property=("delta.minReaderVersion", "9"),
    ),
    "property": FutureLog(
        actions=(protocol(), metadata(field("id"), field("t"), delta__enableQuantumFiles=ENTANGLED)),
        property=(QUANTUM, ENTANGLED),
    ),
    "action": FutureLog(actions=(protocol(), PLAIN, {"entangle": {"with": "a table of another catalog"}})),
}
"""Logs by what is unknown in them; each table has the columns ``id`` and ``t``."""

NO_SCHEMA = "metadata without a schema"

FUTURE_LOGS = {**READABLE_LOGS, NO_SCHEMA: FutureLog(actions=(protocol(), WITHOUT_SCHEMA))}
"""The same, and a log that does not say which columns its table has."""
