"""Requirements of Delta on an INSERT that matches columns by name, in addition to those on a frame.

Measured on Delta 4.4.0 with Spark 4.2.0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import TABLE
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, folded
from pytest_delta_schema.state.types import MapState, StructState, children, same_kind
from pytest_delta_schema.write_check import schema_findings
from pytest_delta_schema.write_check.casts import fits_without_cast, has_widening
from pytest_delta_schema.write_check.schema_merge import TypeDifference
from pytest_delta_schema.write_check.statements import statement_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.collector import Collector, WriteFault
    from pytest_delta_schema.write_check.method import WriteSemantics


def listed_columns(
    frame: tuple[ColumnState, ...], names: Sequence[str], state: TableState, collector: Collector
) -> tuple[ColumnState, ...] | None:
    """Return the columns of a query with the names that an INSERT lists; ``None`` if the list is refused."""
    known = NameSet.of(state.columns)
    unknown = [name for name in names if name not in known]
    if len(NameSet(names)) < len(names):
        counts = Counter(map(folded, names))
        twice = [name for name, count in counts.items() if count > 1]
        collector.findings.append(schema_findings.duplicate_column(twice, "COLUMN_ALREADY_EXISTS"))
    elif unknown:
        collector.findings.append(statement_findings.unresolved_columns("INSERT", unknown, "UNRESOLVED_COLUMN"))
    elif len(frame) != len(names):
        collector.findings.append(statement_findings.list_of_other_length(len(frame), len(names)))
    else:
        return tuple(column._replace(name=name) for column, name in zip(frame, names, strict=True))
    return None


def insert_faults(frame: Sequence[ColumnState], state: TableState, semantics: WriteSemantics) -> Iterator[WriteFault]:
    """Yield a finding for every column and field that an INSERT by name must have, and for columns too many."""
    columns = state.columns
    given = NameMap.of(frame)
    if len(frame) < len(columns):
        for column in columns:
            if column.name not in given and not column.is_nullable and column.value is None:
                fault = statement_findings.column_not_specified(column.name)
                yield fault
    specified = [column for column in columns if column.name in given]
    widens = semantics.merges_schema and has_widening(state)
    is_cast = not fits_without_cast(specified, frame, replace(semantics, by_position=False), widens=widens)
    if is_cast and len(frame) > len(columns) and not semantics.merges_schema:
        yield statement_findings.too_many_columns(len(frame), len(columns))
    yield from _missing_fields(specified, given, TABLE)


def _missing_fields(
    columns: Sequence[ColumnState], given: NameMap[ColumnState], parent: ColumnPath
) -> Iterator[WriteFault]:
    """Yield a finding for every struct of the query that lacks fields of the table's struct, or is not one there."""
    for column in columns:
        match = given.get(column.name)
        if match is None or match.data_type == column.data_type or isinstance(column.data_type, MapState):
            continue
        path = parent.child(column.name)
        if not same_kind(column.data_type, match.data_type):
            if parent and isinstance(match.data_type, StructState):
                difference = TypeDifference(path=path, stored=column.data_type, given=match.data_type)
                yield schema_findings.unsupported_struct_cast(difference)
            continue
        wanted, parts = children(column.data_type), children(match.data_type)
        names = NameMap.of(parts)
        lacks = any(part.name not in names for part in wanted)
        if lacks and isinstance(column.data_type, StructState):
            yield schema_findings.too_few_columns(path, len(parts), len(wanted))
        else:
            yield from _missing_fields(wanted, names, path)
