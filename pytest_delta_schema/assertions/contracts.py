"""Assert that tables have no drift, and that rows satisfy a contract."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet
from pytest_delta_schema.delta.names.part_path import PartPath, part_path
from pytest_delta_schema.diagnostics.errors import DeclarationError, DriftError, RowsError
from pytest_delta_schema.engine.assembly import validator_of
from pytest_delta_schema.engine.bound_model import declared
from pytest_delta_schema.engine.current import catalog_or_current, settings_or_current
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.data_checks import NotNull
from pytest_delta_schema.report.text.outcome_text import outcomes_text
from pytest_delta_schema.report.text.text import counted as number
from pytest_delta_schema.rules.reported_rules import RowsViolateContract
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.sql.data_check_queries import count_columns, default_columns, generated_columns
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import columns_in
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.states import CheckState
from pytest_delta_schema.state.type_traversal import is_assignable, not_null_paths
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.state.states import KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState


@hides_traceback
def assert_no_drift(
    tables: Table | Iterable[Table], *, catalog: Catalog | None = None, settings: Settings | None = None
) -> None:
    """Make sure that a catalog holds what ``tables`` declare; nothing is changed.

    Args:
        tables: One model or several.
        catalog: The catalog; by default that of the pytest run, the fixture ``delta_catalog``.
        settings: How tables are compared and validated; by default the settings in force.

    Raises:
        DriftError: An ``AssertionError`` that shows every change and the SQL that would run.
        InvalidModelError: If a declaration breaks rules.
        CatalogReadError: If a table cannot be read.
        DeclarationError: If ``tables`` holds something else than models, or there is no catalog.
    """
    are_several = isinstance(tables, Iterable) and not isinstance(tables, str)
    given: list[object] = list(tables) if are_several else [tables]  # type: ignore[arg-type]
    models = [model for model in given if isinstance(model, Table)]
    others = ", ".join(repr(model) for model in given if not isinstance(model, Table))
    if others:
        msg = f"assert_no_drift takes models, and was given {others}; give the Tables that declare them"
        raise DeclarationError(msg)
    settings = settings_or_current(settings, "assert_no_drift")
    gate = Gate(catalog_or_current(catalog, "assert_no_drift"), models, settings=settings)
    gate.declarations.require_valid(models)
    gate.state().require_all(gate.declarations.bound(model).table for model in models)
    outcomes = [gate.drift(model) for model in sorted(models, key=lambda model: model.name)]
    failed = [outcome for outcome in outcomes if not outcome.status.passes]
    if failed:
        raise DriftError(outcomes_text(failed))


@hides_traceback
def assert_rows_satisfy(model: Table, frame: DataFrame, *, settings: Settings | None = None) -> None:
    """Make sure that ``frame`` could be written into the table of ``model``: types, NOT NULL, checks, keys; one scan.

    Nothing is written. Columns that the frame lacks have the values that the table would give them: a default, an
    identity, a generated value or NULL. Checks and keys over columns of a wrong type are left out.

    Args:
        model: The contract.
        frame: The rows.
        settings: The rules that the declaration has to follow; by default the settings in force.

    Raises:
        RowsError: An ``AssertionError`` with all violations at once.
        InvalidModelError: If the declaration breaks rules.
        StatementError: If Spark cannot compute the rows.
        DeclarationError: If ``frame`` is not a Spark frame, or ``model`` is not a model.
    """
    if not isinstance(model, Table):
        msg = f"assert_rows_satisfy takes a model and a frame, and was given {model!r} as model; give a Table"
        raise DeclarationError(msg)
    settings = settings_or_current(settings, "assert_rows_satisfy")
    contract = declared(model, settings)
    validator_of(settings).validate_models([contract])
    if not hasattr(frame, "selectExpr"):
        remedy = "make a frame of Spark: spark.createDataFrame(rows, to_struct_type(model))"
        msg = f"{model.name}: assert_rows_satisfy was given rows as {type(frame).__name__}; {remedy}"
        raise DeclarationError(msg)
    wanted = desired_state(contract)
    misfits = tuple(_misfits(wanted, canonical_fields(frame.schema.fields)))
    there = NameSet(frame.columns)
    missing = [column for column in wanted.columns if column.name not in there]
    made = [column for column in missing if column.value is not None and column.value.generated is not None]
    whole = frame.selectExpr("*", *(default_columns(column) for column in missing if column not in made))
    wrong = NameSet(name for name, _ in misfits)
    unknown = NameSet.of(column for column in made if column.value and _uses(column.value.generated, wrong))
    whole = whole.selectExpr("*", *(generated_columns(column) for column in made if column.name not in unknown))
    data_checks = list(_data_checks(wanted, wrong, unknown))
    with translate_errors():
        (row,) = whole.selectExpr(*count_columns(data_checks)).collect()
    broken = [
        _broken(wanted, data_check, f"{count} of {number(row[0], 'row')}")
        for data_check, count in zip(data_checks, row[1:], strict=True)
        if count
    ]
    if misfits or broken:
        raise RowsError([*(violation for _, violation in misfits), *broken])


def _data_checks(wanted: TableState, wrong: NameSet, unknown: NameSet) -> Iterator[NotNull | CheckState | KeyState]:
    """Yield the data checks of a contract that can be evaluated on rows."""
    unusable = NameSet({*wrong, *unknown})
    for path in not_null_paths(wanted.columns):
        if path.root not in unknown and (path.root not in wrong or not path.is_nested):
            yield NotNull(path)
    yield from (check for check in wanted.checks if not _uses(check.expression, unusable))
    yield from (key for key in wanted.keys if not any(name in unusable for name in key.columns))


def _uses(expression: str | None, columns: NameSet) -> bool:
    """Whether an expression uses one of some columns."""
    return bool(columns) and expression is not None and any(name in columns for name in columns_in(expression))


def _misfits(wanted: TableState, fields: Iterable[ColumnState]) -> Iterator[tuple[str, Diagnostic]]:
    """Yield the columns of rows that do not fit a contract, each with its violation."""
    columns = NameMap.of(wanted.columns)
    for field in fields:
        column, path = columns.get(field.name), part_path("columns", field.name)
        if column is None:
            fact, remedy = f"column {field.name} is not in the model", "declare it, or leave it out of the rows"
            yield field.name, _row_violation(wanted, path, fact, remedy)
        elif not is_assignable(field.data_type, column.data_type):
            given, declared = describe_type(field.data_type), describe_type(column.data_type)
            fact = f"column {field.name} is {given} in the rows and {declared} in the model"
            yield field.name, _row_violation(wanted, path, fact, f"cast it to {declared}")


def _broken(wanted: TableState, data_check: NotNull | CheckState | KeyState, rows: str) -> Diagnostic:
    match data_check:
        case NotNull():
            path = data_check.path
            return _row_violation(wanted, part_path("columns", path), f"column {path} is NULL in {rows}", "fill it")
        case CheckState():
            fact = f"check {data_check.name} ({data_check.expression}) is not met by {rows}"
            return _row_violation(wanted, part_path("checks", data_check.name), fact, "correct the rows")
    fact = f"{data_check.kind} ({', '.join(data_check.columns)}) is repeated by {rows}"
    return _row_violation(wanted, data_check.path, fact, "remove the repeated rows")


def _row_violation(wanted: TableState, path: PartPath, message: str, remedy: str) -> Diagnostic:
    return violation(RowsViolateContract(), wanted.name, path, message, remedy)
