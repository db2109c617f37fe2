"""Rows that break one constraint of a model each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.state.expressions import ExpressionError, columns_in
from pytest_delta_schema.state.expressions.condition_parsing import condition_of
from pytest_delta_schema.state.expressions.conditions import (
    Comparison,
    Field,
    Unparsed,
    Value,
    atoms_of,
    is_understood,
    negated,
    used_columns,
)
from pytest_delta_schema.state.type_traversal import not_null_paths
from pytest_delta_schema.state.types import find
from pytest_delta_schema.test_kit.contract import Clause, contract_of
from pytest_delta_schema.test_kit.effects.changed_values import changed, lengthened
from pytest_delta_schema.test_kit.generation.alternatives import alternatives
from pytest_delta_schema.test_kit.generation.constraint_checks import Constraint, broken_constraints, texts_with_length
from pytest_delta_schema.test_kit.generation.domains import Texts, domain_of, stored
from pytest_delta_schema.test_kit.generation.parent_rows import parent_rows
from pytest_delta_schema.test_kit.generation.row_maker import RowMaker
from pytest_delta_schema.test_kit.generation.rows import rows_of, valid_state
from pytest_delta_schema.test_kit.known_columns import known_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.expressions.conditions import Atom, Operand
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.test_kit.generation.domains import Domain
    from pytest_delta_schema.test_kit.generation.rows import Row

_UNUSUAL = (0, -1, 1000, -1000, "", "x")
"""Values with which checks that are not understood are tried. Sums and products of them fit every type of numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakingRows:
    """Rows that break a constraint.

    Args:
        constraint: The constraint.
        rows: One row, or two for a key.
        breaks: All constraints that the rows break. There are more than one if that cannot be avoided: a NULL also
            makes a check unknown, which breaks it. Delta Lake reports one of them.
    """

    constraint: Constraint
    rows: tuple[Row, ...]
    breaks: tuple[Constraint, ...]


@hides_traceback
def breaking_rows(model: Table, **columns: Any) -> list[BreakingRows]:
    """Return rows for each NOT NULL, length, check and key of a model that break it, and nothing else if possible.

    All other values are those of :func:`rows_of`. Identities and generated columns, which the table fills, and checks
    that hold for every row are left out.

    Args:
        model: The contract.
        **columns: As in :func:`rows_of`, for checks that are not solved. The broken column has another value.

    Raises:
        DeclarationError: If no row is found that breaks a check, or :func:`rows_of` fails.
        InvalidModelError: If the declaration breaks rules.
    """
    state = valid_state(model, "breaking_rows")
    breaker = Breaker(model, state, known_columns(state, columns), rows_of(model, 2, **columns))
    made = [*breaker.broken()]
    if breaker.faults:
        raise DeclarationError("\n".join(breaker.faults))
    return made


