"""The rule about conversions: what must be true of the files before they are converted."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_delta_schema.delta.names.folded_names import folded, same_names
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.rules.rule import Fault, violation
from pytest_delta_schema.state.conversion import DELTA, NOTHING, PARQUET, RESTORE_LOG
from pytest_delta_schema.state.types import describe_type, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.conversion import SourceState
    from pytest_delta_schema.state.types import DataTypeState

_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The name of the folder in which Spark and Hive keep rows whose partition column is NULL."""

_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


class ConversionSourceMismatch:
    """The files of a conversion are not parquet of one schema, partitioned as the model declares.

    Remedy: Declare the columns of the folders in ``partitioned_by``, correct the path, or rewrite the files.

    Example:
        # The folder has files such as /lake/orders/day=2026-01-31/part-0.parquet.
        columns = [Column("id", "bigint"), Column("day", "date")]
        orders = Table("dev", "silver", "orders", columns, convert_from=Parquet("/lake/orders"))
    """

    code = "DS217"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every property of the files that makes the conversion fail or its result wrong."""
        conversion = None if isinstance(action, CreateTable) else action.one(ConvertTable)
        if isinstance(action, CreateTable) or conversion is None:
            return
        for fault in _faults(action, conversion.source):
            yield violation(self, action.table, part_path("format"), fault.message, fault.remedy)


def _faults(action: AlignTable, source: SourceState) -> Iterator[Fault]:
    if source.sign and source.provider != DELTA:
        fact = f"{source.path} holds the files of a Delta table whose log is gone (see {source.sign})"
        yield Fault(message=f"cannot be converted, because {fact}", remedy=RESTORE_LOG)
        return
    if source.provider == NOTHING:
        message = f"cannot be converted, because there are no files in {source.path}"
        drop, correct = "drop the empty table, and it is created", "correct the path, or leave it out"
        yield Fault(message=message, remedy=drop if source.is_registered else correct)
        return
    if source.provider == DELTA:
        return
    if source.provider != PARQUET:
        reason = f"{source.path} holds {source.provider}, and only parquet becomes Delta"
        yield Fault(
            message=f"cannot be converted, because {reason}",
            remedy=f"rewrite it: spark.read.format({source.provider!r}).load(...).write.saveAsTable(...)",
        )
        return
    declared = action.desired.convert_from
    if source.is_registered and declared is not None and declared.path not in (None, source.path):
        message = f"is a parquet table at {source.path}, but the model declares the path {declared.path}"
        yield Fault(message=message, remedy="leave the path out to convert the table, or give the model another name")
    if source.conflict:
        message = f"cannot be converted, because the schemas of its files do not merge: {source.conflict}"
        yield Fault(message=message, remedy="rewrite that file")
    yield from _partitions(action, source)


def _partitions(action: AlignTable, source: SourceState) -> Iterator[Fault]:
    """Yield a fault for the first folder whose partition columns differ from the model in count, name or type."""
    wanted = action.desired.partitioning
    declared = _listed(wanted) if wanted else "nothing"
    for folder in source.folders:
        names = [part.partition("=")[0] for part in folder]
        if not same_names(names, wanted):
            actual = _listed(names) if names else "nothing"
            where = f"the folder {'/'.join(folder)}" if folder else "the folder itself"
            yield Fault(
                message=f"is partitioned by {declared} in the model, and by {actual} in its files: first in {where}",
                remedy="declare the columns of the folders in partitioned_by, or rewrite the files",
            )
            return
    for name, data_type in _types(action):
        kind = describe_type(data_type)
        if kind == "timestamp_ntz" and not source.is_registered:
            fact = f"is partitioned by {name} as {kind} in the model"
            yield Fault(
                message=f"{fact}, which CONVERT TO DELTA refuses (Delta 4.4.0)",
                remedy=f"declare {name} as timestamp or string, or rewrite the files",
            )
            continue
        index = [*map(folded, wanted)].index(folded(name))
        for folder in source.folders:
            _, _, text = folder[index].partition("=")
            value = unquote(text)
            if value != _NULL and not _can_be_read_as(value, kind):
                fact = f"is partitioned by {name} as {kind} in the model, and {value!r} cannot be read as {kind}"
                message = f"{fact}: first in the folder {'/'.join(folder)}"
                yield Fault(message=message, remedy=f"declare {name} as string, or rename the folder")
                break


def _types(action: AlignTable) -> Iterator[tuple[str, DataTypeState]]:
    for name in action.desired.partitioning:
        column = find(action.desired.columns, (name,))
        if column is not None:
            yield name, column.data_type


def _can_be_read_as(text: str, kind: str) -> bool:
    """Whether the value in the name of a folder can be read as a type."""
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
