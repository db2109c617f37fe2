"""The Spark session of a local catalog: how it is started, and how statements run in it."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.session.bridge import Bridge
from pytest_delta_schema.backends.local.session.lazy_session import LazySession
from pytest_delta_schema.backends.spark.compat.delta_compat import known_properties
from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.backends.spark.errors.stopping import cancel_on_interrupt, stop_jobs
from pytest_delta_schema.backends.spark.session_check import require_session
from pytest_delta_schema.backends.spark.session_settings import setting, shared_setting
from pytest_delta_schema.backends.spark.versions import SparkVersions
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

_SUBSTITUTE = "spark.sql.variable.substitute"
_LAST_COMMIT = "spark.databricks.delta.lastCommitVersionInSession"
"""Delta sets it after each commit (Delta 4.4.0)."""


class CatalogSession:
    """The session of a catalog; the arguments, and what it raises, are those of :class:`LocalCatalog`."""

    def __init__(self, spark: SparkSession | LazySession, warehouse: str | PathLike[str]) -> None:
        if not isinstance(spark, LazySession):
            require_session(spark, "LocalCatalog")
        if not isinstance(warehouse, (str, PathLike)):
            refuse_kind("LocalCatalog", "the folder of the warehouse", warehouse, "give its path")
        self._given = spark
        self.warehouse = Path(warehouse)

    @cached_property
    def spark(self) -> SparkSession:
        """The session; it is started when it is first needed."""
        return self._given.start() if isinstance(self._given, LazySession) else self._given

    @cached_property
    def bridge(self) -> Bridge:
        """The JVM of the session."""
        with translate_errors(str, self.spark), step("opening the catalog"):
            return Bridge(self.spark, self.warehouse)

    @property
    def is_started(self) -> bool:
        """Whether the session was started."""
        return "bridge" in self.__dict__

    def versions(self) -> SparkVersions:
        """Return the versions of Spark and Delta; those of a session that is started later are the installed ones."""
        if isinstance(self._given, LazySession):
            return self._given.versions(lambda: known_properties(self.bridge.gateway))
        gateway = self.bridge.gateway
        with translate_errors(str, self._given):
            return SparkVersions.of(self._given, gateway)

    def settings_hash(self) -> str:
        """Return a hash of the settings of the session on which the log of a new table may depend."""
        return self.bridge.settings_hash(without=[_LAST_COMMIT, _SUBSTITUTE])

    def sql(self, text: str) -> Any:
        """Return the frame of a statement, whose text is used exactly as it is."""
        with self.stopping(), setting(self.spark, _SUBSTITUTE, "false"):
            return self.spark.sql(text)

    def stopping(self) -> AbstractContextManager[None]:
        """Stop the jobs of the block if it is interrupted."""
        return cancel_on_interrupt(lambda: stop_jobs(self.spark))

    @contextmanager
    def shared(self) -> Iterator[bool]:
        """Prepare the session for statements in several threads; the value is whether that is possible.

        All threads use one session, so its settings are changed once, around all statements.
        """
        with shared_setting(lambda: self.spark, _SUBSTITUTE, "false") as is_set, self.stopping():
            yield is_set

    def translate_errors(self) -> AbstractContextManager[None]:
        """Use the names of users in the errors of the block."""
        return translate_errors(self.bridge.with_logical_names, self.spark)

    @contextmanager
    def using(self, catalog: str) -> Iterator[None]:
        """Register a catalog in the session, and use the names of users in errors."""
        with self.translate_errors():
            self.bridge.register([catalog])
            yield
