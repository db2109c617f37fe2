"""Calls to a Unity Catalog server."""

from __future__ import annotations

import json
import re
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError, first_line
from pytest_delta_schema.diagnostics.redaction import Uri, redacted_uri, redacted_uris
from pytest_delta_schema.diagnostics.text import shortened

if TYPE_CHECKING:
    from pytest_delta_schema.backends.secret import Secret
    from pytest_delta_schema.backends.unity.transport import HttpAnswer, Transport


_EXAMPLE = "write it as in https://unity.example.com"
_PROXIES = ("http", "https", "socks5", "socks5h")
_HARMLESS = ("Port out of range", "Invalid IPv6 URL")
"""Messages of Python about a URI that repeat no part of it."""

_HOST = re.compile(r"[A-Za-z0-9._:%-]*")
_SOCKS = ("socks5", "socks5h")


class Address(NamedTuple):
    """The parts of a URI."""

    scheme: str
    """``http`` or ``https``; for proxies also ``socks5``."""
    host: str
    """The host in ASCII (IDNA)."""
    port: int | None
    """``None`` for the default port of the scheme."""
    path: str
    """The quoted path, without a slash at its end."""

    @property
    def authority(self) -> str:
        """Host and port in the form of the header ``Host``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


class Proxy(NamedTuple):
    """A proxy of the environment."""

    address: Address
    uri: Uri

    def credentials(self) -> tuple[bytes, bytes] | None:
        """Return user and password; ``None`` if there are none."""
        parts = urlsplit(self.uri.reveal())
        if parts.username is None:
            return None
        return unquote(parts.username).encode(), unquote(parts.password or "").encode()


def server_address(uri: Uri) -> Address:
    """Return the address of a server."""
    shown = str(uri)
    address, fault = _parsed(uri)
    if address is None or address.scheme not in ("http", "https") or not address.host:
        fact = f"the setting unity_uri is {shown!r}, which is not an address{f' ({fault})' if fault else ''}"
        msg = f"{fact}; {_EXAMPLE}"
        raise BackendUnavailableError(msg)
    if "@" in urlsplit(uri.reveal()).netloc:
        msg = (
            f"the setting unity_uri has a user or a password in it, at {address.scheme}://{address.authority}; keep"
            " secrets out of it, and give a token"
        )
        raise BackendUnavailableError(msg)
    if "?" in shown or "#" in shown:
        fact = f"the setting unity_uri is {shown!r}, which has more than an address and a path"
        msg = f"{fact}; {_EXAMPLE}, and give a token"
        raise BackendUnavailableError(msg)
    return address


def environment_proxy(address: Address) -> Proxy | None:
    """Return the proxy that the environment names for a server; ``None`` if there is none."""
    uri = Uri(getproxies().get(address.scheme) or getproxies().get("all") or "")
    if not uri or proxy_bypass(address.host):
        return None
    if "://" not in uri.reveal():
        uri = Uri(f"http://{uri.reveal()}")
    proxy, _ = _parsed(uri)
    if proxy is None or proxy.scheme not in _PROXIES or not proxy.host:
        msg = f"the environment names the proxy {uri}, which cannot be used; see HTTPS_PROXY and NO_PROXY"
        raise BackendUnavailableError(msg)
    if proxy.scheme in _SOCKS and find_spec("socksio") is None:
        msg = f"the environment names the proxy {uri}, which needs socksio; pip install 'httpcore[socks]'"
        raise BackendUnavailableError(msg)
    return Proxy(proxy, uri)


def redirect_host(location: str) -> str:
    """Return scheme and host of a redirect, without secrets."""
    address, _ = _parsed(Uri(location))
    return f"{address.scheme}://{address.authority}" if address and address.host else redacted_uri(location)


def _parsed(uri: Uri) -> tuple[Address | None, str]:
    """Parse a URI, or return why it is not valid; an exception would show the whole URI in its frames."""
    try:
        parts = urlsplit(uri.reveal())
        host = (parts.hostname or "").encode("idna").decode()
        if _HOST.fullmatch(host) is None:
            return None, ""
        return Address(parts.scheme, host, parts.port, quote(parts.path, safe="/%:@!$&'()*+,;=~").rstrip("/")), ""
    except ValueError as error:
        fault = str(error)
    return None, fault if fault.startswith(_HARMLESS) else ""


class Deadline:
    """The time by which a call has to end."""

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def pause(self, seconds: float) -> bool:
        """Wait before another try; ``False``, at once, if no time would be left for it."""
        if self.left <= seconds:
            return False
        time.sleep(seconds)
        return True


class TooLargeError(Exception):
    """A body is larger than the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(limit)


