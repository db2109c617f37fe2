"""Change settings of a session temporarily."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, StatementError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

UTC_PARTITION_VALUES = "spark.databricks.delta.write.utcTimestampPartitionValues"
"""Whether partition values of timestamps are written in UTC instead of the session's time zone (Delta 4.4.0)."""


@contextmanager
def setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    """Change a setting of a session inside the block."""
    before = spark.conf.get(key, None)
    if before == value:
        yield
        return
    spark.conf.set(key, value)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, before)


@contextmanager
def shared_setting(spark: Callable[[], SparkSession], key: str, value: str) -> Iterator[bool]:
    """Change a setting inside the block for several threads that use one session.

    Inside the block, :func:`setting` leaves a setting alone that has the value already. The value of the block is
    whether the setting was changed: not in a session that does not start or has ended, whose statements report that.
    """
    with ExitStack() as settings:
        try:
            with translate_errors():
                settings.enter_context(setting(spark(), key, value))
        except DeltaSchemaError:
            yield False
            return
        try:
            yield True
        finally:
            # The session may have ended meanwhile, and an error must not replace an interruption.
            with suppress(StatementError), translate_errors():
                settings.close()
