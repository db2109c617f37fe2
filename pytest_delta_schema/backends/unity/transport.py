"""Send requests by httpcore, each operation within the time that is left of the whole call.

httpcore and httpx only limit each read: a server that sends a byte now and then could hold a call forever.
"""

from __future__ import annotations

import logging
import queue
import socket
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import httpcore

from pytest_delta_schema.backends.unity.addresses import environment_proxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.backends.secret import Secret
    from pytest_delta_schema.backends.unity.addresses import Address, Deadline, Proxy


LARGEST_BODY = 64 * 1024 * 1024
"""The largest body of an answer, in bytes."""

_CONNECTIONS, _KEPT, _KEPT_SECONDS = 100, 20, 5.0

_LOGGERS = tuple(map(logging.getLogger, ("httpcore.connection", "httpcore.http11", "httpcore.proxy", "httpcore.socks")))
"""The loggers of httpcore, which log headers of answers."""


class HttpAnswer(NamedTuple):
    """An answer of a server; its representation hides the texts, which may repeat secrets."""

    status: int
    reason: str
    location: str
    """The target of a redirect; ``""`` if there is none."""
    body: bytes

    def __repr__(self) -> str:
        return f"<Answer {self.status}, {len(self.body)} bytes>"


class TooLargeError(Exception):
    """A body is larger than the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(limit)


class Transport:
    """Sends requests to one server, through the proxy that the environment names; safe to share between threads."""

    def __init__(self, address: Address, token: Secret | None) -> None:
        self._address = address
        self._token = token
        self._network = Network()
        self.proxy = environment_proxy(address)
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpcore.default_ssl_context() if address.scheme == "https" else None,
            proxy=None if self.proxy is None else _proxy(self.proxy),
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_KEPT,
            keepalive_expiry=_KEPT_SECONDS,
            network_backend=self._network,
        )
        self._filter = None if token is None else _Scrubbing(token)
        for logger in _LOGGERS if self._filter is not None else ():
            logger.addFilter(self._filter)  # type: ignore[arg-type]

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()
        for logger in _LOGGERS if self._filter is not None else ():
            logger.removeFilter(self._filter)  # type: ignore[arg-type]

    def send(self, method: str, target: str, deadline: Deadline, body: bytes | None = None) -> HttpAnswer:
        """Send a request, whose body is JSON, and read the answer, the last byte of it before the deadline."""
        self._network.begin(deadline)
        try:
            response = self._pool.handle_request(self._request(method, target, deadline, body))
            try:
                return HttpAnswer(
                    response.status,
                    response.extensions.get("reason_phrase", b"").decode("latin-1"),
                    _header(response, b"location"),
                    _body(response),
                )
            finally:
                response.close()
        except BaseException as error:  # noqa: BLE001 - it is raised again
            # The frames of httpcore, and of the exceptions that it has caught, hold the headers of the request.
            error.__cause__ = error.__context__ = None
            raise error.with_traceback(None) from None

    def _request(self, method: str, target: str, deadline: Deadline, body: bytes | None) -> httpcore.Request:
        headers: dict[bytes | str, bytes | str] = {
            "Host": self._address.authority,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "pytest-delta-schema",
        }
        if body is not None:
            headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        return httpcore.Request(
            method,
            httpcore.URL(
                scheme=self._address.scheme.encode(),
                host=self._address.host.encode(),
                port=self._address.port,
                target=f"{self._address.path}{target}".encode(),
            ),
            headers={**headers, **self._authorization()},
            content=body,
            extensions={"timeout": {"pool": deadline.left}},
        )

    def _authorization(self) -> dict[bytes | str, bytes | str]:
        return {} if self._token is None else {"Authorization": f"Bearer {self._token.reveal()}"}


class _Scrubbing(logging.Filter):
    """Redacts a secret in log records."""

    def __init__(self, secret: Secret) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._secret.scrub(record.getMessage()), ()
        return True


def _proxy(proxy: Proxy) -> httpcore.Proxy:
    address = proxy.address
    url = httpcore.URL(scheme=address.scheme.encode(), host=address.host.encode(), port=address.port, target=b"/")
    return httpcore.Proxy(url, auth=proxy.credentials())


def _header(response: httpcore.Response, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in response.headers if key.lower() == name), "")


def _body(response: httpcore.Response) -> bytes:
    parts, size = [], 0
    for part in response.iter_stream():
        size += len(part)
        if size > LARGEST_BODY:
            raise TooLargeError(LARGEST_BODY)
        parts.append(part)
    return b"".join(parts)


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
    """One connection."""

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
