"""Call the REST API of a Unity Catalog server."""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

from pytest_delta_schema.backends.secret import bearer_token
from pytest_delta_schema.backends.unity.addresses import Deadline, redirect_host, server_address
from pytest_delta_schema.backends.unity.answers import (
    CatalogInfo,
    CatalogPage,
    DeltaConfig,
    DeltaTable,
    DeltaTag,
    SchemaInfo,
    SchemaPage,
    TableInfo,
    TaggedTable,
    VendedCredentials,
)
from pytest_delta_schema.delta.names import same_names
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError, first_line
from pytest_delta_schema.diagnostics.redaction import Uri, without_secrets
from pytest_delta_schema.diagnostics.text import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from msgspec import Raw

    from pytest_delta_schema.backends.secret import Secret
    from pytest_delta_schema.backends.unity.addresses import Address
    from pytest_delta_schema.backends.unity.answers import Page
    from pytest_delta_schema.backends.unity.transport import HttpAnswer, Transport
    from pytest_delta_schema.models.names import QualifiedName


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
}
_OTHERWISE = "look into the server's log"

_T = TypeVar("_T")
_P = TypeVar("_P", bound="Page")

DELTA_PATH = "/delta/v1"

_PAGE = 100
_PAGES = 10_000
"""The largest number of pages of a listing."""


class UnityClient:
    """Calls the REST API of one server; safe to share between threads.

    Args:
        uri: The address of the server, such as ``https://unity.example.com``.
        token: The bearer token; ``None`` for servers without authentication. White space at its ends is removed.
        timeout: The time limit of a whole call in seconds; one page of a listing is one call.

    Each call raises a :class:`ServerError` if the server refuses it, or does not answer.

    Raises:
        BackendUnavailableError: If ``uri`` is not an address, the token cannot be sent, or the extra is not installed.
    """

    def __init__(self, uri: str | Uri, *, token: Secret | None = None, timeout: float = 30.0) -> None:
        uri = uri if isinstance(uri, Uri) else Uri(uri)
        self._calls = Calls(uri, bearer_token(token), timeout)
        self._delta_api: dict[str, DeltaConfig | None] = {}
        self._lock = Lock()
        from pytest_delta_schema.backends.unity.decoding import prepare_answer_types

        prepare_answer_types()

    @property
    def uri(self) -> str:
        """The address of the server, without a slash at the end."""
        return self._calls.uri

    def close(self) -> None:
        """Close the connections."""
        self._calls.close()

    def scrub(self, text: str) -> str:
        """Redact the token, and secrets in URIs, in a text of the server or of Spark."""
        return self._calls.scrub(text)

    def deadline(self) -> Deadline:
        """Start a time limit for several calls, as long as that of one call."""
        return Deadline(self._calls.timeout)

    def table(self, name: QualifiedName) -> TableInfo:
        """Return the catalog entry of a table, by its stored name."""
        answered = self._calls.read(f"/tables/{_part(str(name.written))}")
        info = self._decoded(TableInfo, answered)
        self._require_named(answered, name, (info["catalog_name"], info["schema_name"], info["name"]))
        return info

    def tables(self, catalog: str, schema: str) -> Iterator[TableInfo]:
        """Yield the catalog entries of all tables in a schema that the principal may see, a page at a time.

        Args:
            catalog: The stored name of the catalog.
            schema: The stored name of the schema.

        Raises:
            ServerError: If the server does not answer, or its pages do not end; or, after all other entries, if one
                cannot be understood.
        """
        from pytest_delta_schema.backends.unity.decoding import TablePage

        fault: ServerError | None = None
        where = {"catalog_name": catalog, "schema_name": schema}
        for answered, page in self._pages(TablePage, "/tables", where):
            for entry in page["tables"]:
                try:
                    info = self._decoded(TableInfo, answered, entry)
                except ServerError as error:
                    fault = fault or error
                else:
                    yield info
        if fault is not None:
            raise fault

    def catalogs(self) -> tuple[str, ...]:
        """Return the stored names of all catalogs that the principal may see."""
        pages = self._pages(CatalogPage, "/catalogs", {})
        return tuple(info["name"] for _, page in pages for info in page["catalogs"])

    def schemas(self, catalog: str) -> tuple[str, ...]:
        """Return the stored names of all schemas of a catalog that the principal may see."""
        pages = self._pages(SchemaPage, "/schemas", {"catalog_name": catalog})
        return tuple(info["name"] for _, page in pages for info in page["schemas"])

    def schema(self, catalog: str, schema: str) -> SchemaInfo:
        """Return a schema.

        Args:
            catalog: The stored name of its catalog.
            schema: Its stored name.
        """
        answered = self._calls.read(f"/schemas/{_part(f'{catalog}.{schema}')}")
        info = self._decoded(SchemaInfo, answered)
        self._require_named(answered, (catalog, schema), (info["catalog_name"], info["name"]))
        return info

    def catalog(self, catalog: str) -> CatalogInfo:
        """Return a catalog."""
        answered = self._calls.read(f"/catalogs/{_part(catalog)}")
        info = self._decoded(CatalogInfo, answered)
        self._require_named(answered, (catalog,), (info["name"],))
        return info

    def delta_table(self, name: QualifiedName) -> DeltaTable:
        """Return a table by the server's Delta API and its stored name."""
        return self._decoded(DeltaTable, self._calls.read(_delta_path(name)))

    def delta_tag(self, name: QualifiedName) -> DeltaTag:
        """Return what an update of a table asserts, by the server's Delta API and its stored name."""
        return self._decoded(TaggedTable, self._calls.read(_delta_path(name)))["metadata"]

    def has_delta_api(self, catalog: str) -> bool:
        """Whether the server can update catalog entries of Delta tables in a catalog.

        It cannot if it has no such endpoint: then it answers 404 with an error of neither API, although the catalog
        exists.
        """
        return self.delta_api(catalog) is not None

    def delta_api(self, catalog: str) -> DeltaConfig | None:
        """Return what the server's Delta API can do in a catalog; ``None`` if it has none."""
        with self._lock:  # so that threads do not all send the same call
            if catalog not in self._delta_api:
                self._delta_api[catalog] = self._find_delta_api(catalog)
            return self._delta_api[catalog]

    def _find_delta_api(self, catalog: str) -> DeltaConfig | None:
        query = {"catalog": catalog, "protocol-versions": "1.0"}
        try:
            return self._decoded(DeltaConfig, self._calls.read(f"{DELTA_PATH}/config", query))
        except ServerError as error:
            if error.status != _NOT_FOUND or error.is_of_api:
                raise
        self.catalog(catalog)
        return None

    def update_table(self, name: QualifiedName, body: dict[str, Any]) -> None:
        """Update the catalog entry of a table as a whole; never repeated.

        The answer does not prove the update: read the entry again.

        Args:
            name: The stored name of the table.
            body: The requirements and updates of the Delta API, as values of JSON.
        """
        self._calls.write("POST", _delta_path(name), body)

    def delete_table(self, name: QualifiedName) -> None:
        """Delete the catalog entry of a table; the files of an external table stay."""
        self._calls.write("DELETE", f"/tables/{_part(str(name.written))}")

    def create_table(self, body: dict[str, Any]) -> None:
        """Create the catalog entry of a table whose files exist; read it again, as after an update."""
        self._calls.write("POST", "/tables", body)

    def credentials(self, table_id: str) -> VendedCredentials:
        """Return temporary credentials for the files of a table."""
        request = {"table_id": table_id, "operation": "READ"}
        answered = self._calls.write("POST", "/temporary-table-credentials", request)
        vended = self._decoded(VendedCredentials, answered)
        if not vended:
            raise self._calls.foreign(answered, "it has no kind of credentials")
        return vended

    def _pages(self, kind: type[_P], path: str, query: dict[str, Any]) -> Iterator[tuple[Response, _P]]:
        """Yield the pages of a listing."""
        token = ""
        seen = {token}
        for _ in range(_PAGES):
            sent = {**query, "max_results": _PAGE, **({"page_token": token} if token else {})}
            answered = self._calls.read(path, sent)
            page = self._decoded(kind, answered)
            yield answered, page
            token = str(page.get("next_page_token") or "")
            if not token:
                return
            if token in seen:
                raise self._calls.foreign(answered, "it names a page again that was read before")
            seen.add(token)
        raise self._calls.foreign(answered, f"there are more than {_PAGES} pages")

    def _decoded(self, kind: type[_T], answered: Response, part: bytes | Raw | None = None) -> _T:
        """Decode an answer, or a part of it; raise a ``ServerError`` if it has another form."""
        from pytest_delta_schema.backends.unity.decoding import decoded_answer, scrubbed

        body = answered.body if part is None else part
        try:
            value = decoded_answer(kind, body)
            return scrubbed(value, self._calls.scrub_token) if self._calls.may_repeat_token(bytes(body)) else value
        except ValueError as error:
            fault = str(error)
        raise self._calls.foreign(answered, fault)

    def _require_named(self, answered: Response, requested: Sequence[str], named: Sequence[str]) -> None:
        """Require an answer to be about the requested object, whose name may have another case."""
        if not same_names(requested, named):
            raise self._calls.foreign(answered, f"it is about {'.'.join(named)}")


