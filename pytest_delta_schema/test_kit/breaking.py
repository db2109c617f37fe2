"""Rows that break one constraint of a model each, frames of valid rows, and a strategy for them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.compatibility.implication import implied_check, new_promises
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.arguments import refuse, session_fault
from pytest_delta_schema.models.spark_types import nullable_struct
from pytest_delta_schema.models.table import to_struct_type
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import ExpressionError, columns_in, failing_rows
from pytest_delta_schema.test_kit.constraints import Constraint, broken_constraints, column_constraints
from pytest_delta_schema.test_kit.contract import Clause, contract_of, known_columns
from pytest_delta_schema.test_kit.parents import listed_parents, parent_rows
from pytest_delta_schema.test_kit.rows import completed_rows, rows_of, valid_state
from pytest_delta_schema.test_kit.search import RowMaker
from pytest_delta_schema.test_kit.values import changed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy
    from pyspark.sql import DataFrame, SparkSession

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import CheckState, TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.test_kit.contract import Contract, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakingRows:
    """Rows that break a constraint.

    Args:
        constraint: The constraint.
        rows: One row, or two for a key.
        breaks: All constraints that the rows break. There are more than one if that cannot be avoided: a NULL also
            makes a check unknown, which breaks it. Delta Lake reports one of them. A check that only Spark can judge is
            among them if the rows have other values for it than those that were given.
    """

    constraint: Constraint
    rows: tuple[Row, ...]
    breaks: tuple[Constraint, ...]


@hides_traceback
def breaking_rows(model: Table, **columns: Any) -> list[BreakingRows]:
    """Return rows for each NOT NULL, length, check and key of a model that break it, and nothing else if possible.

    All other values are those of :func:`rows_of`. Identities and generated columns, which the table fills, and checks
    that hold for every row are left out, and so are checks that only Spark can judge, such as one with a function that
    this package does not compute: give values of their columns, with which they are taken to hold.

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
    """Makes the breaking rows of one model."""

    def __init__(self, model: Table, state: TableState, given: Row, valid: Sequence[Row]) -> None:
        unjudged = _unjudged(contract_of(state), valid)
        self._unjudged = [Constraint(kind="check", name=check.name) for check in unjudged]
        checks = tuple(check for check in state.checks if check not in unjudged)
        self._contract = contract = contract_of(replace(state, checks=checks))
        self._foreign_keys = parent_rows(model, state, {})
        self._given = {name: value(0) if callable(value) else value for name, value in given.items()}
        self._valid, *self._others = ({folded(name): value for name, value in row.items()} for row in valid)
        self.faults: list[str] = []
        self._filled = {*contract.generated, *contract.identities}
        # Where these columns have the values of the valid rows, the checks that only Spark can judge are met.
        self._sources = [contract.sources(columns_in(check.expression)) for check in unjudged]

    def broken(self) -> Iterator[BreakingRows]:
        """Yield rows for each constraint that a row can break; those for which none was found are among the faults."""
        yield from self._columns()
        yield from self._checks()
        for other in self._others[:1]:
            yield from self._keys(other)

    def _columns(self) -> Iterator[BreakingRows]:
        """Yield a row for each NOT NULL and each length."""
        for constraint, path, length in column_constraints(self._contract.state):
            if path.folded[0] not in self._filled:
                change = partial(lengthened, length=length)
                yield from self._best(constraint, self._with(path, self._changed(path, change)))

    def _checks(self) -> Iterator[BreakingRows]:
        """Yield a row for each check; none is missed for one that holds for every row."""
        promises = new_promises(replace(self._contract.state, checks=()))
        for check in self._contract.state.checks:
            if self._used(check):
                constraint = Constraint(kind="check", name=check.name)
                is_optional = implied_check(check.expression, promises) == "implied"
                yield from self._best(
                    constraint, self._breaking(check), f" ({check.expression})", is_optional=is_optional
                )

    def _keys(self, other: Row) -> Iterator[BreakingRows]:
        """Yield two rows for each key, which have the same values in it."""
        for key in self._contract.state.keys:
            names = [folded(name) for name in key.columns]
            repeated = {name: self._valid.get(name) for name in names}
            if self._filled.isdisjoint(names) and None not in repeated.values():
                given = {**{name: other[name] for name in self._given}, **repeated}
                rows = self._rows(given, self._contract.clauses, position=2)
                pairs = ((self._as_row(self._valid), row) for row in rows)
                yield from self._best(Constraint(kind=key.kind, name=key.name), pairs)

    def _used(self, check: CheckState) -> list[str]:
        """Return the columns that decide a check, without those that the table fills."""
        return [name for name in self._contract.sources(columns_in(check.expression)) if name not in self._filled]

    def _breaking(self, check: CheckState) -> Iterator[tuple[Row, ...]]:
        """Yield rows that may break a check: those that meet all others come first."""
        others = [clause for clause in self._contract.clauses if clause.check != check]
        opposite = [*self._contract.clauses_of(check, is_broken=True)]
        used = self._used(check)
        given = {name: value for name, value in self._given.items() if name not in used}
        for clauses in ([*others, *opposite], opposite):
            yield from ((row,) for row in self._rows(given, clauses))

    def _with(self, path: ColumnPath, value: Any) -> Iterator[tuple[Row, ...]]:
        """Yield rows in which a column has another value: the valid row, and others in which the rest fits to it."""
        name = path.folded[0]
        yield (self._as_row({**self._valid, name: value}),)
        given = {**self._given, name: value}
        clauses = self._contract.clauses
        for kept in (clauses, [clause for clause in clauses if name not in clause.columns]):
            yield from ((row,) for row in self._rows(given, kept))

    def _rows(self, given: Row, clauses: Iterable[Clause], position: int = 1) -> Iterator[Row]:
        """Yield a row with given values that meets some clauses, if there is one."""
        row = RowMaker(replace(self._contract, clauses=tuple(clauses)), self._foreign_keys, 0).complete(given, position)
        if row is not None:
            yield self._as_row(row)

    def _best(
        self,
        constraint: Constraint,
        candidates: Iterable[tuple[Row, ...]],
        shown: str = "",
        *,
        is_optional: bool = False,
    ) -> Iterator[BreakingRows]:
        """Yield the rows that break a constraint with the fewest others; that there are none is a fault."""
        best: BreakingRows | None = None
        for rows in candidates:
            try:
                broken = (*broken_constraints(self._contract, rows), *self._perhaps_broken(rows))
            except ExpressionError:
                continue
            if constraint in broken and (best is None or len(broken) < len(best.breaks)):
                ordered = (constraint, *(other for other in broken if other != constraint))
                best = BreakingRows(constraint=constraint, rows=rows, breaks=ordered)
                if len(broken) == 1:
                    break
        if best is not None:
            yield best
        if best is not None or is_optional:
            return
        fact = f"no row was found that breaks {constraint}{shown}"
        remedy = "if there is one, give the other columns the values that it needs; else drop the constraint"
        self.faults.append(f"{self._contract.state.name}: {fact}; {remedy}")

    def _perhaps_broken(self, rows: Iterable[Row]) -> Iterator[Constraint]:
        """Yield the checks that only Spark can judge, and for which rows have other values than the valid ones."""
        given = [{folded(name): value for name, value in row.items()} for row in rows]
        valid = (self._valid, *self._others)
        for constraint, names in zip(self._unjudged, self._sources, strict=True):
            known = [[row.get(name) for name in names] for row in valid]
            if any([row.get(name) for name in names] not in known for row in given):
                yield constraint

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


