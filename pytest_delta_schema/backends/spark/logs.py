"""The files of a Delta log as a Spark session reaches them: in any Hadoop file system, or by SQL alone."""

from __future__ import annotations

import io
from contextlib import contextmanager
from posixpath import basename
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from pytest_delta_schema.backends.logs.files import Stamp
from pytest_delta_schema.backends.spark.compat import java_session, jvm_of
from pytest_delta_schema.diagnostics.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import SparkSession


class HadoopFiles:
    """The files of a log at a Hadoop path, without URL quoting, through a classic session; see :class:`LogFiles`."""

    def __init__(self, spark: SparkSession, table: str) -> None:
        self.path = f"{table.rstrip('/')}/_delta_log"
        self._jvm = jvm_of(spark)
        self._conf = java_session(spark).sessionState().newHadoopConf()

    def names(self) -> list[str]:
        """Return the names of the files in the folder."""
        with _as_os_errors():
            folder, system = self._found(self.path)
            return [str(status.getPath().getName()) for status in system.listStatus(folder)]

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        with _as_os_errors():
            path, system = self._found(f"{self.path}/{name}")
            stream, size = system.open(path), system.getFileStatus(path).getLen()

        def read(start: int, length: int) -> bytes:
            with _as_os_errors():
                stream.seek(start)
                return bytes(stream.readNBytes(length))

        return cast("BinaryIO", _RangeFile(size, read, stream.close))

    def stamp(self, name: str) -> Stamp:
        """Return the stamp of a file, which differs if the file is replaced."""
        with _as_os_errors():
            path, system = self._found(f"{self.path}/{name}")
            status = system.getFileStatus(path)
            return Stamp(status.getModificationTime() * 1_000_000, status.getLen())

    def _found(self, path: str) -> tuple[Any, Any]:
        hadoop_path = self._jvm.org.apache.hadoop.fs.Path(path)
        return hadoop_path, hadoop_path.getFileSystem(self._conf)


@contextmanager
def _as_os_errors() -> Iterator[None]:
    from py4j.protocol import Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        java = error.java_exception
        kind = FileNotFoundError if java.getClass().getSimpleName() == "FileNotFoundException" else OSError
        raise kind(str(java.getMessage() or java.toString())) from error


class SqlFiles:
    """The files of a log by queries of Spark's ``binaryFile`` source, one each; see :class:`LogFiles`.

    Spark does not list empty files, and files whose names begin with an underscore, such as ``_last_checkpoint`` (Spark
    4.2.0).
    """

    def __init__(self, sql: Callable[[str], Sequence[Any]], location: str) -> None:
        self.path = f"{location.rstrip('/')}/_delta_log"
        self._sql = sql

    def names(self) -> list[str]:
        """Return the names of the files in the folder."""
        return [basename(row[0]) for row in self._rows(self.path, "path")]

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        if not name.endswith(".parquet"):
            return io.BytesIO(bytes(self._row(name, "content")[0]))

        def read(start: int, length: int) -> bytes:
            return bytes(self._row(name, f"substring(content, {start + 1}, {length})")[0])

        return cast("BinaryIO", _RangeFile(self.stamp(name).size, read))

    def stamp(self, name: str) -> Stamp:
        """Return the stamp of a file, which differs if the file is replaced."""
        modified, size = self._row(name, "unix_micros(modificationTime), length")
        return Stamp(modified * 1_000, size)

    def _row(self, name: str, columns: str) -> Any:
        rows = self._rows(f"{self.path}/{name}", columns)
        if not rows:
            raise FileNotFoundError(name)
        return rows[0]

    def _rows(self, path: str, columns: str) -> Sequence[Any]:
        from pytest_delta_schema.sql.renderers import select_files

        try:
            return self._sql(select_files(path, columns))
        except StatementError as error:
            kind = FileNotFoundError if error.condition == "PATH_NOT_FOUND" else OSError
            raise kind(str(error)) from error


class _RangeFile(io.RawIOBase):
    """A file of which each read asks for a part, by its start and its length."""

    def __init__(
        self, size: int, read: Callable[[int, int], bytes], close: Callable[[], object] = lambda: None
    ) -> None:
        self._size = size
        self._read = read
        self._close = close
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        left = max(self._size - self._at, 0)
        length = left if size < 0 else min(size, left)
        content = self._read(self._at, length) if length else b""
        self._at += len(content)
        return content

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()