def _part(text: str) -> str:
    return quote(text, safe="")


def _delta_path(name: QualifiedName) -> str:
    catalog, schema, table = map(_part, name.written)
    return f"{DELTA_PATH}/catalogs/{catalog}/schemas/{schema}/tables/{table}"


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
        """Whether another client has changed the object, of which Unity Catalog 0.6.0 may tell by a deadlock."""
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
        return self.scrub_token(without_secrets(text))

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

        from pytest_delta_schema.backends.unity.transport import TooLargeError

        failures = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError)
        try:
            return self._transport.send(method, target, deadline, body)
        except (*failures, httpcore.UnsupportedProtocol, TooLargeError) as error:
            return error

    def _unanswered(self, error: Exception, call: str, deadline: Deadline) -> ServerError:
        """Return the error for a call without an answer."""
        import httpcore

        from pytest_delta_schema.backends.unity.transport import TooLargeError

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
        from pytest_delta_schema.backends.unity.decoding import api_error

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
        remedy = _REMEDIES.get(answer.status, _OTHERWISE)
        reason = self.scrub(f"{answer.status} {code}: {_one_line(message)}")
        server_fault = self._fault_of_another_server(path, answer) if error is None else ""
        if answer.status == _UNAUTHORIZED:
            server_fault = self._token_fault(reason)
        return ServerError(
            f"{call}: {reason}; {remedy}",
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


def _transport(address: Address, token: Secret | None) -> Transport:
    try:
        from pytest_delta_schema.backends.unity.transport import Transport
    except ImportError as error:
        msg = "the unity backend needs httpcore, which is not installed; pip install 'pytest-delta-schema[unity]'"
        raise BackendUnavailableError(msg) from error
    return Transport(address, token)
