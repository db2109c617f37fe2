"""Try which constraints a table enforces: the rows for it, and what happens to them."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.rows import constraint_error
from pytest_delta_schema.backends.spark.sessions import TIME_ZONE, setting
from pytest_delta_schema.delta.names import NameMap, NameSet, PartPath, column_of, folded, part_path, same_name
from pytest_delta_schema.diagnostics.errors import DeclarationError, StatementError, diagnostic_of, first_line, note
from pytest_delta_schema.diagnostics.faults import RefusedRow, UnenforcedConstraint, UntriedConstraint
from pytest_delta_schema.diagnostics.text import counted, escaped, shortened
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.progress import step
from pytest_delta_schema.test_kit.breaking import Breaker
from pytest_delta_schema.test_kit.constraints import Constraint, column_constraints
from pytest_delta_schema.test_kit.contract import contract_of
from pytest_delta_schema.test_kit.rows import made_rows, valid_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.backends.rows import ConstraintViolation
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.execute.protocols import AppendsRows
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState, TableState
    from pytest_delta_schema.test_kit.breaking import BreakingRows
    from pytest_delta_schema.test_kit.contract import Row


_MOST_ROWS = 3


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
    """Return the rows with which the constraints of a model are tried."""
    state = valid_state(model, "--delta-enforce")
    paths = dict(_constraint_paths(state))
    solved, unsolved = _without_unsolved(model, state)
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


def _constraint_paths(state: TableState) -> Iterator[tuple[Constraint, PartPath]]:
    for constraint, path, _ in column_constraints(state):
        yield constraint, part_path("columns", path)
    for check in state.checks:
        yield Constraint(kind="check", name=check.name), part_path("checks", check.name)
    for key in state.keys:
        yield Constraint(kind=key.kind, name=key.name), key.path


def _has_value(row: Row, key: ForeignKeyState) -> bool:
    values = NameMap(row.items())
    return all(values.get(name) is not None for name in key.columns)


def _without_unsolved(model: Table, state: TableState) -> tuple[TableState, tuple[CheckState, ...]]:
    """Return a contract without the checks that are not solved together, and these checks."""
    if _has_rows(model, state):
        return state, ()
    late = [clause.check for clause in contract_of(state).clauses if clause.condition is None]
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
    for number in range(_MOST_ROWS, 1, -1):
        try:
            return made_rows(model, state, [{} for _ in range(number)])
        except DeclarationError:
            continue
    return made_rows(model, state, [{}])


_LONGEST = 400
_DEFECT = "this is a defect of the backend; report it with these rows"
_NO_TABLE = "no_parent"
"""The table that foreign keys reference in the data check: there is none of this name in the scratch schema."""

_NOT_ENFORCED = "reject such rows in the job that writes the table, until the cause is found in the session's settings"
_OTHER_VALUES = "try it in a test with values of your own: breaking_rows(model, column=value)"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnforcementResult:
    """The faults of a table's constraints that rows have shown."""

    faults: tuple[Diagnostic, ...]
    """Each constraint that did not stop its row, with the row."""
    notes: tuple[Diagnostic, ...]
    """The constraints that were not tried."""


def try_constraints(
    catalog: AppendsRows, table: Table, rows: EnforcementRows, name: QualifiedName
) -> EnforcementResult:
    """Write rows to a table: those that satisfy the contract first, then those that break one constraint each.

    Delta Lake does not enforce keys: the rows that repeat one are written, and the data check has to count them. The
    parents of foreign keys are not created, so it has to count the rows with a value in one, too.
    """
    trial = _Trial(catalog, table, rows, name)
    # The rows hold in UTC.
    zone = setting(catalog.spark, TIME_ZONE, "UTC") if hasattr(catalog, "spark") else nullcontext()
    with zone, step(escaped(f"{name}: trying its constraints"), trial.amount, covers=True):
        return EnforcementResult(faults=tuple(trial.faults()), notes=tuple(trial.notes()))


