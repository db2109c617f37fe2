"""Assert that tables have no drift, that rows satisfy a contract, and what Delta does with a write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.backends.rows import CHECK, NOT_NULL, constraint_error
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta.names import NameMap, NameSet, PartPath, part_path, same_name
from pytest_delta_schema.diagnostics.errors import DeclarationError, DriftError, RowsError, WriteError
from pytest_delta_schema.diagnostics.text import counted
from pytest_delta_schema.engine.declarations import declared, validator_of
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.engine.orchestrator import catalog_or_current, settings_or_current
from pytest_delta_schema.engine.write_checks import check_write, written_table
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.names import require_name
from pytest_delta_schema.models.table import Table, required_table
from pytest_delta_schema.plan.data_checks import NotNull
from pytest_delta_schema.report.schema_comparison import schema_diff
from pytest_delta_schema.report.text import outcomes_text
from pytest_delta_schema.rules.reported_rules import RowsViolateContract
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.sql.data_check_queries import count_columns, default_columns, generated_columns
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import columns_in
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.states import CheckState
from pytest_delta_schema.state.types import describe_type, is_assignable, not_null_paths
from pytest_delta_schema.write_check.prediction import stored_state
from pytest_delta_schema.write_check.verdict import DEFAULT_OPTIONS, WriteOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.state.states import CatalogReader, KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.verdict import Merge, WriteVerdict


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
        _broken_constraint(wanted, data_check, f"{count} of {counted(row[0], 'row')}")
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


def _broken_constraint(wanted: TableState, data_check: NotNull | CheckState | KeyState, rows: str) -> Diagnostic:
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


@hides_traceback
def raises_constraint(
    model: Table, *, check: str | None = None, not_null: str | None = None
) -> AbstractContextManager[None]:
    """Return a context that is passed only if the block's write is stopped by the named constraint of ``model``."""
    return _StoppedBy(required_table(model, "delta_raises"), *_expected_constraint(model, check, not_null))


