"""Read the rows of a table through Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.rows.frame_rows import rows_of_spark
from pytest_delta_schema.backends.rows.given_rows import converted_rows
from pytest_delta_schema.backends.rows.row_clocks import Clock
from pytest_delta_schema.backends.spark.fingerprints import TIME_ZONE
from pytest_delta_schema.sql.data_check_queries import select_rows
from pytest_delta_schema.sql.schemas_and_restores import select_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState


def table_rows(sql: Callable[[str], Any], table: QualifiedName, version: int | None) -> list[dict[str, Any]]:
    """Return all rows of a table; timestamps have a time zone."""
    return rows_of_spark(sql(select_all(select_rows(table, version=version))))


def session_clock(spark: SparkSession) -> Clock:
    """Return the clock that reads datetimes without a time zone as a session does."""
    return Clock(spark.conf.get(TIME_ZONE) or "", in_utc=True)


def stored_rows(spark: SparkSession, state: TableState, rows: Any) -> list[dict[str, Any]]:
    """Return rows as a table would return them after an insert.

    The time zone of the session is that of datetimes without one. Rows are those of
    :func:`~pytest_delta_schema.backends.rows.given_rows.converted_rows`.
    """
    return converted_rows(state, rows, session_clock(spark))
