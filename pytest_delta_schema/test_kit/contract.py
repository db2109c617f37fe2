"""The contract that rows have to satisfy, prepared once for all rows of a call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import NameMap, folded, proposal
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.state.expressions import (
    ExpressionError,
    columns_in,
    evaluate,
    failing_rows,
    paths_in,
    require_wide,
)
from pytest_delta_schema.state.expressions.conditions import conjuncts, is_understood, paths_of, used_columns
from pytest_delta_schema.state.expressions.evaluation import truth
from pytest_delta_schema.state.expressions.parsing import condition_of
from pytest_delta_schema.state.types import atoms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.state.expressions.conditions import Condition
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, IdentityState


Row = dict[str, Any]
"""One row: values by column name, as the model spells it."""

_OFFSETS = [
    timedelta(hours=hours)
    for hours in (24, -24, *range(-12, 15), -9.5, -3.5, -2.5, 3.5, 4.5, 5.5, 5.75, 6.5, 8.75, 9.5, 10.5, 12.75, 13.75)
]
"""How far the times of all time zones are from UTC today; a day in front, as most values that differ do so there."""

_SMALL = 11
"""The product of two such numbers fits every type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A part of a CHECK that rows have to meet, or a whole one that they have to break.

    Attributes:
        columns: The columns that decide it, without generated ones, in lower case.
        paths: The columns and fields that it uses.
        has_instants: Whether it uses columns with timestamps.
        condition: What has to be true; ``None`` for the whole check.
    """

    check: CheckState
    columns: frozenset[str]
    paths: frozenset[ColumnPath]
    has_instants: bool = False
    condition: Condition | None = None
    is_broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Everything that rows of a table have to satisfy."""

    state: TableState
    columns: NameMap[ColumnState]
    clauses: tuple[Clause, ...]
    defaults: dict[str, Any]
    """The values of defaults, by column in lower case, where they are known without Spark."""
    generated: dict[str, str]
    """The expressions of generated columns, by column in lower case."""
    identities: dict[str, IdentityState]
    """The starts and steps of identity columns, by column in lower case."""

    def clauses_of(self, check: CheckState, *, is_broken: bool = False) -> Iterator[Clause]:
        """Yield the parts of a check that are understood, and the whole check if others are not, or to break it."""
        condition = condition_of(check.expression)
        used = columns_in(check.expression)
        is_whole = is_broken or not is_understood(condition) or not self.generated.keys().isdisjoint(used)
        if is_whole:
            texts = [check.expression, *(self.generated[name] for name in used if name in self.generated)]
            paths = frozenset(path for text in texts for path in paths_in(text))
            yield self._clause(check, self.sources(used), paths, is_broken=is_broken)
        for part in () if is_broken else conjuncts(condition):
            columns = used_columns(part)
            if is_understood(part) and columns.isdisjoint(self.generated):
                yield self._clause(check, columns, paths_of(part), condition=part)

    def _clause(self, check: CheckState, columns: Iterable[str], paths: Iterable[ColumnPath], **how: Any) -> Clause:
        names = frozenset(columns)
        has_instants = any("timestamp" in atoms([self.columns[name].data_type]) for name in names)
        return Clause(
            check=check,
            columns=names,
            paths=frozenset(path for path in paths if path.root in self.columns),
            has_instants=has_instants,
            **how,
        )

    def meets(self, clause: Clause, row: Mapping[str, Any], *, is_strict: bool = False) -> bool:
        """Return whether a row meets a clause in UTC, or in every time zone; only Spark knows: ``ExpressionError``."""
        if is_strict and clause.has_instants:
            moved = ({name: _moved(row.get(name), offset) for name in clause.columns} for offset in _OFFSETS)
            return all(self.meets(clause, {**row, **instants}) for instants in moved)
        if clause.condition is not None:
            return truth(clause.condition, row) is True
        used = [name for name in columns_in(clause.check.expression) if name in self.columns]
        if any(isinstance(row.get(name), (int, float)) and abs(row[name]) > _SMALL for name in used):
            # Spark computes in the type of the columns, where the sum or product of larger numbers may overflow.
            require_wide(clause.check.expression, {name: self.columns[name].data_type for name in used})
        whole = dict(row)
        self.generate([whole], used)
        return bool(failing_rows(clause.check.expression, [whole], used)) is clause.is_broken

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
        for name, expression in self.generated.items():
            incomplete = [row for row in rows if name in columns and name not in row]
            for row, value in zip(incomplete, evaluate(expression, incomplete, self.sources([name])), strict=True):
                row[name] = value


def contract_of(state: TableState) -> Contract:
    """Return what rows of a table have to satisfy."""
    values = {folded(column.name): column.value for column in state.columns if column.value is not None}
    contract = Contract(
        state=state,
        columns=NameMap.of(state.columns),
        clauses=(),
        defaults=dict(_defaults(values)),
        generated={name: value.generated for name, value in values.items() if value.generated is not None},
        identities={name: value.identity for name, value in values.items() if value.identity is not None},
    )
    return replace(contract, clauses=tuple(clause for check in state.checks for clause in contract.clauses_of(check)))


def _moved(value: Any, time: timedelta) -> Any:
    """Return a value whose instants are later."""
    if isinstance(value, dict):
        return {name: _moved(part, time) for name, part in value.items()}
    return value + time if isinstance(value, datetime) and value.tzinfo is not None else value


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
