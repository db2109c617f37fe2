"""The commits of a Delta log."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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
