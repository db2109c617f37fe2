"""The contract that rows have to satisfy, prepared once for all rows of a call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import NameMap, folded, proposal
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.state.expressions import ExpressionError, columns_in, evaluate
from pytest_delta_schema.state.expressions.conditions import conjuncts, is_understood, used_columns
from pytest_delta_schema.state.expressions.parsing import condition_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.state.expressions.conditions import Condition
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, IdentityState


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A part of a CHECK that has to be true."""

    check: CheckState
    condition: Condition
    columns: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Everything that rows of a table have to satisfy."""

    state: TableState
    columns: NameMap[ColumnState]
    clauses: tuple[Clause, ...]
    """The parts of its checks that are understood, and that use no generated column."""
    late: tuple[CheckState, ...]
    """The checks that can only be evaluated for whole rows."""
    defaults: dict[str, Any]
    """The values of defaults, by column in lower case, where they are known without Spark."""
    generated: dict[str, str]
    """The expressions of generated columns, by column in lower case."""
    identities: dict[str, IdentityState]
    """The starts and steps of identity columns, by column in lower case."""

    def sources(self, names: Iterable[str]) -> list[str]:
        """Return columns with those that generated ones are made from instead of these, in lower case."""
        direct = [name for name in names if name in self.columns]
        generated = [self.generated[name] for name in direct if name in self.generated]
        inner = [name for expression in generated for name in columns_in(expression)]
        return [name for name in dict.fromkeys((*direct, *inner)) if name not in self.generated]

    def with_table_values(self, row: Mapping[str, Any], number: int) -> dict[str, Any]:
        """Return a row with the defaults and identities that a new table gives it."""
        identities = {name: identity.start + number * identity.step for name, identity in self.identities.items()}
        return {**self.defaults, **identities, **row}

    def generate(self, rows: Sequence[dict[str, Any]], columns: Collection[str]) -> None:
        """Add the values of generated columns, of those that are named, to rows that do not have them."""
        names = [folded(column.name) for column in self.state.columns]
        for name, expression in self.generated.items():
            incomplete = [row for row in rows if name in columns and name not in row]
            for row, value in zip(incomplete, evaluate(expression, incomplete, names), strict=True):
                row[name] = value


def contract_of(state: TableState) -> Contract:
    """Return what rows of a table have to satisfy."""
    values = {folded(column.name): column.value for column in state.columns if column.value is not None}
    generated = {name: value.generated for name, value in values.items() if value.generated is not None}
    clauses: list[Clause] = []
    late = []
    for check in state.checks:
        parts = [
            Clause(check=check, condition=part, columns=used_columns(part))
            for part in conjuncts(condition_of(check.expression))
            if is_understood(part)
        ]
        clauses += [clause for clause in parts if clause.columns.isdisjoint(generated)]
        uses_generated = not generated.keys().isdisjoint(columns_in(check.expression))
        if uses_generated or not is_understood(condition_of(check.expression)):
            late.append(check)
    return Contract(
        state=state,
        columns=NameMap.of(state.columns),
        clauses=tuple(clauses),
        late=tuple(late),
        defaults=dict(_defaults(values)),
        generated=generated,
        identities={name: value.identity for name, value in values.items() if value.identity is not None},
    )


def _defaults(values: Mapping[str, ColumnGeneration]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if value.default is not None:
            try:
                yield name, default_value(value.default)
            except ExpressionError:
                continue


_NO_COLUMN = "no_column"


@lru_cache(maxsize=1024)
def default_value(expression: str) -> Any:
    """Return the value of a default; raise an ``ExpressionError`` if it cannot be evaluated without Spark."""
    (value,) = evaluate(expression, [{_NO_COLUMN: None}], [_NO_COLUMN])
    return value


def known_columns(state: TableState, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return given values by column in lower case; an unknown column is an error with the nearest name."""
    columns = NameMap.of(state.columns)
    unknown = [str(name) for name in values if str(name) not in columns]
    if unknown:
        lines = []
        for name in unknown:
            spellings = [column.name for column in state.columns]
            remedy = proposal(name, spellings, f"columns are {', '.join(columns)}")
            lines.append(f"{state.name}: there is no column {name}; {remedy}")
        raise DeclarationError("\n".join(lines))
    return {folded(str(name)): value for name, value in values.items()}
