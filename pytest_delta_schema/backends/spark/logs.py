"""Older versions of a table in Spark: the files of its log in any Hadoop file system, and its history."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timezone
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.backends.logs.files import Edges
from pytest_delta_schema.backends.spark.compat import java_session, jvm_of
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.states import IntroducedBy
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyspark.sql import SparkSession

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState


class HadoopLog:
    """Reads the log of a table through a classic session; see :class:`LogFiles`. Each call takes a few round trips.

    The location is a Hadoop path, without URL quoting.
    """

    def __init__(self, spark: SparkSession, table: str) -> None:
        self.path = f"{table.rstrip('/')}/_delta_log"
        self._jvm = jvm_of(spark)
        self._conf = java_session(spark).sessionState().newHadoopConf()

    def names(self) -> Iterable[str]:
        """Return the names of the files in the log."""
        with _as_os_errors():
            folder = self._path()
            statuses = folder.getFileSystem(self._conf).listStatus(folder)
            return [str(status.getPath().getName()) for status in statuses]

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with _as_os_errors(), self._opened(name) as stream:
            return bytes(stream.readAllBytes())

    def edges(self, name: str) -> Edges:
        """Return the first and last bytes of a file."""
        with _as_os_errors(), self._opened(name) as stream:
            path = self._path(name)
            size = path.getFileSystem(self._conf).getFileStatus(path).getLen()
            head = bytes(stream.readNBytes(4))
            stream.seek(max(size - 8, 0))
            return Edges(size, head, bytes(stream.readAllBytes()))

    def _path(self, name: str = "") -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(f"{self.path}/{name}" if name else self.path)

    @contextmanager
    def _opened(self, name: str) -> Iterator[Any]:
        path = self._path(name)
        stream = path.getFileSystem(self._conf).open(path)
        try:
            yield stream
        finally:
            stream.close()


@contextmanager
def _as_os_errors() -> Iterator[None]:
    from py4j.protocol import Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        java = error.java_exception
        kind = FileNotFoundError if java.getClass().getSimpleName() == "FileNotFoundException" else OSError
        raise kind(str(java.getMessage() or java.toString())) from error


class History(NamedTuple):
    """The versions of a table."""

    commits: Mapping[int, Any]
    """By version what ``DESCRIBE HISTORY`` shows: ``timestamp``, ``operation``, ``operationParameters`` and
    ``userMetadata``."""
    columns_at: Callable[[int], tuple[ColumnState, ...]]
    """Returns the columns of a version."""


def introduced_by(
    sql: Callable[[str], Any], table: QualifiedName, paths: Iterable[ColumnPath]
) -> Iterator[IntroducedBy]:
    """Return the commits that added columns; a column that is older than the history is left out."""
    return introductions(_history(sql, table), paths)


def introductions(history: History, paths: Iterable[ColumnPath]) -> Iterator[IntroducedBy]:
    """Yield the commits that added columns; see :func:`introduced_by`."""
    commits, columns_at = history
    versions = sorted(commits)
    for path in paths:
        version = _first_version(versions, lambda version, path=path: find(columns_at(version), path) is not None)  # type: ignore[misc]
        if version is not None:
            commit = commits[version]
            time = commit["timestamp"].astimezone(timezone.utc)
            message = commit["userMetadata"] or ""
            yield IntroducedBy(
                path=path,
                version=version,
                operation=commit["operation"],
                time=f"{time:%Y-%m-%d %H:%M:%S}",
                user_metadata=message,
            )


KEEPS_COLUMNS = frozenset(
    {
        "ADD COLUMNS",
        "ADD CONSTRAINT",
        "CLUSTER BY",
        "COMPUTE STATS",
        "DELETE",
        "DROP CONSTRAINT",
        "MERGE",
        "OPTIMIZE",
        "REORG",
        "SET TBLPROPERTIES",
        "UNSET TBLPROPERTIES",
        "UPDATE",
        "UPDATE COLUMN METADATA",
        "UPGRADE PROTOCOL",
        "VACUUM END",
        "VACUUM START",
    }
)
"""Operations of the history that drop no column (source: ``DeltaOperations`` of Delta 4.4.0)."""


def past_columns(sql: Callable[[str], Any], table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
    """Return the columns that an older version has and the newest lacks; newer versions are read first."""
    return dropped_columns(_history(sql, table), paths)


def dropped_columns(history: History, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
    """Return those of some columns that an older version has and the newest one lacks; see :func:`past_columns`."""
    commits, columns_at = history
    # The last version that has a column is the one before the commit that dropped it.
    versions = sorted((version - 1 for version, commit in commits.items() if not _keeps_columns(commit)), reverse=True)
    missing, present = set(paths), set()
    for version in versions:
        if not missing:
            break
        if version in commits:
            columns = columns_at(version)
            present |= {path for path in missing if find(columns, path) is not None}
            missing -= present
    return frozenset(present)


def _history(sql: Callable[[str], Any], table: QualifiedName) -> History:
    from pytest_delta_schema.sql.data_check_queries import select_rows
    from pytest_delta_schema.sql.renderers import describe_history, select_all

    @cache
    def columns_at(version: int) -> tuple[ColumnState, ...]:
        return canonical_fields(sql(select_all(select_rows(table, version=version))).schema.fields)

    return History({row["version"]: row for row in sql(describe_history(table)).collect()}, columns_at)


def _keeps_columns(commit: Any) -> bool:
    parameters = commit["operationParameters"] or {}
    appends = "Append" in (parameters.get("mode"), parameters.get("outputMode"))
    return appends or commit["operation"] in KEEPS_COLUMNS


def _first_version(versions: list[int], has: Callable[[int], bool]) -> int | None:
    """Return the first version that has something, by bisection; ``None`` if it is older than the history."""
    without, with_it = -1, len(versions) - 1
    while with_it - without > 1:
        middle = (without + with_it) // 2
        if has(versions[middle]):
            with_it = middle
        else:
            without = middle
    return None if without < 0 and versions[with_it] > 0 else versions[with_it]