class _StoppedBy:
    """Expects one constraint; a class and not a generator, whose errors would show a line of Python's library."""

    def __init__(self, model: Table, kind: str, name: str) -> None:
        self._model = model
        self._kind = kind
        self._name = name

    def __enter__(self) -> None:
        """Do nothing; only the end of the block counts."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        __tracebackhide__ = True
        expected = f"{self._model.qualified_name}: {self._kind} {self._name} should have stopped the write"
        if error is None:
            msg = f"{expected}, and nothing did"
            raise AssertionError(msg)
        stopped = constraint_error(error, models=[self._model]) if isinstance(error, Exception) else None
        if stopped is None:
            return False
        if stopped.kind != self._kind or not same_name(stopped.name, self._name):
            msg = f"{expected}, and {stopped} did"
            raise AssertionError(msg) from error
        return True


def _expected_constraint(model: Table, check: str | None, not_null: str | None) -> tuple[str, str]:
    if (check is None) == (not_null is None):
        msg = f"{model.qualified_name}: name one constraint, check=... or not_null=..."
        raise DeclarationError(msg)
    if check is not None:
        known, kind, name = [constraint.name for constraint in model.checks], CHECK, check
    else:
        known = [str(path) for path in not_null_paths(desired_state(model).columns)]
        kind, name = NOT_NULL, not_null or ""
    require_name(name, "the constraint of delta_raises")
    if name not in NameSet(known):
        msg = f"{model.qualified_name}: there is no {kind} {name} in the model; it has {', '.join(known) or 'none'}"
        raise DeclarationError(msg)
    return kind, name


_MERGE_SCHEMA = WriteOptions(merge_schema=True)


@hides_traceback
def assert_accepts(
    table: Table | TableState | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge = DEFAULT_OPTIONS,
    *,
    catalog: CatalogReader | None = None,
    version: tuple[int, int] = NEWEST,
) -> WriteVerdict:
    """Raise unless Delta accepts a write; nothing is written, and no JVM is needed.

    Args:
        table: A model, an observed state, or with ``catalog=`` the name of a table.
        frame: A DataFrame, or its schema; ``None`` for a DELETE.
        options: How the frame is written, or a MERGE; by default it is appended with ``df.write.save(path)``.
        catalog: Where a table is read that is given by name.
        version: Delta's version, major and minor.

    Returns:
        The verdict; its notes are the effects of the write.

    Raises:
        WriteError: An ``AssertionError`` with the reasons and both schemas side by side.
    """
    verdict = check_write(table, frame, options, catalog=catalog, version=version)
    if not verdict.accepted:
        msg = f"{verdict}\n\n{_side_by_side(table, frame, catalog)}"
        raise WriteError(msg)
    return verdict


@hides_traceback
def assert_rejects(  # noqa: PLR0913 - the write, and what is expected of it
    table: Table | TableState | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge = DEFAULT_OPTIONS,
    *,
    reason: str | None = None,
    catalog: CatalogReader | None = None,
    version: tuple[int, int] = NEWEST,
) -> WriteVerdict:
    """Raise unless Delta refuses a write.

    Args:
        table: As in :func:`assert_accepts`.
        frame: A DataFrame, or its schema; ``None`` for a DELETE.
        options: How the frame is written, or a MERGE; by default it is appended with ``df.write.save(path)``.
        reason: The fault, such as ``extra-column``, or Delta's error condition; ``None`` for any.
        catalog: Where a table is read that is given by name.
        version: Delta's version, major and minor.

    Returns:
        The verdict with its findings.

    Raises:
        WriteError: An ``AssertionError``, if Delta accepts the write or refuses it for other reasons only.
    """
    verdict = check_write(table, frame, options, catalog=catalog, version=version)
    if reason is not None and not isinstance(reason, str):
        refuse_kind("assert_rejects", "one reason", reason, "write the name of a fault, such as 'extra-column'")
    expected = f" for {reason}" if reason else ""
    if verdict.accepted:
        fact = f"{verdict.table}: the write is accepted, and should be refused{expected}"
        msg = f"{fact}\n\n{_side_by_side(table, frame, catalog)}"
        raise WriteError(msg)
    reasons = {name for finding in verdict.findings for name in (finding.rule, finding.code)}
    if reason is not None and reason not in reasons:
        msg = f"{verdict}\n\nand should be refused{expected}\n\n{_side_by_side(table, frame, catalog)}"
        raise WriteError(msg)
    return verdict


@hides_traceback
def assert_evolves(  # noqa: PLR0913 - the write, and what is expected of it
    table: Table | TableState | str,
    frame: DataFrame | StructType | None,
    options: WriteOptions | Merge = _MERGE_SCHEMA,
    *,
    to: Table | StructType,
    catalog: CatalogReader | None = None,
    version: tuple[int, int] = NEWEST,
) -> WriteVerdict:
    """Raise unless Delta accepts a write and the table has another schema after it.

    Args:
        table: As in :func:`assert_accepts`.
        frame: A DataFrame, or its schema; ``None`` for a DELETE.
        options: How the frame is written, or a MERGE; by default it is appended with the option ``mergeSchema``.
        to: The schema of the table after the write, as a model or a struct; comments and column order are not compared.
        catalog: Where a table is read that is given by name.
        version: Delta's version, major and minor.

    Returns:
        The verdict.

    Raises:
        WriteError: An ``AssertionError``, if Delta refuses the write, or the table has its old or an unexpected schema
            after it.
    """
    verdict = assert_accepts(table, frame, options, catalog=catalog, version=version)
    difference = schema_diff(to, verdict.columns, names=("expected", "after the write"))
    if difference:
        msg = f"{verdict.table}: the write is accepted, but the table has an unexpected schema after it\n\n{difference}"
        raise WriteError(msg)
    if stored_state(written_table(table), catalog).columns == verdict.columns:
        msg = f"{verdict.table}: the write is accepted, and does not change the schema"
        raise WriteError(msg)
    return verdict


def _side_by_side(
    table: Table | TableState | str, frame: DataFrame | StructType | None, catalog: CatalogReader | None
) -> str:
    if frame is None:
        return "a delete takes no frame"
    state = stored_state(written_table(table), catalog)
    return schema_diff(state, frame, names=("table", "frame"), nullability=False) or "the two schemas are equal"
