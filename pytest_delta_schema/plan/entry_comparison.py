"""Compare the catalog entry of a table with the table's Delta log, attribute by attribute.

The log is the source of truth. Owner, kind of table, location and format are never compared, and what servers write by
themselves is never a difference.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names import ENTRY_PATH, ColumnPath, NameMap, part_path
from pytest_delta_schema.diagnostics.errors import note
from pytest_delta_schema.diagnostics.faults import UnstorableMetadata
from pytest_delta_schema.diagnostics.redaction import shown_property
from pytest_delta_schema.plan.kinds import ABSENT
from pytest_delta_schema.state.entries import EntryState, entry_columns, is_written_by_server, storable
from pytest_delta_schema.state.types import children, describe_type, same_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.delta_log import LogFacts
    from pytest_delta_schema.state.entries import EntryColumn
    from pytest_delta_schema.state.states import CatalogState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState

_NOISE = re.compile(r"[\s`]")


class EntryColumnDiffers:
    """The catalog entry of a table has a column otherwise than its Delta log.

    The column is missing in one of the two, or differs in its name, type, nullability, place or partitioning. Spark
    reads the log; clients that only use the catalog see the entry.

    Remedy: Write the log's metadata to the entry: ``pytest --delta-sync-metadata``.

    Example:
        columns.amount.type: the catalog entry has int, the log has bigint
    """

    code = "DD201"


class EntryCommentDiffers:
    """The catalog entry of a table has another comment than its Delta log, for the table or for a column.

    Remedy: Write the log's metadata to the entry: ``pytest --delta-sync-metadata``.

    Example:
        columns.id.comment: the catalog entry has '', the log has 'Order ID'
    """

    code = "DD202"


class EntryPropertyDiffers:
    """The catalog entry of a table lacks a property of its Delta log, or has another value or an additional one.

    Remedy: Write the log's metadata to the entry: ``pytest --delta-sync-metadata``.

    Example:
        properties.team: the catalog entry has (absent), the log has 'sales'
    """

    code = "DD203"


class EntryDifference(NamedTuple):
    """One attribute in which a catalog entry differs from the log.

    Args:
        path: The attribute: ``columns.id.type``, ``comment``, ``properties.team``.
        entry: The value in the catalog entry.
        log: The value in the log.
        drift: The difference: a class with a code, whose docstring explains it.
    """

    path: str
    entry: str
    log: str
    drift: type[HasCode] = EntryColumnDiffers

    def __str__(self) -> str:
        return f"{self.path}: the catalog entry has {self.entry}, the log has {self.log}"


def entry_differences(entry: EntryState, log: LogFacts) -> tuple[EntryDifference, ...]:
    """Return everything in which a catalog entry differs from the log.

    What no entry can store is not compared, unless the entry has another value for it.

    Args:
        entry: One of ``CatalogState.entries``.
        log: That of the same table, one of ``CatalogState.logs``.
    """
    held, left_out = storable(log)
    shown = _without_rest(entry, log, held) if left_out else entry
    return (
        *_columns(shown.columns, entry_columns(held.columns, held.partitioning)),
        *_comment(part_path("comment"), shown.comment, held.comment),
        *_properties(shown.properties, held.configuration),
    )


def unstorable_notes(table: object, log: LogFacts) -> tuple[Diagnostic, ...]:
    """Return a note for a log of which no catalog entry can store everything."""
    left_out = storable(log).left_out
    fact = f"the catalog cannot store {', '.join(left_out)}, and its entry lacks it"
    return (note(UnstorableMetadata, table, ENTRY_PATH, fact),) if left_out else ()


def is_stale(entry: EntryState | Diagnostic | None, log: LogFacts | None) -> bool:
    """Whether a catalog entry differs from the log, if both were read."""
    return isinstance(entry, EntryState) and log is not None and bool(entry_differences(entry, log))


def stale_entries(state: CatalogState) -> frozenset[QualifiedName]:
    """Return the tables whose catalog entries differ from their logs, if both were read."""
    return frozenset(name for name, log in state.logs.items() if is_stale(state.entries.get(name), log))


def _without_rest(entry: EntryState, log: LogFacts, held: LogFacts) -> EntryState:
    """Remove from an entry what agrees with the log although entries cannot be expected to store it."""
    whole = NameMap.of(entry_columns(log.columns, log.partitioning))
    kept = NameMap.of(held.columns)
    return replace(
        entry,
        columns=tuple(
            _without_long_comment(column, whole.get(column.name), kept.get(column.name))
            for column in entry.columns
            if column.name in kept or (wanted := whole.get(column.name)) is None or any(_column(column, wanted))
        ),
        comment=entry.comment if entry.comment != log.comment else held.comment,
        properties={
            key: value
            for key, value in entry.properties.items()
            if key in held.configuration or value != log.configuration.get(key)
        },
    )


def _without_long_comment(shown: EntryColumn, wanted: EntryColumn | None, held: ColumnState | None) -> EntryColumn:
    if wanted is None or held is None or shown.comment != wanted.comment:
        return shown
    return shown._replace(comment=held.comment, json_comment=held.comment)


def _columns(shown: tuple[EntryColumn, ...], wanted: tuple[EntryColumn, ...]) -> Iterator[EntryDifference]:
    if shown == wanted:  # nearly always
        return
    if not shown and wanted:
        yield EntryDifference(part_path("columns"), "none", str(len(wanted)))
        return
    known, expected = NameMap.of(shown), NameMap.of(wanted)
    for column in known.values():
        if column.name not in expected:
            yield EntryDifference(part_path("columns", column.name), column.text, ABSENT)
    for column in expected.values():
        if column.name not in known:
            yield EntryDifference(part_path("columns", column.name), ABSENT, column.text)
        else:
            yield from _column(known[column.name], column)
    if set(known) == set(expected) and list(known) != list(expected):
        before, after = (", ".join(column.name for column in side) for side in (shown, wanted))
        yield EntryDifference("columns.order", before, after)


def _column(shown: EntryColumn, wanted: EntryColumn) -> Iterator[EntryDifference]:
    if shown == wanted:
        return
    path = ColumnPath(wanted.name)
    if shown.name != wanted.name:
        yield EntryDifference(part_path("columns", path, "name"), shown.name, wanted.name)
    yield from _type(path, shown, wanted)
    if shown.is_nullable != wanted.is_nullable:
        before, after = ("nullable" if column.is_nullable else "not null" for column in (shown, wanted))
        yield EntryDifference(part_path("columns", path, "nullability"), before, after)
    yield from _comment(part_path("columns", path, "comment"), shown.comment, wanted.comment)
    if shown.json_comment and shown.json_comment != shown.comment:
        yield from _comment(part_path("columns", path, "type_json", "comment"), shown.json_comment, wanted.comment)
    if shown.partition_index != wanted.partition_index:
        before, after = (
            "none" if side.partition_index is None else str(side.partition_index) for side in (shown, wanted)
        )
        yield EntryDifference(part_path("columns", path, "partition_index"), before, after)


def _type(path: ColumnPath, shown: EntryColumn, wanted: EntryColumn) -> Iterator[EntryDifference]:
    """Compare a type in each form that a catalog entry stores; a missing form is not a difference."""
    data_type: DataTypeState = wanted.data_type or wanted.text
    if not _one_text(shown.text, wanted):
        yield EntryDifference(part_path("columns", path, "type"), shown.text, wanted.text)
    elif shown.data_type is not None and shown.data_type != data_type:
        yield from _nested(path, shown.data_type, data_type)
    elif shown.type_name not in {"", wanted.type_name}:
        yield EntryDifference(part_path("columns", path, "type_name"), shown.type_name, wanted.type_name)
    elif (shown.precision, shown.scale) not in {(None, None), (0, 0), (wanted.precision, wanted.scale)}:
        before, after = (f"({column.precision},{column.scale})" for column in (shown, wanted))
        yield EntryDifference(part_path("columns", path, "precision"), before, after)


def _nested(path: ColumnPath, shown: DataTypeState, wanted: DataTypeState) -> Iterator[EntryDifference]:
    """Yield the nested comments in which two types differ, or the types if they differ in more."""
    above, parts = children(shown), children(wanted)
    same = same_kind(shown, wanted) and [(part.name, part.is_nullable) for part in above] == [
        (part.name, part.is_nullable) for part in parts
    ]
    if not same:
        yield EntryDifference(part_path("columns", path, "type_json"), describe_type(shown), describe_type(wanted))
        return
    for stored, expected in zip(above, parts, strict=True):
        yield from _comment(
            part_path("columns", path.child(expected.name), "comment"), stored.comment, expected.comment
        )
        if stored.data_type != expected.data_type:
            yield from _nested(path.child(expected.name), stored.data_type, expected.data_type)


def _one_text(text: str, wanted: EntryColumn) -> bool:
    plain = _NOISE.sub("", text).lower()
    exact = describe_type(wanted.data_type) if wanted.data_type is not None else wanted.text
    return plain in {_NOISE.sub("", form).lower() for form in (wanted.text, exact)}


def _comment(path: str, entry: str, log: str) -> Iterator[EntryDifference]:
    if entry != log:
        yield EntryDifference(path, repr(entry), repr(log), EntryCommentDiffers)


def _properties(entry: Mapping[str, str], log: Mapping[str, str]) -> Iterator[EntryDifference]:
    for key in sorted({*entry, *log}):
        if is_written_by_server(key) or entry.get(key) == log.get(key):
            continue
        before, after = (shown_property(key, side[key]) if key in side else ABSENT for side in (entry, log))
        yield EntryDifference(part_path("properties", key), before, after, EntryPropertyDiffers)
