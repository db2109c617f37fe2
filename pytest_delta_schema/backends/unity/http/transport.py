"""HTTP to one server: a time limit for each call as a whole, and bodies of bounded size.

Redirects are not followed, and bodies are not decompressed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

import httpcore

from pytest_delta_schema.backends.unity.http.address import environment_proxy
from pytest_delta_schema.backends.unity.http.network import Network
from pytest_delta_schema.backends.unity.http.too_large_error import TooLargeError

if TYPE_CHECKING:
    from pytest_delta_schema.backends.secret import Secret
    from pytest_delta_schema.backends.unity.http.address import Address, Proxy
    from pytest_delta_schema.backends.unity.http.deadline import Deadline

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


class Transport:
    """Sends requests to one server, through the proxy that the environment names; safe to share between threads.

    Raises:
        BackendUnavailableError: If the environment names a proxy that cannot be used.
    """

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
        """Send a request and read the answer.

        The target is path and query, below the path of the address. The last byte of the answer must arrive by the
        deadline. The body is JSON.

        Raises:
            httpcore.TimeoutException: If the deadline is over.
            httpcore.NetworkError: If the server or its proxy cannot be reached, or closes the connection.
            httpcore.ProtocolError: If the answer is not HTTP.
            TooLargeError: If the body is too large.
        """
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
