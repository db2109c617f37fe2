"""Rules about conversions: all that can be known before a file is touched."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.conversion import DELTA, NOTHING, PARQUET, RESTORE_LOG
from pytest_delta_schema.state.types import describe_type, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.conversion import SourceState
    from pytest_delta_schema.state.types import DataTypeState

_NULL = "__HIVE_DEFAULT_PARTITION__"
"""What Spark and Hive call the folder of rows whose partition column is NULL."""

_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


class ConversionSourceMismatch:
    """The files of a conversion are not parquet of one schema, partitioned as the model declares.

    Declare the columns of the folders in ``partitioned_by``, correct the path, or rewrite the files.
    """

    code = "DS217"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for everything about the files at which a conversion would fail, or go wrong."""
        conversion = None if isinstance(action, CreateTable) else action.one(ConvertTable)
        if isinstance(action, CreateTable) or conversion is None:
            return
        for message, remedy in _faults(action, conversion.source):
            yield violation(self, str(action.table), "format", message, remedy)


def _faults(action: AlignTable, source: SourceState) -> Iterator[tuple[str, str]]:
    if source.sign and source.provider != DELTA:
        fact = f"{source.path} holds the files of a Delta table whose log is gone (see {source.sign})"
        yield f"cannot be converted, because {fact}", RESTORE_LOG
        return
    if source.provider == NOTHING:
        fact = f"cannot be converted, because there are no files in {source.path}"
        way = "drop the empty table, and it is created" if source.is_registered else "correct the path, or leave it out"
        yield fact, way
        return
    if source.provider == DELTA:
        return
    if source.provider != PARQUET:
        fact = f"cannot be converted, because {source.path} holds {source.provider}, and only parquet becomes Delta"
        yield fact, f"write it anew: spark.read.format({source.provider!r}).load(...).write.saveAsTable(...)"
        return
    wish = action.desired.convert_from
    if source.is_registered and wish is not None and wish.path not in (None, source.path):
        fact = f"is a parquet table at {source.path}, and the model says {wish.path}"
        yield fact, "leave the path out to convert the table, or give the model another name"
    if source.conflict:
        yield (
            f"cannot be converted, because its files have no schema in common: {source.conflict}",
            "write that file anew",
        )
    yield from _partitions(action, source)


def _partitions(action: AlignTable, source: SourceState) -> Iterator[tuple[str, str]]:
    """Yield the first folder that is not parted as the model says, by count, order, names, or types."""
    wanted = action.desired.partitioning
    declared = _listed(wanted) if wanted else "nothing"
    remedy = "declare the columns of the folders in partitioned_by, or write the files anew"
    for folder in source.folders:
        names = [part.partition("=")[0] for part in folder]
        if [name.lower() for name in names] != [name.lower() for name in wanted]:
            found = _listed(names) if names else "nothing"
            where = f"the folder {'/'.join(folder)}" if folder else "the folder itself"
            yield f"is partitioned by {declared} in the model, and by {found} in its files: first in {where}", remedy
            return
    for name, data_type in _types(action):
        kind = describe_type(data_type)
        if kind == "timestamp_ntz" and not source.is_registered:
            fact = (
                f"is partitioned by {name} as {kind} in the model, which CONVERT TO DELTA does not know (Delta 4.4.0)"
            )
            yield fact, f"declare {name} as timestamp or string, or write the files anew"
            continue
        place = [each.lower() for each in wanted].index(name.lower())
        for folder in source.folders:
            value = unquote(folder[place].partition("=")[2])
            if value != _NULL and not _is(value, kind):
                where = f"first in the folder {'/'.join(folder)}"
                fact = f"is partitioned by {name} as {kind} in the model, and {value!r} is none: {where}"
                yield fact, f"declare {name} as string, or rename the folder"
                break


def _types(action: AlignTable) -> Iterator[tuple[str, DataTypeState]]:
    for name in action.desired.partitioning:
        column = find(action.desired.columns, (name,))
        if column is not None:
            yield name, column.data_type


def _is(text: str, kind: str) -> bool:
    """Whether the text of a folder can be read as a type."""
    try:
        if kind in _BITS:
            return -(1 << _BITS[kind] - 1) <= int(text) < 1 << _BITS[kind] - 1
        if kind == "date":
            date.fromisoformat(text)
        elif kind in ("timestamp", "timestamp_ntz"):
            datetime.fromisoformat(text)
        elif kind in ("float", "double") or kind.startswith("decimal"):
            Decimal(text)
        elif kind == "boolean":
            return text.lower() in ("true", "false")
    except (ValueError, InvalidOperation):
        return False
    return True


def _listed(names: list[str] | tuple[str, ...]) -> str:
    return f"{len(names)} column{'' if len(names) == 1 else 's'} ({', '.join(names)})"
