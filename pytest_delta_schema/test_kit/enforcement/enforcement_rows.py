"""The rows with which the constraints of a model are tried, and the constraints that rows cannot try."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameMap
from pytest_delta_schema.delta.names.part_path import PartPath, part_path
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.state.type_traversal import not_null_paths
from pytest_delta_schema.test_kit.contract import contract_of
from pytest_delta_schema.test_kit.generation.breaking import Breaker
from pytest_delta_schema.test_kit.generation.constraint_checks import Constraint, texts_with_length
from pytest_delta_schema.test_kit.generation.rows import made_rows, valid_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState, TableState
    from pytest_delta_schema.test_kit.generation.breaking import BreakingRows
    from pytest_delta_schema.test_kit.generation.rows import Row

_MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class EnforcementRows:
    """Rows that try the constraints of a model."""

    paths: dict[Constraint, PartPath]
    """All constraints of the model, each with its path in the declaration."""
    keys: dict[Constraint, KeyState]
    foreign_keys: tuple[ForeignKeyState, ...]
    """The foreign keys in which one of the valid rows has a value."""
    valid: list[Row]
    breaking: tuple[BreakingRows, ...]
    """Rows that break a constraint each; those of keys repeat the first valid row."""
    unsolved: tuple[CheckState, ...]
    """The checks for which no rows are known: those that cannot be evaluated without Spark, and others."""
    untried: tuple[str, ...]
    """The constraints that no row of this table is known to break, as text."""


def enforcement_rows(model: Table) -> EnforcementRows:
    """Return the rows with which the constraints of a model are tried.

    Raises:
        DeclarationError: If no row is known that satisfies the contract.
        InvalidModelError: If the declaration breaks rules.
    """
    state = valid_state(model, "--delta-enforce")
    paths = dict(_constraints(state))
    solved, unsolved = _solved(model, state)
    valid = _valid_rows(model, solved)
    breaking = tuple(Breaker(model, solved, {}, valid).broken())
    broken = {rows.constraint for rows in breaking}
    with_values = [key for key in state.foreign_keys if any(_has_value(row, key) for row in valid)]
    return EnforcementRows(
        paths=paths,
        keys={Constraint(kind=key.kind, name=key.name): key for key in state.keys},
        foreign_keys=tuple(with_values),
        valid=valid,
        breaking=breaking,
        unsolved=unsolved,
        untried=(
            *(str(constraint) for constraint in paths if constraint not in broken),
            *(f"foreign key {key.name}" for key in state.foreign_keys if key not in with_values),
        ),
    )


def _constraints(state: TableState) -> Iterator[tuple[Constraint, PartPath]]:
    for path in not_null_paths(state.columns):
        yield Constraint(kind="not null", name=str(path)), part_path("columns", path)
    for path, _ in texts_with_length(state.columns):
        yield Constraint(kind="length", name=str(path)), part_path("columns", path)
    for check in state.checks:
        yield Constraint(kind="check", name=check.name), part_path("checks", check.name)
    for key in state.keys:
        yield Constraint(kind=key.kind, name=key.name), key.path


def _has_value(row: Row, key: ForeignKeyState) -> bool:
    values = NameMap(row.items())
    return all(values.get(name) is not None for name in key.columns)


def _solved(model: Table, state: TableState) -> tuple[TableState, tuple[CheckState, ...]]:
    """Return a contract without the checks that are not solved together, and these checks."""
    if _has_rows(model, state):
        return state, ()
    late = contract_of(state).late
    kept: list[CheckState] = []
    # A check that is evaluated for whole rows may hold for the values that the others demand.
    for check in sorted(state.checks, key=lambda check: check in late):
        if _has_rows(model, replace(state, checks=(*kept, check))):
            kept.append(check)
    return replace(state, checks=tuple(kept)), tuple(check for check in state.checks if check not in kept)


def _has_rows(model: Table, state: TableState) -> bool:
    try:
        made_rows(model, state, [{}])
    except DeclarationError:
        return False
    return True


def _valid_rows(model: Table, state: TableState) -> list[Row]:
    """Return as many rows as the keys allow, but a few at most."""
    for number in range(_MOST, 1, -1):
        try:
            return made_rows(model, state, [{} for _ in range(number)])
        except DeclarationError:
            continue
    return made_rows(model, state, [{}])
