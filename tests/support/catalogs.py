"""Catalogs for tests: readers that have to agree, hostile, recording and concurrent ones."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import LocalCatalog, MemoryCatalog
from pytest_delta_schema.backends.local.reading import _request
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.locations import LocationsCatalog
from pytest_delta_schema.backends.logs.history import dropped_columns, introductions
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.sql import dotted
from pytest_delta_schema.state import TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema import Parquet, QualifiedName
    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.execute import ScratchCatalog
    from pytest_delta_schema.sql import Statement, StatementKind
    from pytest_delta_schema.state import CatalogState, IntroducedBy


_ONLY_IN_SESSION = {"gone", "provider", "view"}
"""Answers of ``StateReader.java`` about what only the running session knows: another process does not see it."""


class AgreeingCatalog(LocalCatalog):
    """A local catalog that fails where its readers of logs and of Spark differ, and the backend of locations from both.

    ``left_to_spark`` has the tables that the reader of logs did not answer for, since a test began.
    """

    def __init__(self, spark: SparkSession, warehouse: Path) -> None:
        super().__init__(spark, warehouse=warehouse)
        self.left_to_spark: set[QualifiedName] = set()

    def _read_tables(self, names: Iterable[QualifiedName], wishes: Mapping[QualifiedName, Parquet]) -> CatalogState:
        names = set(names)
        state = super()._read_tables(names, wishes)
        stored = [name for name in names if name.catalog != "spark_catalog" and self.bridge.is_warehouse(name.catalog)]
        by_logs = {name: result for name, result in self._early.read(stored).items() if name not in wishes}
        self.left_to_spark |= names - by_logs.keys()
        for name, result in by_logs.items():
            by_spark = state.tables.get(name) or state.problems[name]
            if by_spark != result and not self._is_explained(name, by_spark, result):
                msg = f"{name}: the log shows {result!r}\nand Spark shows {by_spark!r}"
                raise AssertionError(msg)
        self._compare_folders(by_logs)
        return state

    def _compare_folders(self, by_logs: Mapping[QualifiedName, TableState | Diagnostic]) -> None:
        """Read tables as those of a location, where their folders have their names."""
        folders = {name: table_folder(self.warehouse, name) for name in by_logs}
        shown = {name: result for name, result in by_logs.items() if folders[name].name == name.table}
        locations = {dotted(name): str(folders[name]) for name in shown}
        by_folder = LocationsCatalog(locations).read_tables(shown)
        for name, result in shown.items():
            if isinstance(result, TableState) and result.exists:
                read = by_folder.tables.get(name) or by_folder.problems[name]
                if read != result and not (isinstance(read, TableState) and read.version != result.version):
                    msg = f"{name}: the log shows {result!r}\nand its folder shows {read!r}"
                    raise AssertionError(msg)

    def introduced_by(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> tuple[IntroducedBy, ...]:
        paths = tuple(paths)
        by_spark = super().introduced_by(table, paths)
        history = self._early.history(table)
        assert history is None or tuple(introductions(history, paths)) == by_spark
        return by_spark

    def past_columns(self, table: QualifiedName, paths: Iterable[ColumnPath]) -> frozenset[ColumnPath]:
        paths = tuple(paths)
        by_spark = super().past_columns(table, paths)
        history = self._early.history(table)
        assert history is None or dropped_columns(history, paths) == by_spark
        return by_spark

    def _is_explained(
        self, name: QualifiedName, by_spark: TableState | Diagnostic, by_log: TableState | Diagnostic
    ) -> bool:
        """Whether another process has committed meanwhile, or only the session knows the table."""
        if isinstance(by_spark, TableState) and isinstance(by_log, TableState) and by_log.exists:
            return by_spark.version != by_log.version
        kind, *rest = self.bridge.read(_request(self.bridge, name)).rstrip("\n").split("\t")
        return kind in _ONLY_IN_SESSION or (kind == "delta" and rest[0] != str(table_folder(self.warehouse, name)))


ENDLESS = 10_000


class Hostile:
    """The server."""

    def __init__(self, play: Callable[[Hostile, str, socket.socket], None]) -> None:
        self.heads: list[str] = []
        self.sent = 0
        self._play = play
        self._open: set[socket.socket] = set()
        self._ended = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def uri(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def send(self, connection: socket.socket, data: bytes) -> None:
        """Send bytes."""
        connection.sendall(data)
        self.sent += len(data)

    def drip(self, connection: socket.socket, data: bytes, seconds: float = 0.05) -> None:
        """Send a byte now and then, and never more than one."""
        for byte in data * ENDLESS:
            self.send(connection, bytes([byte]))
            if self._ended.wait(seconds):
                return

    def close(self) -> None:
        """End all connections, and wait for their threads."""
        self._ended.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._open.add(connection)
                self._threads.append(threading.Thread(target=self._serve, args=(connection,)))
                self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            data = b""
            while chunk := connection.recv(65536):
                data += chunk
                if b"\r\n\r\n" in data:
                    head, _, data = data.partition(b"\r\n\r\n")
                    self.heads.append(head.decode())
                    self._play(self, head.decode(), connection)
                    data = b""
        self._open.discard(connection)


@contextmanager
def hostile(play: Callable[[Hostile, str, socket.socket], None]) -> Iterator[Hostile]:
    """Run a server."""
    server = Hostile(play)
    try:
        yield server
    finally:
        server.close()


def head(length: int | None = None, status: str = "200 OK", **headers: str) -> bytes:
    """Write the head of an answer."""
    lines = [f"HTTP/1.1 {status}", *(f"{key}: {value}" for key, value in headers.items())]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def answers(body: object, status: str = "200 OK", **headers: str) -> Callable[[Hostile, str, socket.socket], None]:
    """Answer every call with the same."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def play(server: Hostile, _: str, connection: socket.socket) -> None:
        server.send(connection, head(len(content), status, **headers) + content)

    return play


@contextmanager
def scratch(catalog: ScratchCatalog) -> Iterator[Scratch]:
    """Make scratch tables in a block, and drop them at its end."""
    made = Scratch(catalog, "main")
    try:
        yield made
    finally:
        made.clean_up()


class Recording(MemoryCatalog):
    """Notes kind and table of every statement."""

    def __init__(
        self, *args: Any, fail: Collection[Any] = (), ignore: Collection[StatementKind] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.ran: list[str] = []
        self.tables: list[str] = []
        self.fail, self.ignore = fail, ignore

    def run(self, statement: Statement) -> None:
        if statement.kind in self.fail or (statement.kind, statement.table.table) in self.fail:
            raise StatementError("the disk is full\nsecond line", condition="DISK")
        self.ran.append(statement.kind.value)
        self.tables.append(statement.table.table)
        if statement.kind not in self.ignore:
            super().run(statement)

    @property
    def story(self) -> list[str]:
        return [f"{table}: {kind}" for table, kind in zip(self.tables, self.ran, strict=True)]


class Concurrent(Recording):
    """Takes creations in several threads, as the local backend does."""

    def __init__(
        self,
        *args: Any,
        threads: int = 4,
        before: Callable[[Statement], object] = lambda _: None,
        stop: Callable[[], object] = lambda: None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.threads, self.before, self.stop = threads, before, stop
        self.blocks = 0
        self._lock = threading.Lock()

    @contextmanager
    def creating_concurrently(self) -> Iterator[int]:
        self.blocks += 1
        try:
            yield self.threads
        except KeyboardInterrupt:
            self.stop()
            raise

    def run(self, statement: Statement) -> None:
        self.before(statement)
        with self._lock:
            super().run(statement)
