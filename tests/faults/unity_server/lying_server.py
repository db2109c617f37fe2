"""A Unity Catalog server that answers all calls but one kind as it should."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.testing.unity import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from pytest_delta_schema.testing.unity import UnityDouble

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
                self.command, self.path, body, self.headers.get("Authorization")
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