class _Trial:
    """Writes the rows, and compares what happens with what has to happen."""

    def __init__(self, catalog: AppendsRows, table: Table, rows: EnforcementRows, name: QualifiedName) -> None:
        self._catalog = catalog
        self._table = table
        self._rows = rows
        self._name = name
        self._unsolved = [check.name for check in rows.unsolved]
        self._untried = [*rows.untried]
        self._written = 0
        self._writes = 0

    def amount(self) -> str:
        """Return how many of the writes have ended."""
        return f"{self._writes} of {1 + len(self._rows.breaking)} writes"

    def faults(self) -> Iterator[Diagnostic]:
        """Yield a fault for each constraint; if a valid row is refused, nothing else is tried."""
        error = self._append(self._rows.valid)
        if error is not None:
            yield self._refused(error)
            return
        repeated = []
        for breaking in self._rows.breaking:
            if breaking.constraint in self._rows.keys:
                repeated.append(breaking)
            else:
                yield from self._enforced(breaking)
        yield from self._counted(repeated)

    def notes(self) -> Iterator[Diagnostic]:
        """Yield what was not tried, in one line."""
        if self._untried:
            fact = f"not tried, because no row of this table is known that breaks it: {', '.join(self._untried)}"
            yield note(UntriedConstraint, self._name, "", fact)

    def _enforced(self, breaking: BreakingRows) -> Iterator[Diagnostic]:
        """Write a row that a constraint has to stop."""
        (row,) = breaking.rows
        error = self._append([row])
        if error is None:
            yield self._fault(breaking, f"did not stop the row {_row_text(row)}", _NOT_ENFORCED)
        elif not self._is_by(error, breaking.breaks):
            if self._is_by_unsolved(error):
                self._untried.append(str(breaking.constraint))
            else:
                fact = f"did not stop the row {_row_text(row)}, because something else did: {self._cause(error)}"
                yield self._fault(breaking, fact, _OTHER_VALUES)

    def _counted(self, repeated: Sequence[BreakingRows]) -> Iterator[Diagnostic]:
        """Write the rows that repeat keys, and count the rows of the table and those that break each key."""
        written = []
        for breaking in repeated:
            row = breaking.rows[-1]
            error = self._append([row])
            if error is None:
                written.append(breaking)
            elif self._is_by_unsolved(error):
                self._untried.append(str(breaking.constraint))
            else:
                fact = f"was not tried, because the row {_row_text(row)} was refused: {self._cause(error)}"
                yield self._fault(breaking, fact, _OTHER_VALUES)
        no_table = QualifiedName(self._table.name.catalog, self._table.name.schema, _NO_TABLE)
        foreign_keys = [key._replace(parent=no_table, parent_columns=key.columns) for key in self._rows.foreign_keys]
        keys = [self._rows.keys[breaking.constraint] for breaking in written]
        counts = self._catalog.data_checks(self._table.name).count_rows([*keys, *foreign_keys])
        for breaking, count in zip(written, counts.broken, strict=False):
            if not count:
                fact = f"is not named by the data check for the rows {', '.join(map(_row_text, breaking.rows))}"
                yield self._fault(breaking, fact, _DEFECT)
        for key, count in zip(self._rows.foreign_keys, counts.broken[len(keys) :], strict=True):
            if not count:
                rows = ", ".join(map(_row_text, self._rows.valid))
                fact = f"foreign key {key.name} is not named by the data check for the rows {rows} without parents"
                yield diagnostic_of(UnenforcedConstraint, self._name, fact, remedy=_DEFECT, path=key.path)
        if counts.rows != self._written:
            fact = f"the table has {counted(counts.rows or 0, 'row')}, and took {self._written}"
            remedy = "this is a defect of the backend, which refuses rows and writes them; report it"
            yield diagnostic_of(UnenforcedConstraint, self._name, fact, remedy=remedy)

    def _append(self, rows: Sequence[Row]) -> StatementError | None:
        """Append rows, and return why the table has refused them."""
        try:
            self._catalog.append_rows(self._table.name, rows)
        except StatementError as error:
            return error
        finally:
            self._writes += 1
        self._written += len(rows)
        return None

    def _refused(self, error: StatementError) -> Diagnostic:
        aside = f", apart from check {' and '.join(self._unsolved)}," if self._unsolved else ""
        fact = f"rows that satisfy the contract{aside} were refused: {self._cause(error)}; the first is"
        remedy = _OTHER_VALUES if self._unsolved else "correct what refuses it, and run again"
        return diagnostic_of(RefusedRow, self._name, f"{fact} {_row_text(self._rows.valid[0])}", remedy=remedy)

    def _fault(self, breaking: BreakingRows, fact: str, remedy: str) -> Diagnostic:
        constraint = breaking.constraint
        path = self._rows.paths[constraint]
        return diagnostic_of(UnenforcedConstraint, self._name, f"{constraint} {fact}", remedy=remedy, path=path)

    def _violation(self, error: StatementError) -> ConstraintViolation | None:
        return constraint_error(error, models=[self._table])

    def _cause(self, error: StatementError) -> str:
        return str(self._violation(error) or "") or first_line(error)

    def _is_by(self, error: StatementError, constraints: Sequence[Constraint]) -> bool:
        """Whether one of some constraints has raised an error."""
        violation = self._violation(error)
        return violation is not None and any(self._names(violation, constraint) for constraint in constraints)

    def _is_by_unsolved(self, error: StatementError) -> bool:
        """Whether a check has raised an error of which it is not known which rows meet it."""
        violation = self._violation(error)
        return violation is not None and violation.kind == "check" and violation.name in NameSet(self._unsolved)

    def _names(self, violation: ConstraintViolation, constraint: Constraint) -> bool:
        """Whether a violation names a constraint; Delta names a length by its condition only (Delta 4.4.0)."""
        if violation.kind != constraint.kind:
            return False
        if violation.name:
            return same_name(violation.name, constraint.name)
        column, _ = column_of(self._rows.paths[constraint])
        return folded(column) in folded(violation.expression)


def _row_text(row: Row) -> str:
    return shortened(escaped(repr(row)), _LONGEST)