def _unjudged(contract: Contract, valid: Sequence[Row]) -> list[CheckState]:
    """Return the checks of which it is not known without Spark whether valid rows meet them."""
    names = [folded(column.name) for column in contract.state.columns]
    rows = [
        contract.with_table_values({folded(name): value for name, value in row.items()}, number)
        for number, row in enumerate(valid)
    ]
    found = []
    for check in dict.fromkeys(clause.check for clause in contract.clauses if clause.condition is None):
        try:
            for row in rows:
                contract.generate([row], columns_in(check.expression))
            failing_rows(check.expression, rows, names)
        except ExpressionError:
            found.append(check)
    return found


def lengthened(text: str | None, length: int | None) -> str | None:
    """Return a text with one character more than a length; ``None`` without one."""
    return None if length is None else (text or "").ljust(length + 1, "x")


@hides_traceback
def frame_of(  # noqa: PLR0913 - how the rows are made
    spark: SparkSession,
    model: Table,
    rows: int | Iterable[Mapping[str, Any]] = 3,
    *,
    seed: int = 0,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    all_columns: bool = False,
    **columns: Any,
) -> DataFrame:
    """Return a frame with rows that satisfy the contract of a model, as :func:`rows_of` makes them.

    Checks that cannot be evaluated without Spark are judged by the session, and all hold in its time zone.
    Its columns have the types of the model, and all of them may be NULL, as in a frame that a job has read. Columns
    that the table fills itself, those with a default, a generation expression or an identity, are left out, as in a
    frame that a job writes, unless a row gives a value; then the others get the value of the table.

    Args:
        spark: Any session, also one of Spark Connect.
        model: The contract.
        rows: How many rows, or rows to complete, as in :func:`rows_of`.
        seed: As in :func:`rows_of`.
        parents: As in :func:`rows_of`.
        all_columns: Whether no column is left out, as in a frame that a job has read from the table: the rows have the
            values of a table that was new before one writer appended them.
        **columns: As in :func:`rows_of`.

    Raises:
        DeclarationError: As :func:`rows_of`; or if a row has to have a value that only the table knows, with
            ``all_columns`` or because another row gives one.
        InvalidModelError: If the declaration breaks rules.
        StatementError: If Spark refuses a check.
    """
    refuse(session_fault(spark, "frame_of"))
    made = completed_rows(model, rows, columns, seed=seed, parents=parents, session=lambda: spark)
    contract = contract_of(desired_state(model))
    filled = {folded(column.name) for column in contract.state.columns if column.value is not None}
    given = {folded(name) for row in made for name in row}
    fields = [
        field
        for field in nullable_struct(to_struct_type(model))
        if all_columns or folded(field.name) in given or folded(field.name) not in filled
    ]
    names = [folded(field.name) for field in fields]
    values = [_frame_values(contract, row, number, names, all_columns=all_columns) for number, row in enumerate(made)]
    return spark.createDataFrame(values, StructType(fields))


