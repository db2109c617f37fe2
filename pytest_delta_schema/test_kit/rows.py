"""Rows made from a model, which satisfy its contract."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.folded_names import NameMap, folded
from pytest_delta_schema.engine.assembly import declared, validator_of
from pytest_delta_schema.engine.settings import current_settings
from pytest_delta_schema.errors import DeclarationError
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.type_traversal import not_null_paths
from pytest_delta_schema.state.types import find
from pytest_delta_schema.test_kit.contract import contract_of
from pytest_delta_schema.test_kit.making import RowMaker
from pytest_delta_schema.test_kit.parent_rows import parent_rows

if TYPE_CHECKING:
    from pytest_delta_schema.state.states import TableState

Row = dict[str, Any]
"""One row: values by column name, as the model spells it."""


@hides_traceback
def rows_of(
    model: Table,
    n: int = 3,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    **columns: Any,
) -> list[Row]:
    """Return rows that satisfy the contract of a model: types, NOT NULL, lengths, checks and keys.

    Values are plain: numbers and keys count up from 1, texts are the column's name with a number, days follow
    2024-01-01. Nothing is NULL unless a check demands it. Columns that the table fills itself, by a default, an
    identity or an expression, are left out, unless a key or a check needs another value than the default. Foreign keys
    take the rows of ``parents`` in turn; those to the table itself point at an earlier row, or are NULL; those to a
    parent that references the table are NULL if they may be; all others have plain values.

    Args:
        model: The contract.
        n: How many rows.
        seed: The same seed gives the same rows on every machine and version of Python; another one gives other values
            in columns that are in no key.
        parents: Rows of the tables that foreign keys reference, by their model or its dotted name.
        **columns: Values of columns: one value for all rows, or a function that returns the value for a position,
            counted from 0. A list is one value. They are not changed, even if a check refuses them. Names are compared
            without case, so a column ``n`` is given as ``N=``.

    Raises:
        DeclarationError: If a column does not exist, an argument cannot be used, or a check or a key cannot be
            satisfied; the text names it, and the columns to give.
        InvalidModelError: If the declaration breaks rules.
    """
    _require_number(model, n)
    state = valid_state(model, "rows_of")
    given = known_columns(state, columns)
    rows = [
        {name: value(position) if callable(value) else value for name, value in given.items()} for position in range(n)
    ]
    return made_rows(model, state, rows, seed=seed, parents=parents)


@hides_traceback
def fill_rows(
    model: Table,
    rows: Iterable[Mapping[str, Any]],
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
) -> list[Row]:
    """Return rows in which columns that are not given have values as :func:`rows_of` makes them.

    Args:
        model: The contract.
        rows: Values by column name, in any case.
        seed: As in :func:`rows_of`.
        parents: As in :func:`rows_of`.

    Raises:
        DeclarationError: As :func:`rows_of`.
        InvalidModelError: If the declaration breaks rules.
    """
    state = valid_state(model, "fill_rows")
    given = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            msg = f"{state.name}: row {number} is {row!r}; give a dict of values by column"
            raise DeclarationError(msg)
        given.append(known_columns(state, row))
    return made_rows(model, state, given, seed=seed, parents=parents)


def valid_state(model: Table, function: str) -> TableState:
    """Return what a model declares.

    Args:
        model: The model.
        function: The function that was called, for messages.

    Raises:
        DeclarationError: If it is no model.
        InvalidModelError: If it breaks rules.
    """
    if not isinstance(model, Table):
        msg = f"{function} takes a Table, and was given {model!r}; give the Table that declares the rows"
        raise DeclarationError(msg)
    settings = current_settings()
    contract = declared(model, settings)
    validator_of(settings).validate_models([contract])
    return desired_state(contract)


def made_rows(
    model: Table,
    state: TableState,
    given: list[Row],
    *,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
) -> list[Row]:
    """Return rows with values for all columns that the table does not fill.

    Args:
        model: The contract.
        state: What it declares.
        given: The given values of each row, by column in lower case.
        seed: As in :func:`rows_of`.
        parents: As in :func:`rows_of`.

    Raises:
        DeclarationError: If a check or a key cannot be satisfied.
    """
    lines = [
        f"{state.name}: column {path} is of type void and NOT NULL, so that there are no rows; let it be NULL"
        for path in not_null_paths(state.columns)
        if (column := find(state.columns, path)) is not None and column.data_type == "void"
    ]
    if lines and given:
        raise DeclarationError("\n".join(lines))
    maker = RowMaker(contract_of(state), parent_rows(model, state, parents or {}), seed)
    return maker.rows(given)


def known_columns(state: TableState, values: Mapping[str, Any]) -> Row:
    """Return given values by column in lower case; an unknown column is an error with the nearest name.

    Args:
        state: The table.
        values: Values by column, in any case.

    Raises:
        DeclarationError: If a column does not exist.
    """
    columns = NameMap.of(state.columns)
    unknown = [str(name) for name in values if str(name) not in columns]
    if unknown:
        lines = []
        for name in unknown:
            near = get_close_matches(folded(name), list(columns), n=1)
            remedy = f"did you mean {columns[near[0]].name}?" if near else f"columns are {', '.join(columns)}"
            lines.append(f"{state.name}: there is no column {name}; {remedy}")
        raise DeclarationError("\n".join(lines))
    return {folded(str(name)): value for name, value in values.items()}


def _require_number(model: object, n: object) -> None:
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        name = model.qualified_name if isinstance(model, Table) else "rows_of"
        msg = f"{name}: the number of rows is {n!r}; give an int of at least 0"
        raise DeclarationError(msg)
