"""HTTP on loopback: one handler for all calls of the double."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.testing.unity.refusals import INTERNAL, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    Answering = Callable[[str, str, bytes, str | None], tuple[int, Any]]


def listening(answer: Answering) -> LoopbackServer:
    """Return a server that answers every call by ``answer``: method, target, body and token to status and body."""
    handler = type("Handler", (_Handler,), {"answer": staticmethod(answer)})
    return LoopbackServer(("127.0.0.1", 0), handler)


class LoopbackServer(ThreadingHTTPServer):
    """Ends every connection when it ends itself, and waits for the threads that served them."""

    daemon_threads = False

    def __init__(self, *args: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*args)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection."""
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
        """Ignore a client that closes the connection first."""


class _Handler(BaseHTTPRequestHandler):
    answer: Answering
    protocol_version = "HTTP/1.1"
    # Many small answers: none of them waits for the acknowledgement of the one before.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer a call of any method."""
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length)
        try:
            status, body = self.answer(self.command, self.path, sent, self.headers.get("Authorization"))
        except Exception as error:  # noqa: BLE001 - every fault of the double is shown to its user
            status, body = 500, Refused(500, INTERNAL, f"the double failed: {error!r}").body(delta=False)
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if isinstance(body, str) else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_POST = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815 - as above

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Log nothing."""
