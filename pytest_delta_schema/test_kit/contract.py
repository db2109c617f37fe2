"""The contract that rows have to satisfy, prepared once for all rows of a call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.folded_names import NameMap, folded
from pytest_delta_schema.state.expressions import ExpressionError, columns_in, evaluate
from pytest_delta_schema.state.expressions.condition_parsing import condition_of
from pytest_delta_schema.state.expressions.conditions import conjuncts, is_understood, used_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.state.expressions.conditions import Condition
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnState

_NO_COLUMN = "no_column"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A part of a CHECK that has to be true.

    Args:
        check: The check.
        condition: The part.
        columns: The columns that it uses, in lower case.
    """

    check: CheckState
    condition: Condition
    columns: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Everything that rows of a table have to satisfy.

    Args:
        state: The table.
        columns: Its columns by name.
        clauses: The parts of its checks that are understood, and that use no generated column.
        late: The checks that can only be evaluated for whole rows.
        defaults: The values of defaults, by column in lower case, as far as they are known without Spark.
        generated: The columns that are generated.
        identities: The columns that are identities.
    """

    state: TableState
    columns: NameMap[ColumnState]
    clauses: tuple[Clause, ...]
    late: tuple[CheckState, ...]
    defaults: dict[str, Any]
    generated: tuple[ColumnState, ...]
    identities: tuple[ColumnState, ...]

    def identities_of(self, number: int) -> dict[str, Any]:
        """Return what the identity columns of a new table hold in a row, if one writer appends the rows in order.

        Args:
            number: The position of the row, from 0.
        """
        identities = [(column, column.value.identity) for column in self.identities if column.value]
        return {
            folded(column.name): identity.start + number * identity.step
            for column, identity in identities
            if identity is not None
        }


def contract_of(state: TableState) -> Contract:
    """Return what rows of a table have to satisfy."""
    valued = [column for column in state.columns if column.value is not None]
    generated = tuple(column for column in valued if column.value and column.value.generated is not None)
    names = {folded(column.name) for column in generated}
    clauses: list[Clause] = []
    late = []
    for check in state.checks:
        parts = [
            Clause(check=check, condition=part, columns=used_columns(part))
            for part in conjuncts(condition_of(check.expression))
            if is_understood(part)
        ]
        clauses += [clause for clause in parts if not clause.columns & names]
        if not is_understood(condition_of(check.expression)) or names.intersection(columns_in(check.expression)):
            late.append(check)
    return Contract(
        state=state,
        columns=NameMap.of(state.columns),
        clauses=tuple(clauses),
        late=tuple(late),
        defaults=dict(_defaults(valued)),
        generated=generated,
        identities=tuple(column for column in valued if column.value and column.value.identity is not None),
    )


def _defaults(columns: Iterable[ColumnState]) -> Iterator[tuple[str, Any]]:
    for column in columns:
        if column.value is not None and column.value.default is not None:
            try:
                yield folded(column.name), default_value(column.value.default)
            except ExpressionError:
                continue


@lru_cache(maxsize=1024)
def default_value(expression: str) -> Any:
    """Return the value of a default.

    Args:
        expression: Of the default.

    Raises:
        ExpressionError: If it cannot be evaluated without Spark.
    """
    (value,) = evaluate(expression, [{_NO_COLUMN: None}], [_NO_COLUMN])
    return value