API_ROOT = "/api/2.1/unity-catalog"

_TRIES = 3
_PAUSE = 0.2
"""Seconds before the second try; twice as long before each further one."""

TIMEOUT, UNREACHABLE, BROKEN_OFF, TOO_LARGE = "TIMEOUT", "UNREACHABLE", "BROKEN_OFF", "TOO_LARGE"
REDIRECTED, FOREIGN = "REDIRECTED", "FOREIGN_ANSWER"
"""Conditions of failures for which the server has no code."""

_BETWEEN = "see what answers at that address"
_RUNNING = "check that it is running"
_AGAIN = (429, 500, 502, 503, 504)
_SUCCESS, _REDIRECT = range(200, 300), range(300, 400)
_UNAUTHORIZED, _NOT_FOUND, _CONFLICT, _INTERNAL = 401, 404, 409, 500
_DEADLOCK = "Deadlock detected"

_LISTED = ("/tables", "/schemas", "/catalogs")
"""The paths that every server has, so something else answers if it does not know one of them."""

_LONGEST = 300
"""How many characters of a message of the server are shown."""

_REMEDIES = {
    401: "give a valid token",
    403: "give the principal of the token the permission",
    500: "look into the server's log",
}


class ServerError(StatementError):
    """A call of a server failed.

    The status is ``None`` if no answer came. The condition is the server's code, such as ``TABLE_NOT_FOUND``.
    ``is_of_api`` is false if the answer is of something else that answers at the server's address. With ``is_deadlock``
    the server's embedded database has rolled back the call because of a different call. ``server_fault`` is what is
    wrong with the server itself, and the remedy, without the call; then every other call fails, too. It is ``""`` if
    only this call is known to fail.
    """

    def __init__(  # noqa: PLR0913 - the parts of one failure
        self,
        text: str,
        *,
        status: int | None,
        condition: str = "",
        is_of_api: bool = False,
        is_deadlock: bool = False,
        server_fault: str = "",
    ) -> None:
        self.status = status
        self.is_of_api = is_of_api
        self.is_deadlock = is_deadlock
        self.server_fault = server_fault
        super().__init__(text, condition=condition)

    @property
    def is_not_found(self) -> bool:
        """Whether the server reports that the object does not exist, which is not the same as hiding it."""
        return self.status == _NOT_FOUND and self.is_of_api

    @property
    def is_lost_race(self) -> bool:
        """Whether another client has changed the object in the meantime, so nothing was done.

        The embedded database of Unity Catalog 0.6.0 often answers with a deadlock instead of a conflict.
        """
        return self.status == _CONFLICT or self.is_deadlock

    @property
    def may_pass(self) -> bool:
        """Whether a repetition may succeed."""
        return self.status in _AGAIN or self.condition in {UNREACHABLE, BROKEN_OFF}


class Response(NamedTuple):
    """An answer that reports success; its representation hides the body, which may repeat secrets."""

    call: str
    """The call for messages: method, path and server."""
    status: int
    body: bytes

    def __repr__(self) -> str:
        return f"<{self.call}: {self.status}, {len(self.body)} bytes>"


