"""The double as a server: HTTP on loopback, in a thread."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from pytest_delta_schema.testing.unity.records import Records
from pytest_delta_schema.testing.unity.refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from typing_extensions import Self

ROOT = "/api/2.1/unity-catalog"
_DELTA = "/delta/v1"
_TABLE = rf"{_DELTA}/catalogs/([^/]+)/schemas/([^/]+)/tables/([^/]+)"

Answer = tuple[int, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that goes wrong.

    Args:
        path: Calls whose path this pattern is found in.
        status: Answered in place of what was asked for.
        text: The body; ``None`` for the server's own form of an error.
        seconds: How long the answer is held back.
        method: Which calls; ``""`` for all of them.
    """

    path: str
    status: int = 500
    text: str | None = None
    seconds: float = 0
    method: str = ""


class UnityDouble:
    """A Unity Catalog server that listens on loopback while it is entered.

    Args:
        store: Where tables of the Spark connector lie; see :class:`Records`.
        token: The bearer token without which every call is refused; ``None`` to ask for none.
        delta_api: Whether the server is new enough to update records.

    Attributes:
        records: What it knows; to be looked at and changed freely.
        calls: Every call so far, as method and path without the query.
        faults: What goes wrong from now on.
        hidden: Names of catalogs, schemas and tables that the principal may not see.
        credentials: What is vended for the files of every table; ``None`` to vend nothing.
    """

    def __init__(self, store: Path | None = None, *, token: str | None = None, delta_api: bool = True) -> None:
        self.records = Records(store)
        self.calls: list[tuple[str, str]] = []
        self.faults: list[Fault] = []
        self.hidden: set[str] = set()
        self.credentials: dict[str, Any] | None = None
        self._token = token
        self._delta_api = delta_api
        self._lock = threading.Lock()
        self._server: _Server | None = None

    @property
    def uri(self) -> str:
        """Where it listens."""
        assert self._server is not None, "enter the double first"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"double": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.hang_up()
            self._server.server_close()

    def answer(self, method: str, target: str, body: Any, token: str | None) -> Answer:
        """Answer one call, as status and body: JSON, or a bare text."""
        path = urlsplit(target).path.removeprefix(ROOT)
        query = {key: values[0] for key, values in parse_qs(urlsplit(target).query).items()}
        delta = path.startswith(_DELTA)
        with self._lock:
            self.calls.append((method, path))
            fault = next((each for each in self.faults if self._meets(each, method, path)), None)
        if fault is not None:
            time.sleep(fault.seconds)
            refused = Refused(fault.status, "INTERNAL" if not delta else "InternalServerException", "told to fail")
            return fault.status, refused.body(delta=delta) if fault.text is None else fault.text
        with self._lock:
            try:
                self._require_token(token)
                self.records.look()
                return self._route(method, path, query, body)
            except Refused as refused:
                return refused.status, refused.body(delta=delta)

    def _route(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        for known, pattern, does in _ROUTES:
            found = re.fullmatch(pattern, path)
            if found is None or (pattern.startswith(_DELTA) and not self._delta_api):
                continue
            if known == method:
                names = [unquote(each) for each in found.groups()]
                self._require_visible(names)
                return does(self, names, query, body)
        if any(re.fullmatch(pattern, path) for _, pattern, _ in _ROUTES if not pattern.startswith(_DELTA)):
            raise Refused(405, "METHOD_NOT_ALLOWED", f"{method} is not allowed")
        raise Refused(404, "NOT_FOUND", f"no such endpoint: {path}")

    def _require_token(self, token: str | None) -> None:
        """Refuse everybody else, and repeat what they gave, as servers do that are no friends of secrets."""
        if self._token is not None and token != f"Bearer {self._token}":
            raise Refused(401, "UNAUTHENTICATED", f"invalid credentials: {token}")

    def _require_visible(self, names: list[str]) -> None:
        parts = ".".join(names).split(".")
        for end in range(1, len(parts) + 1):
            if ".".join(parts[:end]) in self.hidden:
                raise Refused(403, "PERMISSION_DENIED", "Access denied.")

    @staticmethod
    def _meets(fault: Fault, method: str, path: str) -> bool:
        return re.search(fault.path, path) is not None and fault.method in ("", method)

    def _catalogs(self, names: list[str], query: dict[str, str], body: Any) -> Answer:
        del names, query, body
        return 200, {"catalogs": list(self.records.catalogs.values()), "next_page_token": None}

    def _tables(self, names: list[str], query: dict[str, str], body: Any) -> Answer:
        del names, body
        catalog, schema = query["catalog_name"], query["schema_name"]
        self._require_visible([catalog, schema])
        every = [
            info
            for info in self.records.in_schema(catalog, schema)
            if f"{catalog}.{schema}.{info['name']}" not in self.hidden
        ]
        start, size = int(query.get("page_token") or 0), int(query.get("max_results") or 100)
        following = str(start + size) if start + size < len(every) else None
        return 200, {"tables": every[start : start + size], "next_page_token": following}

    def _vend(self, names: list[str], query: dict[str, str], body: Any) -> Answer:
        del names, query
        known = {info["table_id"] for info in self.records.tables.values()}
        if body["table_id"] not in known or self.credentials is None:
            raise Refused(404, "TABLE_NOT_FOUND", f"Table not found: {body['table_id']}")
        return 200, self.credentials


def _named(names: list[str]) -> str:
    return ".".join(names)


def _forgotten(double: UnityDouble, names: list[str]) -> Answer:
    double.records.delete_table(names[0])
    return 200, "200 OK"


def _schema_gone(double: UnityDouble, names: list[str]) -> Answer:
    double.records.delete_schema(names[0])
    return 200, {}


def _renamed(double: UnityDouble, names: list[str], body: Any) -> Answer:
    double.records.rename_table(_named(names), body["new-name"])
    return 204, ""


def _patched(some: dict[str, Any], body: Any) -> Answer:
    some.update(body)
    return 200, some


def _exists(double: UnityDouble, names: list[str]) -> Answer:
    double.records.table(_named(names), delta=True)
    return 204, ""


_ROUTES: tuple[tuple[str, str, Callable[[UnityDouble, list[str], dict[str, str], Any], Answer]], ...] = (
    ("GET", "/catalogs", UnityDouble._catalogs),
    ("POST", "/catalogs", lambda d, _n, _q, body: (200, d.records.create_catalog(body))),
    ("GET", "/catalogs/([^/]+)", lambda d, n, _q, _b: (200, d.records.catalog(n[0]))),
    ("PATCH", "/catalogs/([^/]+)", lambda d, n, _q, body: _patched(d.records.catalog(n[0]), body)),
    ("POST", "/schemas", lambda d, _n, _q, body: (200, d.records.create_schema(body))),
    ("GET", "/schemas/([^/]+)", lambda d, n, _q, _b: (200, d.records.schema(n[0]))),
    ("PATCH", "/schemas/([^/]+)", lambda d, n, _q, body: _patched(d.records.schema(n[0]), body)),
    ("DELETE", "/schemas/([^/]+)", lambda d, n, _q, _b: _schema_gone(d, n)),
    ("GET", "/tables", UnityDouble._tables),
    ("POST", "/tables", lambda d, _n, _q, body: (200, d.records.create_table(body))),
    ("GET", "/tables/([^/]+)", lambda d, n, _q, _b: (200, d.records.table(n[0]))),
    ("DELETE", "/tables/([^/]+)", lambda d, n, _q, _b: _forgotten(d, n)),
    ("POST", "/temporary-table-credentials", UnityDouble._vend),
    ("GET", f"{_DELTA}/config", lambda *_: (200, {"endpoints": [], "protocol-version": "1.0"})),
    ("GET", _TABLE, lambda d, n, _q, _b: (200, d.records.table(_named(n), delta=True))),
    ("HEAD", _TABLE, lambda d, n, _q, _b: _exists(d, n)),
    ("POST", _TABLE, lambda d, n, _q, body: (200, d.records.update_table(_named(n), body))),
    ("POST", f"{_TABLE}/rename", lambda d, n, _q, body: _renamed(d, n, body)),
)


class _Server(ThreadingHTTPServer):
    """Ends every connection when it ends itself, and waits for the threads that served them."""

    daemon_threads = False

    def __init__(self, *args: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*args)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Take a connection."""
        request, address = super().get_request()
        self._open.add(request)
        return request, address

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End all connections."""
        for request in list(self._open):
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave a client alone that hangs up first."""


class _Handler(BaseHTTPRequestHandler):
    double: UnityDouble
    protocol_version = "HTTP/1.1"
    # Many small answers: none of them waits for the acknowledgement of the one before.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer a call of any method."""
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        try:
            status, said = self.double.answer(self.command, self.path, body, self.headers.get("Authorization"))
        except Exception as error:  # noqa: BLE001 - a call that the double does not understand is one to be told of
            status, said = 500, Refused(500, "INTERNAL", f"the double failed: {error!r}").body(delta=False)
        content = (said if isinstance(said, str) else json.dumps(said)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_POST = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815 - likewise

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Say nothing."""
