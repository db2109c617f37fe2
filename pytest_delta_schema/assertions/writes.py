"""Assertions about writes: would this frame be accepted, and what would it make of the table?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.errors import WriteError
from pytest_delta_schema.report.schema_diff import schema_diff
from pytest_delta_schema.write_check.prediction import check_write, stored_state

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.write_check.verdict import WriteVerdict


def assert_accepts(table: Table | TableState | str, df: DataFrame | StructType, **how: Any) -> WriteVerdict:
    """Make sure that a table takes a frame; nothing is written, and no JVM is needed.

    Args:
        table: A model, an observed state, or with ``catalog=`` the name of a table.
        df: The frame, or its schema.
        **how: How it is written, as :func:`check_write` takes it: ``via``, ``mode``, ``merge_schema`` and so on.

    Returns:
        The verdict, with what else happens among its notes.

    Raises:
        WriteError: An ``AssertionError`` that shows why not, and both schemas side by side.
    """
    verdict = check_write(df, table, **how)
    if not verdict.accepted:
        msg = f"{verdict}\n\n{_sides(table, df, how)}"
        raise WriteError(msg)
    return verdict


def assert_rejects(
    table: Table | TableState | str, df: DataFrame | StructType, reason: str | None = None, **how: Any
) -> WriteVerdict:
    """Make sure that a table refuses a frame.

    Args:
        table: As in :func:`assert_accepts`.
        df: Likewise.
        reason: The rule that refuses it, such as ``extra-column``; any, if it is left out. Delta's own error condition
            is understood as well.
        **how: As in :func:`assert_accepts`.

    Returns:
        The verdict, with its findings.

    Raises:
        WriteError: An ``AssertionError``, if it is accepted, or refused for other reasons only.
    """
    verdict = check_write(df, table, **how)
    expected = f" for {reason}" if reason else ""
    if verdict.accepted:
        msg = f"{verdict.table}: the write is accepted, and should be refused{expected}\n\n{_sides(table, df, how)}"
        raise WriteError(msg)
    known = {name for finding in verdict.findings for name in (finding.rule, finding.condition)}
    if reason is not None and reason not in known:
        msg = f"{verdict}\n\nand should be refused{expected}\n\n{_sides(table, df, how)}"
        raise WriteError(msg)
    return verdict


def assert_evolves(
    table: Table | TableState | str, df: DataFrame | StructType, to: Table | StructType, **how: Any
) -> WriteVerdict:
    """Make sure that a write is accepted and leaves the table with another schema.

    Args:
        table: As in :func:`assert_accepts`.
        df: Likewise.
        to: The schema that the table has after it, as a model or a struct; comments and the order of columns aside.
        **how: As in :func:`assert_accepts`; ``merge_schema=True`` unless it says how the schema may change.

    Returns:
        The verdict.

    Raises:
        WriteError: An ``AssertionError``, if it is refused, changes nothing, or leaves another schema.
    """
    if not how.keys() & {"merge_schema", "auto_merge", "overwrite_schema"}:
        how["merge_schema"] = True
    verdict = assert_accepts(table, df, **how)
    difference = schema_diff(to, verdict.columns, names=("expected", "after the write"))
    if difference:
        msg = f"{verdict.table}: the write is accepted, and leaves another schema than expected\n\n{difference}"
        raise WriteError(msg)
    if stored_state(table, how.get("catalog")).columns == verdict.columns:
        msg = f"{verdict.table}: the write is accepted, and does not change the schema"
        raise WriteError(msg)
    return verdict


def _sides(table: Table | TableState | str, df: DataFrame | StructType, how: dict[str, Any]) -> str:
    state = stored_state(table, how.get("catalog"))
    return schema_diff(state, df, names=("table", "frame"), nullability=False) or "the two schemas are equal"
