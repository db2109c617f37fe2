"""Read the files of a Delta log through the Hadoop file systems of a Spark session."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.logs.log_files import Edges
from pytest_delta_schema.backends.spark.compat.pyspark_compat import java_session, jvm_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession


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
