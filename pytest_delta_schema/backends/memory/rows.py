"""Run data checks on rows that are dictionaries."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.column_path import VALUE
from pytest_delta_schema.delta.names.folded_names import folded, same_name
from pytest_delta_schema.plan.data_checks import NULL_PARTITION, NotNull, PartitionValue
from pytest_delta_schema.state.expressions import failing_rows
from pytest_delta_schema.state.expressions.row_paths import value_at
from pytest_delta_schema.state.states import CheckState
from pytest_delta_schema.state.types import ArrayState, MapState, children, find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.state.states import ForeignKeyState
    from pytest_delta_schema.state.types import DataTypeState

StoredRow = dict[str, Any]
"""One row: values by lower-case column name; a missing column is NULL."""


def broken_rows(data_check: DataCheck, rows: Sequence[StoredRow], columns: Sequence[str]) -> list[StoredRow]:
    """Return the rows that violate a data check; for a key those that repeat the values of another row.

    For foreign keys there is :func:`orphans`. The columns are all of the table, in lower case.

    Raises:
        ExpressionError: If a check cannot be evaluated without Spark.
    """
    if isinstance(data_check, NotNull):
        return [row for row in rows if value_at(row, data_check.path) is None]
    if isinstance(data_check, PartitionValue):
        return [row for row in rows if _is_lost(row.get(folded(data_check.column)), data_check.data_type)]
    if isinstance(data_check, CheckState):
        return [rows[index] for index in failing_rows(data_check.expression, rows, columns)]
    return _repeated(data_check.columns, rows)


def orphans(key: ForeignKeyState, rows: Sequence[StoredRow], parents: Sequence[StoredRow]) -> list[StoredRow]:
    """Return the rows whose foreign key holds no NULL and matches no parent."""
    known = {_key(row, key.parent_columns) for row in parents}
    return [row for row in rows if _is_whole(row, key.columns) and _key(row, key.columns) not in known]


def distinct_texts(rows: Sequence[StoredRow], columns: Sequence[str]) -> tuple[tuple[str | None, ...], ...]:
    """Return some columns of rows as texts, each combination once; nothing without columns."""
    if not columns:
        return ()
    return tuple(dict.fromkeys(tuple(stored_text(row.get(folded(name))) for name in columns) for row in rows))


def moved(value: Any, data_type: DataTypeState, path: Sequence[str], to: str | None) -> Any:
    """Return a value in which what is under a path has a different name, or is gone.

    The value is a row or a part of one: structs and maps are dictionaries, arrays are lists. A row is a struct of its
    columns. ``None`` as the new name drops it.
    """
    if value is None:
        return None
    if isinstance(data_type, ArrayState):
        return [moved(item, data_type.element, path[1:], to) for item in value]
    if isinstance(data_type, MapState):
        # What is below a key cannot be renamed here, because dictionaries cannot be keys.
        inner = [(key, moved(item, data_type.value, path[1:], to)) for key, item in value.items()]
        return dict(inner) if same_name(path[0], VALUE) else value
    fields = {}
    for key, item in value.items():
        field = find(children(data_type), [key])
        if not same_name(key, path[0]) or field is None:
            fields[key] = item
        elif len(path) > 1:
            fields[key] = moved(item, field.data_type, path[1:], to)
        elif to is not None:
            fields[to] = item
    return fields


def stored_text(value: object) -> str | None:
    """Return a value as Spark casts it to a string; ``None`` for NULL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _is_lost(value: object, data_type: str) -> bool:
    """Whether a partition column loses a value; dates of Python are all in the range that Delta keeps."""
    if data_type.startswith("char(") and isinstance(value, str):
        value = value.ljust(int(data_type[len("char(") : -1]))
    if isinstance(value, (bytes, bytearray)):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            return True
    return value in ("", NULL_PARTITION)


def _repeated(key: Sequence[str], rows: Sequence[StoredRow]) -> list[StoredRow]:
    seen: set[str] = set()
    repeated = []
    for row in rows:
        if _is_whole(row, key):
            text = _key(row, key)
            if text in seen:
                repeated.append(row)
            seen.add(text)
    return repeated


def _key(row: StoredRow, columns: Sequence[str]) -> str:
    """Return the values of a key as a text that is equal for values which Spark takes for equal: 0.0 and -0.0."""
    values = (0.0 if isinstance(value, float) and value == 0 else value for value in _values(row, columns))
    return repr([value.as_integer_ratio() if isinstance(value, Decimal) else value for value in values])


def _is_whole(row: StoredRow, columns: Sequence[str]) -> bool:
    return None not in _values(row, columns)


def _values(row: StoredRow, columns: Sequence[str]) -> list[Any]:
    return [row.get(folded(name)) for name in columns]