class Breaker:
    """Makes the breaking rows of one model.

    Given values are by column in lower case. Of the valid rows, which break nothing together, the first one is changed;
    without a second one keys are left out.
    """

    def __init__(self, model: Table, state: TableState, given: Row, valid: Sequence[Row]) -> None:
        self._contract = contract = contract_of(state)
        self._foreign_keys = parent_rows(model, state, {})
        self._given = {name: value(0) if callable(value) else value for name, value in given.items()}
        self._valid, *self._others = ({folded(name): value for name, value in row.items()} for row in valid)
        self.faults: list[str] = []
        self._filled = {*contract.generated, *contract.identities}

    def broken(self) -> Iterator[BreakingRows]:
        """Yield rows for each constraint that a row can break; those for which none was found are among the faults."""
        yield from self._nulls()
        yield from self._lengths()
        yield from self._checks()
        for other in self._others[:1]:
            yield from self._keys(other)

    def _nulls(self) -> Iterator[BreakingRows]:
        """Yield a row for each NOT NULL."""
        for path in not_null_paths(self._contract.state.columns):
            if path.folded[0] not in self._filled:
                value = self._changed(path, lambda _: None)
                yield from self._best(Constraint(kind="not null", name=str(path)), self._with(path, value))

    def _lengths(self) -> Iterator[BreakingRows]:
        """Yield a row for each length."""
        for path, length in texts_with_length(self._contract.state.columns):
            if path.folded[0] not in self._filled:
                value = self._changed(path, partial(lengthened, length=length))
                yield from self._best(Constraint(kind="length", name=str(path)), self._with(path, value))

    def _checks(self) -> Iterator[BreakingRows]:
        """Yield a row for each check."""
        for check in self._contract.state.checks:
            if self._used(check) and not self._holds_always(check):
                constraint = Constraint(kind="check", name=check.name)
                yield from self._best(constraint, self._breaking(check), f" ({check.expression})")

    def _keys(self, other: Row) -> Iterator[BreakingRows]:
        """Yield two rows for each key, which have the same values in it."""
        for key in self._contract.state.keys:
            names = [folded(name) for name in key.columns]
            repeated = {name: self._valid.get(name) for name in names}
            if self._filled.isdisjoint(names) and None not in repeated.values():
                # Columns that a check compares with the key have to fit to it.
                bound = self._bound(names)
                apart = {name: value for name, value in other.items() if name in self._given or name not in bound}
                pairs = [
                    (self._as_row(self._valid), row)
                    for given in ({**other, **repeated}, {**apart, **repeated})
                    for row in self._rows(given, self._contract.clauses)
                ]
                yield from self._best(Constraint(kind=key.kind, name=key.name), pairs)

    def _bound(self, names: Iterable[str]) -> set[str]:
        """Return the columns that checks compare with some columns, directly or through others."""
        bound = {*names}
        for _ in self._contract.clauses:
            for clause in self._contract.clauses:
                if clause.columns & bound:
                    bound |= clause.columns
        return bound

    def _holds_always(self, check: CheckState) -> bool:
        """Whether it is known that no row breaks a check."""
        condition = negated(condition_of(check.expression))
        used = used_columns(condition)
        if used & self._filled or not all(map(self._is_decided, atoms_of(condition))):
            return False
        is_nullable = any(self._contract.columns[name].is_nullable for name in used)
        return not is_nullable and not alternatives([condition], self._contract.state.columns)

    def _is_decided(self, atom: Atom) -> bool:
        """Whether it is known which values meet a comparison; the order of texts is not."""
        return not isinstance(atom, (Comparison, Unparsed)) or (
            isinstance(atom, Comparison)
            and isinstance(atom.right, Value)
            and (atom.operator in ("=", "<>") or not isinstance(self._domain(atom.left), Texts))
        )

    def _domain(self, operand: Operand) -> Domain | None:
        column = find(self._contract.state.columns, operand.path) if isinstance(operand, Field) else None
        return None if column is None else domain_of(column.data_type, column.name)

    def _used(self, check: CheckState) -> list[str]:
        """Return the columns that decide a check, without those that the table fills."""
        return [name for name in self._contract.sources(columns_in(check.expression)) if name not in self._filled]

    def _breaking(self, check: CheckState) -> Iterator[tuple[Row, ...]]:
        """Yield rows that may break a check: those that meet all others come first."""
        others = [clause for clause in self._contract.clauses if clause.check != check]
        condition = negated(condition_of(check.expression))
        used = self._used(check)
        given = {name: value for name, value in self._given.items() if name not in used}
        if is_understood(condition):
            opposite = Clause(check=check, condition=condition, columns=used_columns(condition))
            for clauses in ([*others, opposite], [opposite]):
                yield from ((row,) for row in self._rows(given, clauses))
        for name in used:
            for value in (None, *self._unusual(name)):
                yield from ((row,) for row in self._rows({**given, name: value}, others))

    def _unusual(self, name: str) -> Iterator[Any]:
        """Yield values of a column that may break a check which is not understood."""
        column = self._contract.columns[name]
        domain = domain_of(column.data_type, column.name)
        if domain is not None:
            inside = (stored(domain, value) for value in _UNUSUAL)
            yield from (value for value in inside if value is not None)

    def _with(self, path: ColumnPath, value: Any) -> Iterator[tuple[Row, ...]]:
        """Yield rows in which a column has another value: the valid row, and others in which the rest fits to it."""
        name = path.folded[0]
        yield (self._as_row({**self._valid, name: value}),)
        given = {**self._given, name: value}
        clauses = self._contract.clauses
        for kept in (clauses, [clause for clause in clauses if name not in clause.columns]):
            yield from ((row,) for row in self._rows(given, kept))

    def _rows(self, given: Row, clauses: Iterable[Clause]) -> Iterator[Row]:
        """Yield a row with given values that meets some clauses, if there is one."""
        contract = replace(self._contract, clauses=tuple(clauses), late=())
        try:
            yield from RowMaker(contract, self._foreign_keys, 0).rows([given])
        except DeclarationError:
            return

    def _best(
        self, constraint: Constraint, candidates: Iterable[tuple[Row, ...]], shown: str = ""
    ) -> Iterator[BreakingRows]:
        """Yield the rows that break a constraint with the fewest others; that there are none is a fault."""
        best: BreakingRows | None = None
        for rows in candidates:
            try:
                broken = broken_constraints(self._contract, rows)
            except ExpressionError:
                continue
            if constraint in broken and (best is None or len(broken) < len(best.breaks)):
                ordered = (constraint, *(other for other in broken if other != constraint))
                best = BreakingRows(constraint=constraint, rows=rows, breaks=ordered)
                if len(broken) == 1:
                    break
        if best is not None:
            yield best
            return
        fact = f"no row was found that breaks {constraint}{shown}"
        remedy = "if there is one, give the other columns the values that it needs; else drop the constraint"
        self.faults.append(f"{self._contract.state.name}: {fact}; {remedy}")

    def _as_row(self, values: Row) -> Row:
        return {
            column.name: values[folded(column.name)]
            for column in self._contract.state.columns
            if folded(column.name) in values
        }

    def _changed(self, path: ColumnPath, change: Callable[[Any], Any]) -> Any:
        """Return the valid value of a column with a change at a path below it."""
        column: ColumnState = self._contract.columns[path.root]
        return changed(self._valid.get(path.folded[0]), column.data_type, path.fields, change)