def _frame_values(
    contract: Contract, row: Row, number: int, names: Sequence[str], *, all_columns: bool
) -> tuple[Any, ...]:
    """Return the values of a row; what the table would fill is computed for the columns of the frame."""
    given = {folded(name): value for name, value in row.items()}
    whole = contract.with_table_values(given, number) if all_columns else {**contract.defaults, **given}
    with suppress(ExpressionError):
        contract.generate([whole], names)
    unknown = [contract.columns[name].name for name in names if name not in whole]
    if unknown:
        reason = "whose value only Spark knows" if all_columns else "and another row does not"
        remedy = "all rows, or leave out all_columns" if all_columns else "all rows, or in none"
        fact = f"row {number + 1} leaves {', '.join(unknown)} to the table, {reason}"
        msg = f"{contract.state.name}: {fact}; give a value in {remedy}"
        raise DeclarationError(msg)
    return tuple(whole[name] for name in names)


def rows_strategy(
    model: Table,
    *,
    min_size: int = 0,
    max_size: int = 10,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    **columns: Any,
) -> SearchStrategy[list[Row]]:
    """Return a strategy of hypothesis for lists of rows that satisfy the contract of a model.

    They shrink to fewer rows, and to those of seed 0 in :func:`rows_of`.

    Args:
        model: The contract.
        min_size: The least number of rows.
        max_size: The greatest number of rows; a key with fewer values needs a smaller one.
        parents: As in :func:`rows_of`.
        **columns: As in :func:`rows_of`; or a strategy, from which a value is drawn for each row.

    Raises:
        DeclarationError: If hypothesis is not installed, or as :func:`rows_of`.
        InvalidModelError: If the declaration breaks rules.
    """
    try:
        from hypothesis import strategies as st  # noqa: PLC0415 - optional
    except ModuleNotFoundError:
        msg = "rows_strategy needs hypothesis, which is not installed; run: pip install hypothesis"
        raise DeclarationError(msg) from None
    # Each example reads the rows of the parents again.
    listed = listed_parents(valid_state(model, "rows_strategy"), parents or {})
    known: Mapping[Table | str, list[Any]] = {str(parent): rows for parent, rows in listed.items()}
    rows_of(model, 0, parents=known, **columns)
    drawn = {name: value for name, value in columns.items() if isinstance(value, st.SearchStrategy)}
    fixed = {name: value for name, value in columns.items() if name not in drawn}

    @st.composite
    def rows(draw: DrawFn) -> list[Row]:
        number = draw(st.integers(min_size, max_size))
        given = [
            {
                **{name: value(position) if callable(value) else value for name, value in fixed.items()},
                **{name: draw(strategy) for name, strategy in drawn.items()},
            }
            for position in range(number)
        ]
        return rows_of(model, given, seed=draw(st.integers(0, 1000)), parents=known)

    return rows()
