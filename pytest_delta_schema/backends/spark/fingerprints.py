"""Compute fingerprints of rows in a session: of tables, of files, and of files that are not committed yet."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pytest_delta_schema.backends.spark.session_settings import setting
from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.sql.fingerprint import Fingerprint, fingerprint_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from pytest_delta_schema.state.types import ColumnState

TIME_ZONE = "spark.sql.session.timeZone"
SUBSTITUTE = "spark.sql.variable.substitute"


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Change settings of a session inside the block."""
    with ExitStack() as stack:
        for key, value in values.items():
            stack.enter_context(setting(spark, key, value))
        yield


def table_fingerprint(
    spark: SparkSession, relation: str, columns: Sequence[ColumnState], zone: str = "UTC"
) -> Fingerprint:
    """Compute the fingerprint of a relation in one scan.

    The relation is a quoted name, or a query in parentheses. The session has the time zone while the rows are read.
    """
    with settings(spark, {TIME_ZONE: zone, SUBSTITUTE: "false"}):
        (row,) = spark.sql(fingerprint_query(relation, columns)).collect()
    return Fingerprint.of(tuple(row))


@contextmanager
def relation_of(spark: SparkSession, frame: Any) -> Iterator[str]:
    """Register a ``Dataset`` of the JVM as a temporary view inside the block, and yield its quoted name."""
    view = f"pytest_delta_schema_{uuid4().hex}"
    frame.createOrReplaceTempView(view)
    try:
        yield identifier(view)
    finally:
        spark.catalog.dropTempView(view)
