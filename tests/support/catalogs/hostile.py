"""A server on loopback that sends given bytes at a given speed."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENDLESS = 10_000


class Hostile:
    """The server.

    Args:
        play: Called with the request's head and the connection, of which it writes the answer.

    Attributes:
        heads: The heads of the requests so far.
        sent: Bytes that were sent so far.
    """

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


def timed(does: Callable[[], object]) -> float:
    """Return how many seconds something takes."""
    start = time.monotonic()
    does()
    return time.monotonic() - start
