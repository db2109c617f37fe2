"""A server that gives a malformed answer to one kind of call: one line a table, nothing written falsely, in time."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import logging
import re
import socket
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType

from faults.cases import SECRET, Area, NotTriedError, require, require_clean
from pytest_delta_schema import Column, DeltaSchemaError, Table, UnityCatalog
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.unity import UnityClient
from pytest_delta_schema.diagnostics.errors import CatalogReadError, MetadataSyncError
from pytest_delta_schema.testing.unity import ROOT, LoopbackServer, UnityDouble, _Handler
from support.logs import delta_log, field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from typing_extensions import Self

    from faults.bench import Bench


LOGIN = f"<!DOCTYPE html><html><body>Sign in<!-- {SECRET} --></body></html>"
DEEP = 200_000
HUGE = 80 * 2**20
DRIP_SECONDS = 0.1

Chunks: TypeAlias = "Iterable[bytes]"
Answer: TypeAlias = "Callable[[int, Any], Chunks]"
"""Writes an answer, of the status and the true answer."""

JSON, HTML = "application/json", "text/html"


def _reply(status: int, body: bytes | str, kind: str = JSON, **headers: str) -> Chunks:
    """Write a whole HTTP answer."""
    content = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    lines = {"Content-Type": kind, "Content-Length": str(len(content)), **headers}
    return [_head(status, **lines) + content]


def _head(status: int, **headers: str) -> bytes:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Answer\r\n{lines}\r\n".encode("latin-1")


def _always(status: int, body: bytes | str, kind: str = JSON, **headers: str) -> Answer:
    return lambda _status, _genuine: _reply(status, body, kind, **headers)


def _text(change: Callable[[str], str | bytes]) -> Answer:
    return lambda status, genuine: _reply(status, change(json.dumps(genuine)))


def _changed(change: Callable[[Any], Any]) -> Answer:
    return lambda status, genuine: _reply(status, json.dumps(change(genuine)))


def _raw(*chunks: bytes) -> Answer:
    return lambda _status, _genuine: chunks


def _leaves(to: Any) -> Callable[[Any], Any]:
    """Put one value in the place of every text, number and truth value."""

    def change(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: change(part) for key, part in value.items()}
        return list(map(change, value)) if isinstance(value, list) else to

    return change


def _dripping(head: Callable[[int], bytes], drip: bytes) -> Answer:
    """Begin an answer, and go on slowly without an end."""

    def answer(status: int, _: Any) -> Chunks:
        yield head(status)
        for number in itertools.count():
            time.sleep(DRIP_SECONDS)
            yield drip.replace(b"NUMBER", str(number).encode())

    return answer


def _huge(status: int, _: Any) -> Chunks:
    yield _head(status, Content_Type=JSON, Content_Length=str(HUGE))
    for _number in range(HUGE // 2**20):
        yield b" " * 2**20


def _endless_chunks(status: int, _: Any) -> Chunks:
    yield _head(status, Content_Type=JSON, Transfer_Encoding="chunked")
    while True:
        yield b"10000\r\n" + b" " * 0x10000 + b"\r\n"


_BACK = {"Location": f"/login?back={SECRET}"}

ANSWERS: dict[str, Answer] = {
    "204": _raw(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "200 with a login page said to be JSON": _always(200, LOGIN),
    "307 to a login page": _always(307, LOGIN, HTML, **_BACK),
    "401 with the token": _always(401, json.dumps({"error_code": "UNAUTHENTICATED", "message": f"Bearer {SECRET}"})),
    "403 of a proxy": _always(403, LOGIN, HTML),
    "404 of a proxy": _always(404, LOGIN, HTML),
    "500 with a stack": _always(500, f"Traceback: {SECRET}\n  at Server.java\n" * 50, "text/plain"),
    "500 with another error": _always(500, json.dumps({"error": ["a", {"b": SECRET}], "message": 5})),
    "an empty object": _always(200, "{}"),
    "a text": _always(200, f'"{SECRET}"'),
    "tables that are texts": _always(200, json.dumps({"tables": ["a"], "next_page_token": 5})),
    "every value null": _changed(_leaves(None)),
    "every value an object": _changed(_leaves({"a": 1})),
    "every value hostile": _changed(_leaves("\x1b[31m\n\r\u202e'`--;${x}")),
    "half of the answer": _text(lambda text: text[: len(text) // 2]),
    "every key twice": _text(lambda text: text[:-1] + "," + text[1:].replace('": ', '": null, "x": ', 1)),
    "nested deep": _always(200, '{"a":' * DEEP + "1" + "}" * DEEP),
    "no UTF-8": _text(lambda text: text.encode("utf-16")),
    "another content type": _text(lambda text: f")]}}'\n{text}"),
    "a compressed bomb": lambda status, _genuine: _reply(status, gzip.compress(b" " * HUGE), Content_Encoding="gzip"),
    "the connection closed": _raw(),
    "a dripping body": _dripping(lambda status: _head(status, Content_Type=JSON, Content_Length="1000000"), b" "),
    "dripping headers": _dripping(lambda status: _head(status).removesuffix(b"\r\n"), b"X-Drip-NUMBER: 1\r\n"),
    "a huge body": _huge,
    "endless chunks": _endless_chunks,
    "the page before it again": _changed(
        lambda genuine: {**genuine, "next_page_token": "again"} if isinstance(genuine, dict) else genuine
    ),
}


_DELTA_TABLE = "/delta/v1/catalogs/[^/]+/schemas/[^/]+/tables/[^/]+"
CALLS: dict[str, tuple[str, str]] = {
    "read an entry": ("GET", "/tables/[^/]+"),
    "list entries": ("GET", "/tables"),
    "read a schema": ("GET", "/schemas/[^/]+"),
    "read a catalog": ("GET", "/catalogs/[^/]+"),
    "read the configuration": ("GET", "/delta/v1/config"),
    "read an entry by the Delta API": ("GET", _DELTA_TABLE),
    "update an entry": ("POST", _DELTA_TABLE),
}
"""Calls that the client makes, as method and path."""

PATIENCE = 60.0


class LyingServer(LoopbackServer):
    """Listens on loopback while it is entered; answers truly by a double, but one kind of call of :data:`CALLS`."""

    def __init__(self, double: UnityDouble, call: str, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), type("Handler", (_LyingHandler,), {"answer": staticmethod(double.answer)}))
        self.lie = answer
        self.method, self.pattern = CALLS[call]
        self.has_answered_wrongly = False
        self.is_closed = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_closed.set()
        self.shutdown()
        self.hang_up()
        self.server_close()


class _LyingHandler(_Handler):
    server: LyingServer

    def do_GET(self) -> None:  # noqa: N802 - the name of the base class
        path = self.path.partition("?")[0].removeprefix(ROOT)
        if self.command != self.server.method or re.fullmatch(self.server.pattern, path) is None:
            super().do_GET()
            return
        self.server.has_answered_wrongly = True
        self.close_connection = True
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        true: tuple[int, Any] = (200, {})
        if self.command == "GET":
            true = self.answer(self.command, self.path, sent, self.headers.get("Authorization"))
        until = time.monotonic() + PATIENCE
        with suppress(OSError):
            for chunk in self.server.lie(*true):
                if self.server.is_closed.is_set() or time.monotonic() > until:
                    break
                self.wfile.write(chunk)
            self.connection.shutdown(socket.SHUT_RDWR)

    do_POST = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815 - names of the base class


TIMEOUT = 2.0
SLACK = 3.0
"""Seconds for all that is not waiting, on a busy machine."""

NAMES = ("orders", "lines")
MODELS = [Table("dev", "silver", name, [Column("id", LongType())]) for name in NAMES]
ABSENT = [Table("dev", schema, "absent", [Column("id", LongType())]) for schema in ("silver", "missing")]


def _run(call: str, answer: Answer, bench: Bench) -> None:
    folder = bench.new_folder(call)
    with UnityDouble(folder, token=SECRET) as double:
        double.metastore.create_catalog({"name": "dev"})
        for name in NAMES:
            delta_log(folder / "dev" / "silver" / name, field("id"), team="x")
        double.metastore.look()
        with LyingServer(double, call, answer) as server:
            client = UnityClient(f"http://127.0.0.1:{server.server_port}", token=Secret(SECRET), timeout=TIMEOUT)
            _with_a_wrong_answer(client, double)
            if not server.has_answered_wrongly:
                raise NotTriedError(f"no call of the kind {call!r} was made")
    bench.clean(folder)


def _with_a_wrong_answer(client: UnityClient, double: UnityDouble) -> None:
    output = io.StringIO()
    handler = logging.StreamHandler(output)
    logging.getLogger("pytest_delta_schema").addHandler(handler)
    catalog = UnityCatalog(client, read_threads=2)
    steps: dict[str, Callable[[], Any]] = {
        "drift": lambda: catalog.snapshot([*MODELS, *ABSENT]),
        "listing": lambda: catalog.table_names("dev", "silver"),
        "sync": lambda: catalog.sync_entries(MODELS),
    }
    try:
        for name, step in steps.items():
            before, calls, limit = time.monotonic(), len(double.calls), sys.getrecursionlimit()
            result = _result(name, step)
            seconds = time.monotonic() - before
            # A deadline for each call, of which some may not have reached the double.
            allowed = TIMEOUT * (len(double.calls) - calls + len(NAMES) + 2) + SLACK
            require(seconds < allowed, f"{name} took {seconds:.1f} s, and its calls may take {allowed:.1f} s")
            require(sys.getrecursionlimit() == limit, f"{name}: the recursion limit has changed")
            if not isinstance(result, Exception):
                _require_true(name, result, double)
    finally:
        client.close()
        logging.getLogger("pytest_delta_schema").removeHandler(handler)
    require_clean(output.getvalue(), "what was said")


def _result(name: str, step: Callable[[], Any]) -> Any:
    """Run a step; return what it returns, or the error, after a look at its words."""
    problems: Iterable[object] = ()
    try:
        result = step()
        problems = result.problems.values() if name == "drift" else ()
    except (CatalogReadError, MetadataSyncError) as error:
        result, problems = error, error.diagnostics
    except DeltaSchemaError as error:
        result, problems = error, [error]
    for text in map(str, problems):
        require_clean(text, f"{name}: the message")
        require(len(text.splitlines()) == 1, f"{name}: the message has several lines: {text!r}")
        require(text.isprintable(), f"{name}: the message holds control characters: {text!r}")
        require(len(text) < 2000, f"{name}: the message has {len(text)} characters: {text[:200]}")
    return result


def _require_true(name: str, result: Any, double: UnityDouble) -> None:
    if name == "sync":
        stale = [name for name in NAMES if not _is_level(double, name)]
        require(not stale, f"the sync says that all is well, and the entries of {', '.join(stale)} are not level")
    if name == "drift":
        states = {model.name: result.tables.get(model.name) for model in MODELS}
        absent = [str(name) for name, state in states.items() if state is not None and not state.exists]
        require(not absent, f"{', '.join(absent)}: said to be absent, and is there")


def _is_level(double: UnityDouble, name: str) -> bool:
    entry = double.metastore.tables.get(f"dev.silver.{name}") or {}
    return [column["name"] for column in entry.get("columns", ())] == ["id"] and entry["properties"].get("team") == "x"


AREA = Area(
    name="servers",
    title="malformed answers of a server to every call",
    cases=lambda: {f"{call}/{name}": partial(_run, call, answer) for name, answer in ANSWERS.items() for call in CALLS},
    sample=12,
    lanes=6,
)
"""Most of the time is waiting for deadlines."""
