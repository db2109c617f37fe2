"""Use the active Spark session, or start a local one; only a session that was started here is stopped."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.launch import CATALOG_CLASS, FILE_SYSTEMS, OPTIONS, resources_for_start
from pytest_delta_schema.backends.local.warehouse import check_warehouse, known_catalogs, prepare_warehouse
from pytest_delta_schema.backends.spark.compat import (
    active_spark,
    end_interrupted_launch,
    end_unused_jvm,
    forget_session,
    import_numpy_late,
    is_replaced,
    jvm_of,
    jvm_process,
    new_builder,
    shut_down_gateway,
    spark_home,
    stop_session,
)
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.sessions import CATALOG, CATALOG_OF_DELTA, EXTENSION, EXTENSIONS, require_delta
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, first_line, os_error_text
from pytest_delta_schema.models.arguments import folder_fault, refuse
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType

    from pyspark.sql import SparkSession
    from typing_extensions import Self

    from pytest_delta_schema.backends.local.launch import ClassArchive

JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m"
"""Flags for short runs on few cores: no optimising compiler, no parallel collector.

The space for classes starts larger than the JVM's 21 MB. Its growth beyond them collects the whole heap twice during a
start (JDK 17).
"""

_ABORTING = 0.5
"""Seconds in which a JVM may end by itself, and remove its temporary files."""

_LAUNCHER_OPTIONS = "-XX:TieredStopAtLevel=1"
"""Flags of the JVM that only prints the command line of the other one."""


def session_conf(warehouse: Path) -> dict[str, str]:
    """Return the settings of the local session, tuned for many small statements on one machine.

    The expensive defaults are 200 shuffle partitions, 50 partitions of Delta's own state and parallel listing, each of
    which costs seconds on tables of a few rows (Delta 4.4.0). The list of all files in the checksum of a version costs
    a Spark job a commit, a seventh of the time of small statements. Spark writes the plan of each query as text for its
    web interface, which is off, and the longest form of that text takes a twentieth of the time of small queries.

    Args:
        warehouse: The folder that holds all catalogs.
    """
    return {
        "spark.master": "local[1]",
        "spark.app.name": "pytest-delta-schema",
        EXTENSIONS: EXTENSION,
        CATALOG: CATALOG_OF_DELTA,
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(warehouse / "spark_catalog"),
        "spark.sql.sources.default": "delta",
        "spark.sql.variable.substitute": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.databricks.delta.allFilesInCrc.enabled": "false",
        "spark.default.parallelism": "1",
        "spark.driver.memory": "2g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.ui.explainMode": "simple",
        OPTIONS: JVM_OPTIONS,
    }


@dataclass(slots=True)
class LocalSession:
    """A Spark session, and whether it was started by this package.

    Args:
        spark: The session.
        owned: Whether it was started by this package, which then stops it.
        archive: The archive to write when the JVM stops; ``None`` for none.
    """

    spark: SparkSession
    _: KW_ONLY
    owned: bool
    archive: ClassArchive | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the session and its JVM if they were started here; another session keeps running, also in that JVM."""
        if not self.owned or is_replaced(self.spark):
            return
        process = jvm_process(self.spark)
        if process is not None and process.poll() is not None:
            # The JVM was killed, and a stop would wait for its answer.
            self.abort()
            return
        if self.archive is not None:
            self.archive.write(jvm_of(self.spark))
        with step("stopping Spark"):
            stop_session(self.spark)
            # The flags of a JVM are set when it starts, so the next session gets a new one.
            shut_down_gateway(self.spark)
            if process is not None:
                _end_input(process)
                process.wait()

    def abort(self) -> None:
        """End the JVM at once if it was started here; stopping the session would wait for its jobs."""
        if not self.owned:
            return
        process = jvm_process(self.spark)
        if process is not None:
            _end_input(process)
            try:
                process.wait(_ABORTING)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        forget_session()


def _end_input(process: subprocess.Popen[bytes]) -> None:
    """Close the input of a JVM, which ends when its input does."""
    if process.stdin is not None:
        process.stdin.close()


def checked_active_session() -> LocalSession | None:
    """Return the active session of this process, if there is one; it must have Delta."""
    spark = active_spark()
    if spark is None:
        return None
    require_delta(spark)
    return LocalSession(spark, owned=False)


def open_session(warehouse: Path | str, *, conf: Mapping[str, str] | None = None, archive: bool = True) -> LocalSession:
    """Return the active session if it has Delta, or start a local one; long work is logged to ``pytest_delta_schema``.

    Args:
        warehouse: The folder that holds all catalogs; made if it is missing, with a file that keeps it out of git.
        conf: Settings of a session to start; those of :func:`session_conf` by default.
        archive: Whether a new JVM loads its classes from an archive of the user's cache, and writes that archive the
            first time it stops. Later starts are faster with it.

    Returns:
        The session; it is a context manager that stops what was started here.

    Raises:
        BackendUnavailableError: If Java, Spark or Delta is missing or does not work, the warehouse or the cache cannot
            be used, or Spark does not start; or if the active session has no Delta.
        DeclarationError: If ``warehouse`` is not a path.
    """
    refuse(folder_fault(warehouse, "open_session"))
    return checked_active_session() or start_session(warehouse, conf, archive=archive)


def start_session(
    warehouse: Path | str, conf: Mapping[str, str] | None = None, *, archive: bool = True
) -> LocalSession:
    """Start a local session in a new JVM, and end the JVM of a stopped one; see :func:`open_session`."""
    warehouse = Path(warehouse)
    conf = session_conf(warehouse) if conf is None else conf
    check_warehouse(warehouse)
    needs = resources_for_start(conf, archive=archive)
    prepare_warehouse(warehouse)
    settings = {
        **catalog_conf(known_catalogs(warehouse), warehouse),
        **FILE_SYSTEMS,
        "spark.local.dir": _temporary_folder(),
        **conf,
        **needs.settings(conf),
    }
    end_unused_jvm()
    return LocalSession(start_spark(settings), owned=True, archive=needs.archive)


def catalog_conf(names: Iterable[str], warehouse: Path) -> dict[str, str]:
    """Return the settings of Spark for catalogs of these names."""
    settings = {}
    for name in names:
        settings[f"spark.sql.catalog.{name}"] = CATALOG_CLASS
        settings[f"spark.sql.catalog.{name}.warehouse"] = str(warehouse)
    return settings


def _temporary_folder() -> str:
    try:
        return tempfile.gettempdir()
    except OSError as error:
        msg = f"Spark needs a folder for temporary files: {os_error_text(error)}; set TMPDIR to one that can be written"
        raise BackendUnavailableError(msg) from error


def start_spark(settings: Mapping[str, str]) -> SparkSession:
    """Start a session with these settings, in a new JVM or in the one that pyspark is connected to."""
    import_numpy_late()
    try:
        with spark_environment(), end_interrupted_launch(), translate_errors(), step("starting Spark"):
            session: SparkSession = new_builder(settings).getOrCreate()
            return session
    except Exception as error:
        msg = f"the local Spark did not start: {first_line(error)}; look at its log above"
        raise BackendUnavailableError(msg) from error


@contextmanager
def spark_environment() -> Iterator[None]:
    """Complete the environment in which ``spark-submit`` runs; a variable that is set keeps its value.

    Spark's workers run on this interpreter, and not on another ``python3`` of the search path. ``spark-submit`` is told
    where Spark is, which it would ask another Python, and its own short-lived JVM compiles less.
    """
    defaults = {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(spark_home()),
        "SPARK_LAUNCHER_OPTS": _LAUNCHER_OPTIONS,
    }
    added = {name: value for name, value in defaults.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
