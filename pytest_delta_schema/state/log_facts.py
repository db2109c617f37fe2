"""The newest version of a Delta log, from which the states of a table and of its entry follow, and its commits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pytest_delta_schema.delta.protocol import commits_are_in_catalog, protocol_properties
from pytest_delta_schema.delta.well_formed import well_formed_schema, with_texts
from pytest_delta_schema.state.delta_log import LogSchema, columns_of_schema, state_from_metadata
from pytest_delta_schema.state.entries import LogState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.delta.protocol import Paths
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The newest version of a log."""

    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]
    clustering: Paths = ()
    """Its clustering columns, by their physical names."""
    version: int | None = None
    """Its number; ``None`` if it is not known."""
    schema: LogSchema | None = None
    """The schema of ``metadata``, if it has been read already."""

    @property
    def is_catalog_managed(self) -> bool:
        """Whether the catalog commits to the log, so its files may lack the newest commits."""
        return commits_are_in_catalog(key for key, _ in protocol_properties(self.protocol))

    @property
    def columns(self) -> tuple[ColumnState, ...]:
        """The columns of the table."""
        return (self.schema or LogSchema.of(self.metadata)).columns

    def well_formed(self) -> LogFacts:
        """Read the schema, and require the metadata and the protocol to be well-formed.

        Numbers and booleans become texts where Spark reads texts.
        """
        metadata = with_texts(self.metadata)
        parsed = well_formed_schema(metadata, self.protocol)
        return replace(self, metadata=metadata, schema=LogSchema(parsed, columns_of_schema(parsed)))

    def state(self, name: QualifiedName) -> TableState:
        """Return the state of the table."""
        return state_from_metadata(
            name,
            metadata=self.metadata,
            protocol=self.protocol,
            clustering=self.clustering,
            version=self.version,
            schema=self.schema,
        )

    def shown(self, columns: tuple[ColumnState, ...] | None = None) -> LogState:
        """Return what the catalog entry of the table should show."""
        return LogState(
            schema=self.metadata["schemaString"],
            columns=self.columns if columns is None else columns,
            comment=self.metadata.get("description") or "",
            partitioning=tuple(self.metadata.get("partitionColumns") or ()),
            configuration=MappingProxyType(dict(self.metadata.get("configuration") or {})),
            version=-1 if self.version is None else self.version,
            is_catalog_managed=self.is_catalog_managed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A data file that a commit adds to a table, or removes from it.

    Args:
        path: Its path, as the log has it, unquoted.
        rows: Its rows, without those that its deletion vector deletes; ``None`` if the log has no statistics of it.
    """

    path: str
    rows: int | None = None


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_NO_TEXTS: Mapping[str, str] = MappingProxyType({})
_NO_NUMBERS: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One version of a table, as its history shows it.

    Args:
        version: Its number.
        operation: What made it, such as ``WRITE``, ``MERGE`` or ``ADD COLUMNS``; ``""`` if the writer did not say so.
        timestamp: When it was committed, in UTC.
        metrics: The counts that the writer gave, such as ``numOutputRows``; values that are not integers are omitted.
        parameters: The parameters of the operation, such as ``mode``, as text.
        user_metadata: The text that the writer gave to the commit; ``""`` for none.
        added: The data files that it adds.
        removed: The data files that it removes.
        changes_rows: Whether it may change rows; a commit that only arranges files in another way does not.
        table_id: The id of the table, if the commit sets the metadata; ``""`` otherwise.
    """

    version: int
    operation: str
    timestamp: datetime = _EPOCH
    metrics: Mapping[str, int] = field(default_factory=lambda: _NO_NUMBERS)
    parameters: Mapping[str, str] = field(default_factory=lambda: _NO_TEXTS)
    user_metadata: str = ""
    added: tuple[DataFile, ...] = ()
    removed: tuple[DataFile, ...] = ()
    changes_rows: bool = False
    table_id: str = ""


def commit_of(version: int, actions: Iterable[Mapping[str, Any]]) -> Commit:
    """Return a commit from the actions in its file."""
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for action in actions:
        for kind, value in action.items():
            by_kind.setdefault(kind, []).append(value)
    info = (by_kind.get("commitInfo") or [{}])[0]
    added, removed = by_kind.get("add", []), by_kind.get("remove", [])
    milliseconds = info.get("inCommitTimestamp") or info.get("timestamp") or 0
    return Commit(
        version=version,
        operation=info.get("operation") or "",
        timestamp=_EPOCH + timedelta(milliseconds=milliseconds),
        metrics=MappingProxyType(_integers(info.get("operationMetrics") or {})),
        parameters=MappingProxyType(_texts(info.get("operationParameters") or {})),
        user_metadata=info.get("userMetadata") or "",
        added=tuple(map(_file, added)),
        removed=tuple(map(_file, removed)),
        changes_rows=any(file.get("dataChange", True) for file in (*added, *removed)),
        table_id=(by_kind.get("metaData") or [{}])[-1].get("id") or "",
    )


def _file(action: Mapping[str, Any]) -> DataFile:
    return DataFile(path=unquote(action["path"]), rows=_rows(action))


def _rows(action: Mapping[str, Any]) -> int | None:
    """Return the rows of a file; statistics are JSON in text."""
    try:
        rows = json.loads(action.get("stats") or "{}").get("numRecords")
    except ValueError:
        return None
    deleted = (action.get("deletionVector") or {}).get("cardinality", 0)
    return None if rows is None else int(rows) - int(deleted)


def _integers(metrics: Mapping[str, Any]) -> dict[str, int]:
    return {key: int(value) for key, value in sorted(metrics.items()) if str(value).isdecimal()}


def _texts(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in sorted(parameters.items())
        if value is not None
    }
