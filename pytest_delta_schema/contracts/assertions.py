"""Assertions for ordinary tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import DriftError, RowsError, Violation
from pytest_delta_schema.execute.ddl import RowCounts
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.report.text import counted, drift_text
from pytest_delta_schema.rules.validator import PlanValidator
from pytest_delta_schema.sql.queries import counted_columns, null_column
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.types import canonical_fields, describe_type, fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

    from pytest_delta_schema.state.states import CatalogReader, TableState
    from pytest_delta_schema.state.types import ColumnState


def assert_no_drift(tables: Table | Iterable[Table], catalog: CatalogReader) -> None:
    """Make sure that ``catalog`` holds what ``tables`` declare; nothing is changed.

    Args:
        tables: One model or several.
        catalog: Where to look, such as the fixture ``delta_catalog``.

    Raises:
        DriftError: An ``AssertionError`` that shows every change and the SQL that would run.
        InvalidModelError: If a declaration breaks rules.
        CatalogReadError: If a table cannot be read.
    """
    models = [tables] if isinstance(tables, Table) else list(tables)
    PlanValidator().validate_models(models)
    plan = TablePlanner().plan(models, catalog.snapshot(models))
    if not plan.is_empty:
        raise DriftError(drift_text(plan, {model.qualified_name: str(model.origin) for model in models}))


def assert_rows_satisfy(frame: DataFrame, model: Table) -> None:
    """Make sure that ``frame`` could be written into the table of ``model``: types, NOT NULL, checks and key; one scan.

    Nothing is written. Columns that the frame lacks are taken as NULL.

    Args:
        frame: The rows.
        model: The contract.

    Raises:
        RowsError: An ``AssertionError`` with all violations at once.
        InvalidModelError: If the declaration breaks rules.
    """
    PlanValidator().validate_models([model])
    wanted = desired_state(model)
    shape = tuple(_misfits(wanted, canonical_fields(frame.schema.fields)))
    if shape:
        raise RowsError(shape)
    there = {name.lower() for name in frame.columns}
    missing = [column for column in wanted.columns if column.name.lower() not in there]
    not_null = [column.name for column in wanted.columns if not column.is_nullable]
    key = wanted.primary_key
    said = counted_columns(not_null, [check.expression for check in wanted.checks], key=key.columns if key else ())
    (row,) = frame.selectExpr("*", *map(null_column, missing)).selectExpr(*said).collect()
    counts = iter(row[1:])
    nulls = {name: next(counts) for name in not_null}
    broken = {check.name: next(counts) for check in wanted.checks}
    found = tuple(_row_violations(wanted, RowCounts(rows=row[0], nulls=nulls, broken=broken, repeated=next(counts, 0))))
    if found:
        raise RowsError(found)


def _misfits(wanted: TableState, fields: Iterable[ColumnState]) -> Iterator[Violation]:
    columns = {column.name.lower(): column for column in wanted.columns}
    for field in fields:
        column = columns.get(field.name.lower())
        if column is None:
            fact, remedy = f"column {field.name} is not in the model", "declare it, or leave it out of the rows"
            yield _row_violation(wanted, field.name, fact, remedy)
        elif not fits(field.data_type, column.data_type):
            given, declared = describe_type(field.data_type), describe_type(column.data_type)
            fact = f"column {field.name} is {given} in the rows and {declared} in the model"
            yield _row_violation(wanted, field.name, fact, f"cast it to {declared}")


def _row_violations(wanted: TableState, counts: RowCounts) -> Iterator[Violation]:
    def rows(count: int) -> str:
        return f"{count} of {counted(counts.rows, 'row')}"

    for name, count in counts.nulls.items():
        if count:
            yield _row_violation(wanted, name, f"column {name} is NULL in {rows(count)}", "fill it")
    for check in wanted.checks:
        count = counts.broken[check.name]
        if count:
            fact = f"check {check.name} ({check.expression}) is not met by {rows(count)}"
            yield _row_violation(wanted, check.name, fact, "mend the rows")
    if wanted.primary_key is not None and counts.repeated:
        columns = ", ".join(wanted.primary_key.columns)
        fact = f"primary key ({columns}) is repeated by {rows(counts.repeated)}"
        yield _row_violation(wanted, "primary_key", fact, "remove the repeated rows")


def _row_violation(wanted: TableState, path: str, message: str, remedy: str) -> Violation:
    return Violation(
        rule="RowsSatisfyContract", code="DS401", table=str(wanted.name), path=path, message=message, remedy=remedy
    )
