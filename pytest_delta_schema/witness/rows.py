"""The rows of a script, from the models: those that both contracts allow, and those that only one of them allows."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.type_widening import SIZED
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.state.adopting import declared_table
from pytest_delta_schema.state.expressions import ExpressionError
from pytest_delta_schema.state.types import find, is_generated
from pytest_delta_schema.test_kit.contract import contract_of
from pytest_delta_schema.test_kit.effects.changed_values import changed, lengthened
from pytest_delta_schema.test_kit.generation.breaking import Breaker
from pytest_delta_schema.test_kit.generation.constraint_checks import broken_constraints
from pytest_delta_schema.test_kit.generation.rows import made_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.compatibility.contract_change import StatePair
    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState

    Row = Mapping[str, Any]


class _Number(NamedTuple):
    """A type of numbers: the first one that is too large for it, and how many digits it has behind the point."""

    limit: Decimal
    decimals: int


_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_NUMBERS = {
    **{name: _Number(Decimal(2) ** (8 * 2**power - 1), 0) for power, name in enumerate(_INTEGERS)},
    "float": _Number(Decimal("1e39"), 38),
    "double": _Number(Decimal("1e309"), 38),
    "timestamp": _Number(Decimal("1e13"), 6),
}
_TEXT = "x"
_UNLIKE_OTHERS = {
    "string": _TEXT,
    "varchar": _TEXT,
    "char": _TEXT,
    "timestamp": datetime(9990, 1, 1, tzinfo=timezone.utc),
    "timestamp_ntz": datetime(2024, 1, 1, 12),  # noqa: DTZ001 - a type without a time zone
}
"""Values of the types without a limit, which no type of another kind can hold."""


class StoredRows(NamedTuple):
    """A row that the table has before the change, and the same one after it."""

    before: Row
    after: Row


def rows_of_sides(pair: StatePair, position: int = 0) -> StoredRows:
    """Return the rows of the tables, with the same values in the columns that both have.

    Raises:
        DeclarationError: If a contract has no rows.
    """
    after = rows_of_state(pair.new, position)
    before = rows_of_state(pair.old, position, _carried(after, pair.new, pair.old))
    if not _is_allowed(before, pair.old):
        before = rows_of_state(pair.old, position)
        carried = rows_of_state(pair.new, position, _carried(before, pair.old, pair.new))
        after = carried if _is_allowed(carried, pair.new) else after
    # A default may differ from the value that the table has.
    carried = rows_of_state(pair.new, position, _carried(before, pair.old, pair.new))
    return StoredRows(before, carried if _is_allowed(carried, pair.new) else after)


def rows_of_state(state: TableState, position: int = 0, given: Row | None = None) -> Row:
    """Return one row of a contract, with the values that are given.

    Raises:
        DeclarationError: If it has no rows.
    """
    made: list[dict[str, Any]] = [{} for _ in range(position)]
    row = {folded(name): value for name, value in (given or {}).items()}
    return made_rows(declared_table(state), state, [*made, row])[position]


def whole_row(state: TableState, row: Row) -> Row:
    """Return a row with the values of defaults and generated columns, as a writer gives them who leaves nothing out."""
    contract = contract_of(state)
    values = {**contract.defaults, **{folded(name): value for name, value in row.items()}}
    with suppress(ExpressionError):
        contract.generate([values], [folded(column.name) for column in state.columns])
    return {column.name: values[folded(column.name)] for column in state.columns if folded(column.name) in values}


def breaking_row(state: TableState, kind: str, name: str, allowed_by: TableState) -> tuple[Row, ...] | None:
    """Return rows that break a constraint of one contract, and nothing of another; ``None`` if there are none known.

    ``kind`` is that of the constraint, such as ``not null``, and ``name`` the path of its column, or its own name.
    """
    table = declared_table(state)
    valid = made_rows(table, state, [{}, {}])
    for broken in Breaker(table, state, {}, valid).broken():
        if broken.constraint.kind == kind and folded(broken.constraint.name) == folded(name):
            rows = tuple(_carried(row, state, allowed_by) for row in broken.rows)
            try:
                completed = [rows_of_state(allowed_by, given=row) for row in rows]
            except DeclarationError:
                return None
            return tuple(completed) if _are_allowed(completed, allowed_by) else None
    return None


def unfit_row(of: TableState, to: TableState, path: ColumnPath, position: int = 1) -> Row | None:
    """Return a row of one contract with a value that the type of another cannot hold; ``None`` if none is known."""
    own, other = find(of.columns, path), find(to.columns, path)
    column = find(of.columns, path.parts[:1])
    if own is None or other is None or column is None:
        return None
    value = _unfit(own.data_type, other.data_type)
    if value is None:
        return None
    row = rows_of_state(of, position)
    return {**row, column.name: changed(row.get(column.name), column.data_type, path.fields, lambda _: value)}


def _unfit(of: DataTypeState, to: DataTypeState) -> Any:
    """Return a value of one atomic type that another cannot hold; ``None`` if none is known."""
    if not isinstance(of, str) or not isinstance(to, str):
        return None
    wanted = SIZED.fullmatch(to)
    if wanted is not None and wanted[1] != "decimal":
        return lengthened("", int(wanted[2]))
    name = of.partition("(")[0]
    if name in _UNLIKE_OTHERS:
        return _UNLIKE_OTHERS[name]
    own, other = _NUMBERS.get(of) or _decimal(of), _NUMBERS.get(to) or _decimal(to)
    if own is None or other is None:
        return None
    if other.limit < own.limit:
        return _number(of, other.limit)
    return Decimal(1).scaleb(-own.decimals) if other.decimals < own.decimals else None


def _decimal(data_type: str) -> _Number | None:
    sized = SIZED.fullmatch(data_type)
    return None if sized is None else _Number(Decimal(10) ** (int(sized[2]) - int(sized[3])), int(sized[3]))


def _number(data_type: str, value: Decimal) -> Any:
    """Return a number as a value of a type; one with a fraction, if that is what another type lacks."""
    if data_type in _INTEGERS:
        return int(value)
    return float(value) if data_type in {"float", "double"} else value


def _carried(row: Row, of: TableState, to: TableState) -> dict[str, Any]:
    """Return the values of a row that another contract has columns of the same type for, under its names."""
    own = {folded(column.name): column for column in of.columns}
    renamed = {folded(rename.path.root): folded(rename.old) for rename in to.renames if len(rename.path) == 1}
    renamed |= {folded(rename.old): folded(rename.path.root) for rename in of.renames if len(rename.path) == 1}
    values = {folded(name): value for name, value in row.items()}
    given = {}
    for column in to.columns:
        name = folded(column.name)
        source = name if name in own else renamed.get(name, name)
        if not is_generated(column) and source in values and _shape(own[source].data_type) == _shape(column.data_type):
            given[column.name] = values[source]
    return given


def _shape(data_type: DataTypeState) -> object:
    """Return a type without the lengths of texts."""
    sized = SIZED.fullmatch(data_type) if isinstance(data_type, str) else None
    return "string" if sized is not None and sized[1] == "varchar" else data_type


def _is_allowed(row: Row, state: TableState) -> bool:
    return _are_allowed([row], state)


def _are_allowed(rows: Iterable[Row], state: TableState) -> bool:
    try:
        return not broken_constraints(contract_of(state), rows)
    except ExpressionError:
        return False
