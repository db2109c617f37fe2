"""Settings of a session that are changed inside a block."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, StatementError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import SparkSession


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
    """Change a setting inside the block for several threads that use one session."""
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


TIME_ZONE = "spark.sql.session.timeZone"
SUBSTITUTE = "spark.sql.variable.substitute"


_AS_WRITTEN = RLock()


@contextmanager
def as_written(spark: SparkSession, text: str) -> Iterator[None]:
    """Keep Spark from replacing variables, such as ``${x}`` in a name, in a text that it reads inside the block."""
    if "${" not in text:
        yield
        return
    with _AS_WRITTEN, setting(spark, SUBSTITUTE, "false"):
        yield


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Change settings of a session inside the block."""
    with ExitStack() as stack:
        for key, value in values.items():
            stack.enter_context(setting(spark, key, value))
        yield
