"""Open a session in a kept JVM, and give the JVM back if the session has left nothing in it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.bridge import has_own_settings
from pytest_delta_schema.backends.local.kept_jvm import (
    JvmState,
    Lease,
    NotKeptError,
    fresh_state,
    has_added_jars,
    key_of,
    lease,
    runs_streams,
    stop_streams,
)
from pytest_delta_schema.backends.local.launch import CLASS_PATH, OPTIONS, needs_of_running, resources_for_start
from pytest_delta_schema.backends.local.start import settings_of_session, spark_environment, start_spark
from pytest_delta_schema.backends.local.warehouse import check_warehouse, prepare_warehouse
from pytest_delta_schema.backends.spark.compat import (
    connect_jvm,
    end_unused_jvm,
    forget_session,
    import_numpy_late,
    is_replaced,
    is_stopped,
    leave_jvm,
    stop_session,
)
from pytest_delta_schema.backends.spark.errors import count_calls, without_error_log
from pytest_delta_schema.diagnostics.errors import first_line
from pytest_delta_schema.progress import LOGGER, step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.local.launch import ClassArchive, LaunchResources

_LOG = logging.getLogger(LOGGER)

_OF_START = ("spark.master", "spark.driver.memory", OPTIONS, CLASS_PATH)
"""The settings with which a JVM is started."""

_OF_SESSION = {"spark.plugins": "pytest_delta_schema.SharedTaskClasses", "spark.sql.codegen.cache.maxEntries": "2000"}
"""Settings by which a session uses the classes that Spark has generated for earlier ones.

Spark keeps 100 of them by default, and for each class loader apart. Each context has its own loader for tasks, so
each would generate all classes again, which takes half a second for the first table (Spark 4.2).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSession:
    """A session in a kept JVM."""

    spark: SparkSession
    lease: Lease
    state: JvmState
    """The state of the JVM before the session."""
    archive: ClassArchive | None
    """The archive of classes that this run may write; ``None`` if it did not start the JVM."""

    def close(self) -> None:
        """Stop the session, and give the JVM back; one in which anything is left is ended.

        Another session that has replaced it keeps running. The JVM then ends with this process.
        """
        if is_replaced(self.spark):
            return
        with step("stopping Spark"), without_error_log():
            try:
                is_fit = self.lease.is_alive and not is_stopped(self.spark) and self._leave()
            except Exception:  # noqa: BLE001 - the next run must not meet what has failed here
                is_fit = False
            if is_fit:
                leave_jvm(self.state.gateway)
                self.lease.give_back()
            else:
                # To close a connection on which another thread waits for an answer would wait for it, too.
                self.lease.discard()
                leave_jvm(self.state.gateway)

    def abort(self) -> None:
        """Have the JVM ended at once, with what it runs."""
        self.lease.discard()
        forget_session()

    def _leave(self) -> bool:
        """Stop the session, and return whether it has left nothing in the JVM."""
        jvm = self.state.gateway.jvm
        if self.archive is not None:
            self.archive.write(jvm)
        is_fit = count_calls(jvm) <= 1 and not has_added_jars(self.spark)
        stop_streams(self.spark)
        stop_session(self.spark)
        is_fit = is_fit and not runs_streams(jvm)
        self.state.restore()
        return is_fit


def start_kept_session(
    warehouse: Path, conf: Mapping[str, str], seconds: float, *, archive: bool
) -> KeptSession | None:
    """Start a session in a kept JVM; ``None``, with a warning that says why, if there can be none.

    The JVM may be idle for ``seconds`` after this run. ``archive`` is whether a new JVM uses an archive of classes.
    """
    check_warehouse(warehouse)
    end_unused_jvm()
    try:
        return _started(warehouse, conf, seconds, archive=archive)
    except NotKeptError as error:
        _LOG.warning("no JVM is kept, and this run starts its own: %s", error)
        return None


def _started(warehouse: Path, conf: Mapping[str, str], seconds: float, *, archive: bool) -> KeptSession:
    if not has_own_settings():
        msg = "an active session, SPARK_* variables or files in Spark's folder conf may configure Spark"
        raise NotKeptError(msg)
    needs = needs_of_running(conf)
    prepare_warehouse(warehouse)
    new = _NewJvm(conf, archive=archive)
    with spark_environment():
        with step("starting a JVM that is kept"):
            jvm = lease(Path.cwd(), key_of(conf, needs.class_path, needs.options), seconds, new.settings)
        try:
            import_numpy_late()
            gateway: Any = connect_jvm(jvm.port, jvm.secret.reveal())
            state = fresh_state(gateway)
            spark = start_spark({**settings_of_session(warehouse, conf, needs), **_OF_SESSION})
        except BaseException as error:
            jvm.discard()
            forget_session()
            if isinstance(error, Exception):
                msg = f"no session could be started in the kept one, which was ended: {first_line(error)}"
                raise NotKeptError(msg) from error
            raise
    return KeptSession(spark=spark, lease=jvm, state=state, archive=new.needs.archive if jvm.is_new else None)


class _NewJvm:
    """Files, flags and settings of a new JVM, which are found if no kept one fits."""

    def __init__(self, conf: Mapping[str, str], *, archive: bool) -> None:
        self._conf = conf
        self._archive = archive

    @cached_property
    def needs(self) -> LaunchResources:
        """Its files and flags; a fifth of a second, for the version of Java and the checksum of the archive."""
        return resources_for_start(self._conf, archive=self._archive)

    def settings(self) -> dict[str, str]:
        """Return the settings with which it is started; all others are those of its sessions."""
        given = {**self._conf, **self.needs.settings(self._conf)}
        return {name: given[name] for name in _OF_START if name in given}
