"""A network backend for httpcore that gives each operation the time that is left of the whole call.

httpcore and httpx only limit each read: a server that sends a byte now and then could hold a call forever.
"""

from __future__ import annotations

import queue
import socket
import threading
from typing import TYPE_CHECKING, Any

import httpcore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.backends.unity.http.deadline import Deadline

_PIECE = 4096
"""Bytes of one write, few enough for the operating system to accept them at once."""


class Network(httpcore.NetworkBackend):
    """Opens connections whose operations end with the call that uses them."""

    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()
        self._calls = threading.local()

    def begin(self, deadline: Deadline) -> None:
        """Set the deadline for all operations of this thread."""
        self._calls.deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the deadline is the limit
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of a host that answers, within the time that is left."""
        addresses = self._addresses(host, port)
        for address in addresses[:-1]:
            try:
                return self._connect(address, port, local_address, socket_options)
            except httpcore.ConnectError:
                continue
        return self._connect(addresses[-1], port, local_address, socket_options)

    def _connect(
        self, address: str, port: int, local_address: str | None, socket_options: Iterable[Any] | None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.connect_tcp(address, port, self._left(), local_address, socket_options), self._left)

    def _addresses(self, host: str, port: int) -> list[str]:
        """Resolve a name in a thread that is abandoned at the deadline: the system's resolver has no time limit."""
        answers: queue.SimpleQueue[list[str] | OSError] = queue.SimpleQueue()
        threading.Thread(target=_resolve, args=(host, port, answers), daemon=True).start()
        try:
            answer = answers.get(timeout=self._left())
        except queue.Empty:
            msg = f"no name server answered for {host}"
            raise httpcore.ConnectTimeout(msg) from None
        if isinstance(answer, OSError):
            raise httpcore.ConnectError(str(answer)) from answer
        return answer

    def _left(self) -> float:
        left: float = self._calls.deadline.left
        if left <= 0:
            msg = "the time of the call is over"
            raise httpcore.ReadTimeout(msg)
        return left


def _resolve(host: str, port: int, answers: queue.SimpleQueue[list[str] | OSError]) -> None:
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        answers.put(error)
    else:
        answers.put(list(dict.fromkeys(str(address[0]) for *_, address in infos)))


class _Stream(httpcore.NetworkStream):
    """One connection.

    ``left`` returns the seconds that are left, or raises if none are.
    """

    def __init__(self, inner: httpcore.NetworkStream, left: Callable[[], float]) -> None:
        self._inner = inner
        self._left = left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the deadline is the limit
        return self._inner.read(max_bytes, self._left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - as above
        for start in range(0, len(buffer), _PIECE):
            self._inner.write(buffer[start : start + _PIECE], self._left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: Any,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - as above
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, self._left()), self._left)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
