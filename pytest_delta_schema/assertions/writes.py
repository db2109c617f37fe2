"""Assertions about writes: whether Delta accepts a frame, and the schema of the table after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.spark_pairs import NEWEST
from pytest_delta_schema.diagnostics.errors import WriteError
from pytest_delta_schema.engine.write_checks import check_write, written_table
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.report.text.schema_comparison import schema_diff
from pytest_delta_schema.write_check.options import DEFAULT_OPTIONS, WriteOptions
from pytest_delta_schema.write_check.prediction import stored_state

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.catalog_reader import CatalogReader
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.write_check.statements.merge_options import Merge
    from pytest_delta_schema.write_check.verdict import WriteVerdict

_MERGE = WriteOptions(merge_schema=True)


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
    options: WriteOptions | Merge = _MERGE,
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