class Calls:
    """Sends calls to one server; safe to share between threads."""

    def __init__(self, uri: Uri, token: Secret | None, timeout: float) -> None:
        address = server_address(uri)
        self.uri = str(uri).rstrip("/").removesuffix(API_ROOT)
        self.timeout = timeout
        self._token = token
        self._transport = _transport(address._replace(path=address.path.removesuffix(API_ROOT)), token)
        self._silence: ServerError | None = None

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def read(self, path: str, query: dict[str, Any] | None = None) -> Response:
        """Send a call that changes nothing; it is repeated after a pause if the server fails for a moment."""
        if self._silence is not None:
            raise self._silence
        deadline = Deadline(self.timeout)
        target = f"{path}?{urlencode(query)}" if query else path
        try:
            return self._try("GET", target, deadline)
        except ServerError as error:
            failure = error
        for number in range(_TRIES - 1):
            if not failure.may_pass or not deadline.pause(_PAUSE * 2**number):
                break
            try:
                return self._try("GET", target, deadline)
            except ServerError as error:
                # The failure before a timeout says more than the timeout.
                failure = failure if error.condition == TIMEOUT else error
        # Otherwise each table would wait again for a server that does not answer.
        self._silence = failure if failure.condition in {TIMEOUT, UNREACHABLE} else None
        raise failure

    def write(self, method: str, path: str, body: Any = None) -> Response:
        """Send a call that changes something; it is never repeated."""
        content = None if body is None else json.dumps(body).encode()
        return self._try(method, path, Deadline(self.timeout), content)

    def scrub(self, text: str) -> str:
        """Redact the token, and secrets in URIs, in a text of the server."""
        return self.scrub_token(redacted_uris(text))

    def scrub_token(self, text: str) -> str:
        """Redact the token in a text of the server."""
        return text if self._token is None else self._token.scrub(text)

    def may_repeat_token(self, body: bytes) -> bool:
        """Whether the token may be part of a body; fast, because it hardly ever is."""
        return self._token is not None and self._token.may_be_in(body)

    def foreign(self, answered: Response, fault: str) -> ServerError:
        """Return the error for an answer that reports success and is not of the requested form."""
        reason = self.scrub(fault)
        msg = f"{answered.call}: {answered.status}, and the answer does not come from Unity Catalog ({reason})"
        server_fault = self._other_server(answered.status, "a web page") if _is_page(answered.body) else ""
        return ServerError(f"{msg}; {_BETWEEN}", status=answered.status, condition=FOREIGN, server_fault=server_fault)

    def _try(self, method: str, target: str, deadline: Deadline, body: bytes | None = None) -> Response:
        path = target.partition("?")[0]
        outcome = self._send(method, f"{API_ROOT}{target}", deadline, body)
        if isinstance(outcome, Exception):
            # Raised here, so neither a frame nor the context holds the request.
            raise self._unanswered(outcome, f"{method} {path}", deadline)
        call = f"{method} {path} on {self.uri}"
        if outcome.status not in _SUCCESS:
            raise self._refused(call, path, outcome)
        return Response(call, outcome.status, outcome.body)

    def _send(self, method: str, target: str, deadline: Deadline, body: bytes | None) -> HttpAnswer | Exception:
        import httpcore

        failures = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError)
        try:
            return self._transport.send(method, target, deadline, body)
        except (*failures, httpcore.UnsupportedProtocol, TooLargeError) as error:
            return error

    def _unanswered(self, error: Exception, call: str, deadline: Deadline) -> ServerError:
        """Return the error for a call without an answer."""
        import httpcore

        if isinstance(error, httpcore.TimeoutException):
            subject, rest = f"the server at {self.uri} did not answer", f"within {deadline.seconds:g} s; {_RUNNING}"
            return ServerError(
                f"{subject} {call} {rest}", status=None, condition=TIMEOUT, server_fault=f"{subject} {rest}"
            )
        if isinstance(error, TooLargeError):
            msg = f"{call} on {self.uri}: the answer is larger than {error.limit // 1024**2} MiB"
            return ServerError(f"{msg}; {_BETWEEN}", status=None, condition=TOO_LARGE)
        reason = self.scrub(first_line(error))
        proxy = self._transport.proxy
        through = "" if proxy is None else f" through the proxy {proxy.uri} of the environment"
        if isinstance(error, (httpcore.ConnectError, httpcore.ProxyError)):
            msg = f"the server at {self.uri} cannot be reached{through} ({reason})"
            text = f"{msg}; check that it is running, and the setting unity_uri"
            return ServerError(text, status=None, condition=UNREACHABLE, server_fault=text)
        msg = f"the server at {self.uri} broke off its answer to {call}{through} ({reason}); check the proxies between"
        return ServerError(msg, status=None, condition=BROKEN_OFF)

    def _refused(self, call: str, path: str, answer: HttpAnswer) -> ServerError:
        """Return the error for an answer that reports no success."""
        from pytest_delta_schema.backends.unity.answers import api_error

        if answer.status in _REDIRECT:
            where = self.scrub(redirect_host(answer.location)) if answer.location else "nowhere"
            status = f"{answer.status} {self.scrub(answer.reason)}"
            fact = (
                f"redirects to {where}, probably a login page;"
                " give the setting unity_uri the address of the server itself, and a valid token"
            )
            return ServerError(
                f"{call}: {status}: it {fact}",
                status=answer.status,
                condition=REDIRECTED,
                server_fault=f"the server at {self.uri} answers {status}: it {fact}",
            )
        error = api_error(answer.body)
        code, message = ("", answer.reason) if error is None else error
        remedy = _REMEDIES.get(answer.status, "")
        reason = self.scrub(f"{answer.status} {code}: {_one_line(message)}")
        server_fault = self._fault_of_another_server(path, answer) if error is None else ""
        if answer.status == _UNAUTHORIZED:
            server_fault = self._token_fault(reason)
        return ServerError(
            f"{call}: {reason}{f'; {remedy}' if remedy else ''}",
            status=answer.status,
            condition=self.scrub(code),
            is_of_api=error is not None,
            # The whole message: SQL of about 800 characters comes before the words.
            is_deadlock=answer.status == _INTERNAL and _DEADLOCK in message,
            server_fault=server_fault,
        )

    def _fault_of_another_server(self, path: str, answer: HttpAnswer) -> str:
        """Return what is wrong if a refusal that has not the form of the API comes from another server."""
        if answer.status in _AGAIN or not path.startswith(_LISTED):
            return ""
        if _is_page(answer.body):
            return self._other_server(answer.status, "a web page")
        return self._other_server(answer.status, "an unknown answer") if answer.status == _NOT_FOUND else ""

    def _other_server(self, status: int, answer: str) -> str:
        fact = f"the server at {self.uri} answers {status} with {answer}, so it is not Unity Catalog"
        return f"{fact}; give the setting unity_uri the address of the server itself, not that of its user interface"

    def _token_fault(self, reason: str) -> str:
        does = "refuses the token" if self._token else "wants a token"
        remedy = "put a valid one into the environment variable that the setting unity_token_variable names"
        return f"the server at {self.uri} {does} ({reason}); {remedy}"


def _is_page(body: bytes) -> bool:
    """Whether an answer is a web page; JSON does not begin so."""
    return body[:100].lstrip().startswith(b"<")


def _one_line(message: str) -> str:
    return shortened(" ".join(message.split()), _LONGEST)


def _transport(address: Any, token: Secret | None) -> Transport:
    try:
        from pytest_delta_schema.backends.unity.transport import Transport
    except ImportError as error:
        msg = "the unity backend needs httpcore, which is not installed; pip install 'pytest-delta-schema[unity]'"
        raise BackendUnavailableError(msg) from error
    return Transport(address, token)
