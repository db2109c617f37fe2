"""Check and convert the rows that users give, before anything is written; the same on every backend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.rows.frame_rows import rows_of_frame
from pytest_delta_schema.backends.rows.row_values import ValueFault, convert, preview_of
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, folded
from pytest_delta_schema.delta.names.near_names import proposal
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan.data_checks import NULL_PARTITION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pytest_delta_schema.backends.rows.row_clocks import Clock
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


_NOT_NULL = "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"


def converted_rows(state: TableState, rows: Any, clock: Clock, unique: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return rows as they will be read back from a table.

    Rows are a frame of Spark or pandas, or any iterable of values by column name, in any case: dictionaries, rows,
    named tuples; a plain tuple has a value for each column, in order. The clock interprets datetimes without a time
    zone. ``unique`` are timestamp columns that are written as local times of the clock's zone, so a local time that
    occurs twice is an error. The result has values by column name in lower case; columns that a row leaves out are left
    out.

    Raises:
        StatementError: If a value would not be read back as it was given, a column does not exist, or one that is NOT
            NULL has no value; with one line for each fault.
    """
    columns = NameMap.of(state.columns)
    partitions = NameSet(state.partitioning)
    converted: list[dict[str, Any]] = []
    lines, conditions = [], []
    for number, row in enumerate(_several(state, rows_of_frame(rows, columns)), start=1):
        faults: list[ValueFault] = []
        by_name = _by_name(row, columns)
        if isinstance(by_name, ValueFault):
            faults.append(by_name)
            converted.append({})
        else:
            converted.append(_converted(by_name, columns, clock, faults))
            faults.extend(_missing_values(by_name, columns))
        faults.extend(_partition_faults(converted[-1], columns, partitions))
        faults.extend(_repeated_hours(converted[-1], unique, clock))
        for fault in faults:
            column = f", column {fault.path}" if fault.path else ""
            lines.append(f"{state.name}: row {number}{column}: {fault.fact}")
            conditions.append(fault.condition)
    if lines:
        raise StatementError("\n".join(lines), condition=next(filter(None, conditions), ""))
    return converted


def _several(state: TableState, rows: object) -> Iterable[object]:
    """Return rows that can be iterated; a value or one row by itself is an error.

    Raises:
        StatementError: With the form of rows.
    """
    if isinstance(rows, Mapping) or hasattr(rows, "__fields__") or hasattr(rows, "_fields"):
        msg = f"{state.name}: the rows are one {type(rows).__name__}; give a list of rows, such as [{preview_of(rows)}]"
        raise StatementError(msg)
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        form = "a list of dicts by column, of Rows, or of tuples in the order of the columns"
        fact = f"the rows are {preview_of(rows)}, which is of Python's type {type(rows).__name__}"
        msg = f"{state.name}: {fact}; give {form}"
        raise StatementError(msg)
    return rows


def _converted(
    row: Mapping[Any, Any], columns: NameMap[ColumnState], clock: Clock, faults: list[ValueFault]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in row.items():
        column = columns.get(str(name))
        if column is None:
            spellings = [column.name for column in columns.values()]
            remedy = proposal(str(name), spellings, f"columns are {_names(columns)}")
            faults.append(ValueFault("", f"there is no column {name}; {remedy}"))
        elif folded(column.name) in values:
            faults.append(ValueFault(column.name, "is given twice, in different case; give it once"))
        else:
            values[folded(column.name)] = convert(value, column.data_type, column.name, clock, faults)
    return values


def _by_name(row: object, columns: NameMap[ColumnState]) -> Mapping[Any, Any] | ValueFault:
    """Return the values of a row by column name; dictionaries, rows and named tuples have names."""
    if isinstance(row, Mapping):
        return row
    if not isinstance(row, tuple):
        fact = f"is a {type(row).__name__}; give a dict by column, a Row, or a tuple in the order of the columns"
        return ValueFault("", fact)
    names = getattr(row, "__fields__", None) or getattr(row, "_fields", None)
    names = names or [column.name for column in columns.values()]
    if len(names) != len(row):
        fact = f"has {len(row)} values for the columns {', '.join(names)}; give one for each, or a dict by column"
        return ValueFault("", fact)
    return dict(zip(names, row, strict=True))


def _missing_values(row: Mapping[Any, Any], columns: NameMap[ColumnState]) -> Iterator[ValueFault]:
    """Yield a fault, in Delta's words, for each NOT NULL column without a value that the table does not fill."""
    given = NameMap((str(name), value) for name, value in row.items())
    for column in columns.values():
        is_filled = column.name not in given and column.value is not None
        if not column.is_nullable and not is_filled and given.get(column.name) is None:
            yield ValueFault("", f"NOT NULL constraint violated for column: {column.name}", _NOT_NULL)


def _names(columns: NameMap[ColumnState]) -> str:
    return ", ".join(column.name for column in columns.values())


def _partition_faults(
    row: Mapping[str, Any], columns: NameMap[ColumnState], partitions: Iterable[str]
) -> Iterator[ValueFault]:
    for name in partitions:
        fault = _partition_fault(row.get(name), columns[name])
        if fault is not None:
            yield fault


def _repeated_hours(row: Mapping[str, Any], unique: Iterable[str], clock: Clock) -> Iterator[ValueFault]:
    for name in unique:
        value = row.get(folded(name))
        if value is not None and not clock.happens_once(value):
            fact = (
                f"{preview_of(value)} is in an hour that occurs twice in {clock.zone}, and the partition value is"
                " a local time, because the table has checks, defaults or generated columns; set the session's time"
                " zone to UTC"
            )
            yield ValueFault(name, fact)


def _partition_fault(value: Any, column: ColumnState) -> ValueFault | None:
    """Return why a converted value is not read back from a partition column; ``None`` if it is.

    Delta writes partition values as strings to its log, and reads an empty string as NULL (Delta 4.4.0).
    """
    text = value
    if isinstance(value, bytes):
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return ValueFault(
                column.name, f"{preview_of(value)} is not UTF-8, as values of binary partition columns must be"
            )
    if text in ("", NULL_PARTITION):
        fact = f"{preview_of(value)} is read back as NULL from a partition column; give NULL, or do not partition by it"
        return ValueFault(column.name, fact)
    if isinstance(text, str) and "\0" in text:
        return ValueFault(
            column.name, f"{preview_of(value)} holds a NUL character, which names of partition folders cannot"
        )
    return None
