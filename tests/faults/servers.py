"""A server that gives a malformed answer to one kind of call: one line a table, nothing written falsely, in time."""

from __future__ import annotations

import gzip
import io
import json
import logging
import re
import socket
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType

from faults.bench import SECRET, require, require_clean
from faults.cases import Area, Case, NotTriedError
from pytest_delta_schema import Column, DeltaSchemaError, Table, UnityCatalog
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.unity import UnityClient
from pytest_delta_schema.diagnostics.errors import CatalogReadError, MetadataSyncError
from pytest_delta_schema.testing.unity import ROOT, UnityDouble
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


def reply(status: int, body: bytes | str, kind: str = "application/json", **headers: str) -> bytes:
    """Return a whole HTTP answer."""
    content = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    lines = {"Content-Type": kind, "Content-Length": str(len(content)), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Answer\r\n{head}\r\n".encode("latin-1") + content


def _always(
    status: int,
    body: bytes | str,
    kind: str = "application/json",
    **headers: str,
) -> Callable[[int, Any], Any]:
    return lambda _status, _genuine: [reply(status, body, kind, **headers)]


def _changed(change: Callable[[Any], Any]) -> Callable[[int, Any], Any]:
    return lambda status, genuine: [reply(status, json.dumps(change(genuine)))]


def _text(change: Callable[[str], str | bytes]) -> Callable[[int, Any], Any]:
    return lambda status, genuine: [reply(status, change(json.dumps(genuine)))]


def _leaves(to: Any) -> Callable[[Any], Any]:
    """Put one value in the place of every text, number and truth value."""

    def change(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: change(part) for key, part in value.items()}
        return list(map(change, value)) if isinstance(value, list) else to

    return change


def _containers(value: Any) -> Any:
    """Make lists of objects and objects of lists, below the top."""
    if isinstance(value, dict):
        return {key: _swapped(part) for key, part in value.items()}
    return value


def _swapped(value: Any) -> Any:
    if isinstance(value, dict):
        return list(value)
    return {"0": value[0]} if isinstance(value, list) and value else 7


def _cut(status: int, genuine: Any) -> Chunks:
    whole = reply(status, json.dumps(genuine))
    return [whole[: len(whole) - max(1, len(json.dumps(genuine)) // 2)]]


def _dripping_body(status: int, _: Any) -> Chunks:
    yield f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n".encode()
    while True:
        time.sleep(DRIP_SECONDS)
        yield b" "


def _dripping_headers(status: int, _: Any) -> Chunks:
    yield f"HTTP/1.1 {status} OK\r\n".encode()
    number = 0
    while True:
        time.sleep(DRIP_SECONDS)
        number += 1
        yield f"X-Drip-{number}: 1\r\n".encode()


def _silence(_status: int, _genuine: Any) -> Chunks:
    while True:
        time.sleep(DRIP_SECONDS)
        yield b""


def _huge(status: int, _: Any) -> Chunks:
    yield f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {HUGE}\r\n\r\n".encode()
    for _number in range(HUGE // 2**20):
        yield b" " * 2**20


def _endless_chunks(status: int, _: Any) -> Chunks:
    yield f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    while True:
        yield b"10000\r\n" + b" " * 0x10000 + b"\r\n"


def _redirect(status: int) -> Callable[[int, Any], Any]:
    return _always(status, LOGIN, "text/html", Location=f"/login?back={SECRET}")


ANSWERS: dict[str, Callable[[int, Any], Any]] = {
    "200 without a body": _always(200, ""),
    "204": lambda _status, _genuine: [b"HTTP/1.1 204 No Content\r\n\r\n"],
    "200 with a login page": _always(200, LOGIN, "text/html"),
    "200 with a login page said to be JSON": _always(200, LOGIN),
    "302 to a login page": _redirect(302),
    "307 to a login page": _redirect(307),
    "304": lambda _status, _genuine: [b"HTTP/1.1 304 Not Modified\r\n\r\n"],
    "401 with the token": _always(401, json.dumps({"error_code": "UNAUTHENTICATED", "message": f"Bearer {SECRET}"})),
    "403 of a proxy": _always(403, LOGIN, "text/html"),
    "404 of a proxy": _always(404, LOGIN, "text/html"),
    "404 without a body": _always(404, ""),
    "409 without a body": _always(409, ""),
    "429": _always(429, "", Retry_After="3600"),
    "500 with a stack": _always(500, f"Traceback: {SECRET}\n  at Server.java\n" * 50, "text/plain"),
    "500 with another error": _always(500, json.dumps({"error": ["a", {"b": SECRET}], "message": 5})),
    "503 of a proxy": _always(503, LOGIN, "text/html"),
    "an empty object": _always(200, "{}"),
    "an empty list": _always(200, "[]"),
    "a number": _always(200, "5"),
    "null": _always(200, "null"),
    "a text": _always(200, f'"{SECRET}"'),
    "a list with null": _always(200, "[null]"),
    "tables that are texts": _always(200, json.dumps({"tables": ["a"], "next_page_token": 5})),
    "every value null": _changed(_leaves(None)),
    "every value a number": _changed(_leaves(7)),
    "every value a list": _changed(_leaves([SECRET])),
    "every value an object": _changed(_leaves({"a": 1})),
    "objects for lists": _changed(_containers),
    "every value hostile": _changed(_leaves("\x1b[31m\n\r\u202e'`--;${x}")),
    "half of the answer": _text(lambda text: text[: len(text) // 2]),
    "cut off on the wire": _cut,
    "NaN and Infinity": _always(200, '{"tables": NaN, "metadata": Infinity, "name": -Infinity}'),
    "every key twice": _text(lambda text: text[:-1] + "," + text[1:].replace('": ', '": null, "x": ', 1)),
    "nested deep": _always(200, '{"a":' * DEEP + "1" + "}" * DEEP),
    "lists nested deep": _always(200, "[" * DEEP + "]" * DEEP),
    "a number of many digits": _always(200, '{"metadata": ' + "9" * 50_000 + "}"),
    "no UTF-8": _text(lambda text: text.encode("utf-16")),
    "a lone surrogate": _always(200, '{"name": "\\ud800", "message": "\\ud800"}'),
    "another content type": _text(lambda text: f")]}}'\n{text}"),
    "said to be compressed": lambda status, genuine: [
        reply(status, json.dumps(genuine), "application/json", Content_Encoding="gzip"),
    ],
    "a compressed bomb": lambda status, _genuine: [
        reply(status, gzip.compress(b" " * HUGE), "application/json", Content_Encoding="gzip"),
    ],
    "no HTTP": lambda _status, _genuine: [b"SSH-2.0-OpenSSH_9.6\r\n"],
    "a header without an end": lambda _status, _genuine: [b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000],
    "the connection closed": lambda _status, _genuine: [],
    "a dripping body": _dripping_body,
    "dripping headers": _dripping_headers,
    "silence": _silence,
    "a huge body": _huge,
    "endless chunks": _endless_chunks,
    "the page before it again": lambda status, genuine: [
        reply(status, json.dumps({**genuine, "next_page_token": "again"} if isinstance(genuine, dict) else genuine)),
    ],
}
"""At least forty, by name."""


_DELTA_TABLE = "/delta/v1/catalogs/[^/]+/schemas/[^/]+/tables/[^/]+"
CALLS: dict[str, tuple[str, str]] = {
    "read an entry": ("GET", "/tables/[^/]+"),
    "list entries": ("GET", "/tables"),
    "read a schema": ("GET", "/schemas/[^/]+"),
    "read a catalog": ("GET", "/catalogs/[^/]+"),
    "read the configuration": ("GET", "/delta/v1/config"),
    "read an entry by the Delta API": ("GET", _DELTA_TABLE),
    "update an entry": ("POST", _DELTA_TABLE),
    "delete an entry": ("DELETE", "/tables/[^/]+"),
    "create an entry": ("POST", "/tables"),
    "vend credentials": ("POST", "/temporary-table-credentials"),
}
"""Every call that the client makes, as method and path."""

PATIENCE = 60.0


class LyingServer:
    """Listens on loopback while it is entered.

    Args:
        double: Who answers truly.
        call: The kind of call that is not answered truly; one of :data:`CALLS`.
        answer: Writes the answer to it.
    """

    def __init__(self, double: UnityDouble, call: str, answer: Callable[[int, Any], Any]) -> None:
        self.double = double
        self.method, self.pattern = CALLS[call]
        self.answer = answer
        self.has_answered_wrongly = False
        self.is_closed = threading.Event()
        self._server: Any = None

    @property
    def uri(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"lying_server": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_closed.set()
        self._server.shutdown()
        self._server.server_close()

    def meets(self, method: str, path: str) -> bool:
        """Whether a call is of the kind that is lied to."""
        return method == self.method and re.fullmatch(self.pattern, path) is not None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that closes the connection first."""


class _Handler(BaseHTTPRequestHandler):
    lying_server: LyingServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = self.path.partition("?")[0].removeprefix(ROOT)
        status, true_answer = 0, None
        is_wrong = self.lying_server.meets(self.command, path)
        if not is_wrong or self.command == "GET":
            status, true_answer = self.lying_server.double.answer(
                self.command,
                self.path,
                body,
                self.headers.get("Authorization"),
            )
        if is_wrong:
            self._lie(status or 200, true_answer if true_answer is not None else {})
            return
        content = (true_answer if isinstance(true_answer, str) else json.dumps(true_answer)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815 - names of the base class

    def _lie(self, status: int, true_answer: Any) -> None:
        self.lying_server.has_answered_wrongly = True
        self.close_connection = True
        until = time.monotonic() + PATIENCE
        with suppress(OSError):
            for chunk in self.lying_server.answer(status, true_answer):
                if self.lying_server.is_closed.is_set() or time.monotonic() > until:
                    break
                self.wfile.write(chunk)
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Log nothing."""


TIMEOUT = 2.0
SLACK = 3.0
"""Seconds for all that is not waiting, on a busy machine."""

NAMES = ("orders", "lines")
MODELS = [Table("dev", "silver", name, [Column("id", LongType())]) for name in NAMES]
ABSENT = [Table("dev", schema, "absent", [Column("id", LongType())]) for schema in ("silver", "missing")]
RECREATED = ("delete an entry", "create an entry")
"""Calls of a server without a Delta API."""

CREDENTIALS = {
    "aws_temp_credentials": {"access_key_id": "a", "secret_access_key": "b", "session_token": "c"},
    "expiration_time": 9999999999999,
}


def _cases(_: int) -> list[Case]:
    return [
        Case(area="servers", name=f"{call}/{answer}", values={"call": call, "answer": answer})
        for answer in ANSWERS
        for call in CALLS
    ]


def _run(case: Case, bench: Bench) -> None:
    call, folder = case.values["call"], bench.new_folder(case.name)
    delta_api = call not in RECREATED
    with UnityDouble(folder, token=SECRET, delta_api=delta_api) as double:
        double.metastore.create_catalog({"name": "dev"})
        double.credentials = CREDENTIALS
        for name in NAMES:
            delta_log(folder / "dev" / "silver" / name, field("id"), team="x")
        double.metastore.look()
        if call == "vend credentials":
            double.metastore.tables["dev.silver.orders"]["storage_location"] = "s3://bucket/orders"
        with LyingServer(double, call, ANSWERS[case.values["answer"]]) as lying_server:
            _with_a_wrong_answer(case, lying_server, double)
            if not lying_server.has_answered_wrongly:
                msg = f"no call of the kind {call!r} was made"
                raise NotTriedError(msg)
        double.metastore.tables.setdefault("dev.silver.orders", {})
        _after_it(double, call)
    bench.clean(folder)


def _with_a_wrong_answer(case: Case, lying_server: LyingServer, double: UnityDouble) -> None:
    output = io.StringIO()
    handler = logging.StreamHandler(output)
    logging.getLogger("pytest_delta_schema").addHandler(handler)
    client = UnityClient(lying_server.uri, token=Secret(SECRET), timeout=TIMEOUT)
    catalog = UnityCatalog(client, read_threads=2, sync_recreate=case.values["call"] in RECREATED)
    steps: list[tuple[str, Callable[[], Any]]] = [
        ("drift", lambda: catalog.snapshot([*MODELS, *ABSENT])),
        ("listing", lambda: catalog.table_names("dev", "silver")),
        ("sync", lambda: catalog.sync_entries(MODELS)),
    ]
    try:
        for name, step in steps:
            before, calls = time.monotonic(), len(double.calls)
            result = _quiet(name, step)
            seconds, limit = time.monotonic() - before, _limit(len(double.calls) - calls)
            require(seconds < limit, f"{name} took {seconds:.1f} s, and its calls may take {limit:.1f} s")
            _check(name, result, double)
    finally:
        client.close()
        logging.getLogger("pytest_delta_schema").removeHandler(handler)
    require_clean(output.getvalue(), "what was said")


def _limit(calls: int) -> float:
    """Return how long a step may take: a deadline for each call, of which some may not have reached the double."""
    return TIMEOUT * (calls + len(NAMES) + 2) + SLACK


def _quiet(name: str, step: Callable[[], Any]) -> Any:
    """Run a step; return what it returns, or the error, after a look at its words."""
    stack = sys.getrecursionlimit()
    try:
        result = step()
    except (CatalogReadError, MetadataSyncError) as error:
        result = error
        for problem in error.diagnostics:
            _require_line(str(problem), name)
    except DeltaSchemaError as error:
        result = error
        _require_line(str(error), name)
    require(sys.getrecursionlimit() == stack, f"{name}: the recursion limit is another one")
    for problem in (
        getattr(result, "problems", {}).values() if name == "drift" and not isinstance(result, Exception) else ()
    ):
        _require_line(str(problem), name)
    return result


def _require_line(text: str, where: str) -> None:
    require_clean(text, f"{where}: the message")
    require(len(text.splitlines()) == 1, f"{where}: the message has several lines: {text!r}")
    require(text.isprintable(), f"{where}: the message holds control characters: {text!r}")
    require(len(text) < 2000, f"{where}: the message has {len(text)} characters: {text[:200]}")


def _check(name: str, result: Any, double: UnityDouble) -> None:
    if name == "sync" and not isinstance(result, Exception):
        false = [name for name in NAMES if not _is_level(double, name)]
        require(not false, f"the sync says that all is well, and the entries of {', '.join(false)} are not level")
    if name == "drift" and not isinstance(result, Exception):
        for model in MODELS:
            state = result.tables.get(model.name)
            require(state is None or state.exists, f"{model.name} is said to be absent, and it is there")


def _is_level(double: UnityDouble, name: str) -> bool:
    entry = double.metastore.tables.get(f"dev.silver.{name}") or {}
    return [column["name"] for column in entry.get("columns", ())] == ["id"] and entry["properties"].get("team") == "x"


def _after_it(double: UnityDouble, call: str) -> None:
    """A sync against the same server, whose answers are right again, updates every entry."""
    client = UnityClient(double.uri, token=Secret(SECRET), timeout=30)
    catalog = UnityCatalog(client, read_threads=2, sync_recreate=call in RECREATED)
    try:
        if call not in (*RECREATED, "vend credentials"):
            catalog.sync_entries(MODELS)
            require(catalog.sync_entries(MODELS) == (), "a second sync has something to do")
            require(all(_is_level(double, name) for name in NAMES), "the entries are not level after a true sync")
    finally:
        client.close()


AREA = Area(
    name="servers",
    title="malformed answers of a server to every call",
    cases=_cases,
    run=_run,
    sample=33,
    lanes=6,
)
"""Most of the time is waiting for deadlines."""
