"""Rows that satisfy the contract of a model: values for its columns, keys and foreign keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.configuration.settings import current_settings
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.engine.declarations import declared, validator_of
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.types import find, not_null_paths
from pytest_delta_schema.test_kit.contract import contract_of, known_columns
from pytest_delta_schema.test_kit.parents import parent_rows
from pytest_delta_schema.test_kit.search import RowMaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.test_kit.contract import Row


@hides_traceback
def rows_of(
    model: Table,
    rows: int | Iterable[Mapping[str, Any]] = 3,
    *,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    **columns: Any,
) -> list[Row]:
    """Return rows that satisfy the contract of a model: types, NOT NULL, lengths, checks and keys.

    Values are plain: numbers and keys count up from 1, texts are the column's name with a number, days follow
    2024-01-01. Nothing is NULL unless a check demands it. Columns that the table fills itself, by a default, an
    identity or an expression, are left out, unless a key or a check needs another value than the default. Foreign keys
    take the rows of ``parents`` in turn, and of these the ones that agree with given values; those to the table itself
    point at an earlier row, or are NULL; those to a parent that references the table are NULL if they may be; all
    others have plain values.

    Args:
        model: The contract.
        rows: How many rows; or rows to complete, as dictionaries by column name that leave columns out.
        seed: The same seed gives the same rows on every machine and version of Python; a different seed gives other
            values in columns that are in no key.
        parents: Rows of the tables that foreign keys reference, by their model or its dotted name.
        **columns: Values of columns that a row does not give: one value for all rows, or a function that returns the
            value for a position, counted from 0. A list is one value. They are not changed, even if a check refuses
            them. Names are compared without case, so a column ``rows`` is given as ``ROWS=``.

    Raises:
        DeclarationError: If a column does not exist, an argument cannot be used, or a check or a key cannot be
            satisfied; the text names it, and the columns to give.
        InvalidModelError: If the declaration breaks rules.
    """
    return completed_rows(model, rows, columns, seed=seed, parents=parents)


def completed_rows(  # noqa: PLR0913 - what rows_of is given, and a session
    model: Table,
    rows: int | Iterable[Mapping[str, Any]],
    columns: Mapping[str, Any],
    *,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    session: Callable[[], SparkSession] | None = None,
) -> list[Row]:
    """Return the rows of :func:`rows_of`; a session judges the checks that nothing else can, in its time zone."""
    state = valid_state(model, "rows_of")
    for_all = known_columns(state, columns)
    given = [
        {**{name: value(position) if callable(value) else value for name, value in for_all.items()}, **row}
        for position, row in enumerate(_given_rows(state, rows))
    ]
    return made_rows(model, state, given, seed=seed, parents=parents, session=session)


def valid_state(model: Table, function: str) -> TableState:
    """Return what a model declares."""
    if not isinstance(model, Table):
        refuse_kind(function, "a Table", model, "give the Table that declares the rows")
    settings = current_settings()
    contract = declared(model, settings)
    validator_of(settings).validate_models([contract])
    return desired_state(contract)


def made_rows(  # noqa: PLR0913 - what rows_of is given, and a session
    model: Table,
    state: TableState,
    given: list[Row],
    *,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    session: Callable[[], SparkSession] | None = None,
) -> list[Row]:
    """Return rows with values for all columns that the table does not fill."""
    lines = [
        f"{state.name}: column {path} is of type void and NOT NULL, so there are no rows; let it be NULL"
        for path in not_null_paths(state.columns)
        if (column := find(state.columns, path)) is not None and column.data_type == "void"
    ]
    if lines and given:
        raise DeclarationError("\n".join(lines))
    contract = contract_of(state)
    judge = None
    if session is not None:
        from pytest_delta_schema.test_kit.judging import Judge  # noqa: PLC0415 - imports pyspark

        judge = Judge(session, model, contract)
    maker = RowMaker(contract, parent_rows(model, state, parents or {}, given), seed, judge=judge)
    return maker.rows(given)


def _given_rows(state: TableState, rows: object) -> Iterator[Row]:
    """Yield the values that each row is given, by column in lower case: none, if ``rows`` is their number."""
    if isinstance(rows, int):
        if isinstance(rows, bool) or rows < 0:
            msg = f"{state.name}: the number of rows is {rows!r}; give an int of at least 0"
            raise DeclarationError(msg)
        yield from ({} for _ in range(rows))
        return
    if isinstance(rows, (str, Mapping)) or not isinstance(rows, Iterable):
        refuse_kind("rows_of", "a number of rows, or rows to complete", rows, "give an int, or a list of dicts")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            msg = f"{state.name}: row {number} is {row!r}; give a dict of values by column"
            raise DeclarationError(msg)
        yield known_columns(state, row)
