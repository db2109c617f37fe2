"""Fill columns that a row leaves out: defaults, identities and generated columns, in this order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.state.expressions import ExpressionError, evaluate, require_wide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.backends.memory.rows import StoredRow
    from pytest_delta_schema.state.types import ColumnState

_NO_COLUMN = "no_column"
"""A column for the evaluation of expressions without columns."""


def filled(row: StoredRow, columns: Sequence[ColumnState], counters: dict[str, int]) -> StoredRow:
    """Return a row with the values that the table fills.

    Values are by lower-case column name. The counters, the next value of each identity column by lower-case name, are
    updated.

    Raises:
        StatementError: If the row has a value that only the table may give, or an expression needs Spark.
    """
    types = {folded(column.name): column.data_type for column in columns}
    valued = [(folded(column.name), column.value) for column in columns if column.value is not None]
    if not valued:
        return row
    complete = dict(row)
    for name, value in valued:
        if name not in complete and value.default is not None:
            complete[name] = _evaluated(value.default, {_NO_COLUMN: None}, name, {})
        if value.identity is not None:
            if name not in complete:
                complete[name] = counters.get(name, value.identity.start)
                counters[name] = complete[name] + value.identity.step
            elif value.identity.is_always:
                msg = f"column {name} is an identity column, whose values are never given; leave it out"
                raise StatementError(msg, condition="DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED")
    plain = {name: complete.get(name) for name in (folded(column.name) for column in columns)}
    for name, value in valued:
        if value.generated is not None:
            answer = _evaluated(value.generated, plain, name, types)
            if complete.setdefault(name, answer) != answer:
                msg = f"column {name} is generated as {value.generated}, which is {answer!r} and not {complete[name]!r}"
                raise StatementError(msg, condition="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")
    return complete


def _evaluated(expression: str, row: StoredRow, name: str, types: Mapping[str, object]) -> Any:
    try:
        require_wide(expression, types)
        (answer,) = evaluate(expression, [row], row)
    except ExpressionError as error:
        msg = f"the memory catalog cannot evaluate {expression} for column {name}: {first_line(error)}"
        msg = f"{msg}; test it on the local backend"
        raise StatementError(msg) from error
    return answer
