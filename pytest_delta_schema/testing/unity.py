"""A Unity Catalog server for tests, on loopback: the calls that a schema tool makes, answered as release 0.6 does.

Its answers are those of a real server (Unity Catalog 0.6.0); a test compares them one by one.
"""

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

from pytest_delta_schema.testing.unity_metastore import PAGE, Metastore, three_parts
from pytest_delta_schema.testing.unity_tables import INTERNAL, Refused, deadlock, invalid, missing, unparsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from typing_extensions import Self


__all__ = ["UnityDouble"]


if TYPE_CHECKING:
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

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815 - as above

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Log nothing."""


ROOT = "/api/2.1/unity-catalog"
_DELTA = "/delta/v1"
_PLACE = rf"{_DELTA}/catalogs/([^/]+)/schemas/([^/]+)"
_TABLE = rf"{_PLACE}/tables/([^/]+)"

_NO_ENDPOINT = "Status: 404\nDescription: Not Found\n"
_NO_METHOD = "Status: 405\nDescription: Method Not Allowed\n"
"""What the HTTP server itself answers where the catalog has no endpoint or no such method: errors of neither API."""

ENDPOINTS = (
    "POST /v1/catalogs/{catalog}/schemas/{schema}/staging-tables",
    "POST /v1/catalogs/{catalog}/schemas/{schema}/tables",
    "GET /v1/catalogs/{catalog}/schemas/{schema}/tables",
    "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}",
    "POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}",
    "DELETE /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}",
    "HEAD /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}",
    "POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/rename",
    "GET /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/credentials",
    "POST /v1/catalogs/{catalog}/schemas/{schema}/tables/{table}/metrics",
    "GET /v1/staging-tables/{table_id}/credentials",
    "GET /v1/temporary-path-credentials",
)
"""The endpoints that release 0.6.0 lists for its Delta API; the double has those that a schema tool needs."""

Answer = tuple[int, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedFault:
    """A simulated fault."""

    path: str
    """Calls whose path this pattern is found in."""
    status: int = 500
    text: str | None = None
    """The body; ``None`` for the server's own form of an error."""
    seconds: float = 0
    """How long the answer is delayed."""
    method: str = ""
    """Which calls; ``""`` for all of them."""


class UnityDouble:
    """A Unity Catalog server that listens on loopback while it is entered.

    Args:
        store: The folder of tables that the Spark connector makes; see :class:`Metastore`.
        token: The bearer token without which every call is refused; ``None`` for a server without authorization.
        delta_api: Whether the server is new enough to update entries.

    Attributes:
        metastore: Catalogs, schemas and catalog entries; tests read and change them directly.
        calls: Every call so far, as method and path without the query.
        faults: The faults that are simulated.
        hidden: Names of catalogs, schemas and tables that the principal may not see.
        read_only: Names of those that the principal may see and not change.
        deadlocks: One in so many updates is answered as a lost race on the server's embedded database; 0 for none.
        credentials: What is vended for the files of every table; ``None`` to vend nothing.
    """

    def __init__(self, store: Path | None = None, *, token: str | None = None, delta_api: bool = True) -> None:
        self.metastore = Metastore(store)
        self.calls: list[tuple[str, str]] = []
        self.faults: list[SimulatedFault] = []
        self.hidden: set[str] = set()
        self.read_only: set[str] = set()
        self.deadlocks = 0
        self.credentials: dict[str, Any] | None = None
        self._token = token
        self._delta_api = delta_api
        self._lock = threading.Lock()
        self._updates = 0
        self._server: LoopbackServer | None = None

    @property
    def uri(self) -> str:
        """Where it listens."""
        assert self._server is not None, "enter the double first"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._server = listening(self.answer)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.hang_up()
            self._server.server_close()

    def answer(self, method: str, target: str, sent: bytes, token: str | None) -> Answer:
        """Answer one call, as status and body: JSON, or a bare text."""
        path = urlsplit(target).path.removeprefix(ROOT)
        query = {key: values[0] for key, values in parse_qs(urlsplit(target).query).items()}
        delta = path.startswith(_DELTA)
        with self._lock:
            self.calls.append((method, path))
            fault = next((candidate for candidate in self.faults if self._meets(candidate, method, path)), None)
        if fault is not None:
            time.sleep(fault.seconds)
            refusal = Refused(fault.status, INTERNAL, "told to fail")
            return fault.status, refusal.body(delta=delta) if fault.text is None else fault.text
        with self._lock:
            try:
                self._require_token(token)
                self.metastore.look()
                return self._route(method, path, query, _parsed(sent))
            except Refused as refused:
                return refused.status, refused.body(delta=delta)

    def _route(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        known = [
            (verb, match.groups(), does)
            for verb, pattern, does in _ROUTES
            if (match := re.fullmatch(pattern, path)) and (self._delta_api or not pattern.startswith(_DELTA))
        ]
        if not known:
            return 404, _NO_ENDPOINT
        for verb, groups, does in known:
            if verb == method:
                names = [unquote(group) for group in groups]
                self._require_visible(names)
                return does(self, names, query, body)
        return 405, _NO_METHOD

    def _require_token(self, token: str | None) -> None:
        """Refuse a call without the right token, and repeat the token that it gave, as some servers do."""
        if self._token is not None and token != f"Bearer {self._token}":
            raise Refused(401, "UNAUTHENTICATED", f"invalid credentials: {token}", by_authorizer=True)

    def _require_visible(self, names: Iterable[str]) -> None:
        self._require_none_of(self.hidden, names)

    @staticmethod
    def _require_none_of(forbidden: set[str], names: Iterable[str]) -> None:
        parts = ".".join(names).split(".")
        if any(".".join(parts[:end]) in forbidden for end in range(1, len(parts) + 1)):
            raise Refused(403, "PERMISSION_DENIED", "Access denied.", by_authorizer=True)

    @staticmethod
    def _meets(fault: SimulatedFault, method: str, path: str) -> bool:
        return re.search(fault.path, path) is not None and fault.method in ("", method)

    def _catalogs(self, _names: list[str], query: dict[str, str], _body: Any) -> Answer:
        shown = {name: info for name, info in self.metastore.catalogs.items() if name not in self.hidden}
        return 200, _page("catalogs", shown, query)

    def _schemas(self, _names: list[str], query: dict[str, str], _body: Any) -> Answer:
        catalog = _given(query, "catalog_name")
        self._require_visible([catalog])
        self.metastore.catalog(catalog)
        known = self.metastore.schemas.items()
        inside = f"{catalog}."
        shown = {info["name"]: info for name, info in known if name.startswith(inside) and name not in self.hidden}
        return 200, _page("schemas", shown, query)

    def _tables(self, _names: list[str], query: dict[str, str], _body: Any) -> Answer:
        catalog, schema = _given(query, "catalog_name"), _given(query, "schema_name")
        self._require_visible([catalog, schema])
        size = _page_size(query)
        page = self.metastore.page(catalog, schema, query.get("page_token", ""), size)
        following = page[-1]["name"] if len(page) == size else None
        shown = [info for info in page if f"{catalog}.{schema}.{info['name']}" not in self.hidden]
        return 200, {"tables": shown, "next_page_token": following}

    def _config(self, _names: list[str], query: dict[str, str], _body: Any) -> Answer:
        catalog = query.get("catalog", "")
        if not catalog:
            message = "Must supply a proper catalog in catalog parameter."
            raise invalid(message)
        _given(query, "protocol-versions")
        self._require_visible([catalog])
        if catalog not in self.metastore.catalogs:
            absent = missing(catalog, kind="Catalog")
            raise Refused(absent.status, absent.code, absent.message, by_authorizer=self._token is not None)
        return 200, {"endpoints": list(ENDPOINTS), "protocol-version": "1.0"}

    def _update(self, names: list[str], _query: dict[str, str], body: Any) -> Answer:
        self._require_none_of(self.read_only, names)
        self._updates += 1
        if self.deadlocks and self._updates % self.deadlocks == 0:
            raise deadlock(_named(names))
        return 200, self.metastore.update_table(_named(names), body)

    def _vend(self, _names: list[str], _query: dict[str, str], body: Any) -> Answer:
        if body.get("operation") not in _OPERATIONS:
            message = f"Unexpected value '{body.get('operation')}'"
            raise unparsed(message)
        known = {info["table_id"]: info["storage_location"] for info in self.metastore.tables.values()}
        location = known.get(body["table_id"])
        if location is not None and location.startswith("file:"):
            return 200, {**dict.fromkeys(_CREDENTIALS), "url": location}
        if location is None:
            raise missing(body["table_id"], kind="Table")
        if self.credentials is None:
            message = f"{_STORES.get(urlsplit(location).scheme, 'S3')} bucket configuration not found."
            raise Refused(400, "FAILED_PRECONDITION", message)
        return 200, self.credentials


_STORES = {"abfss": "Azure", "abfs": "Azure", "gs": "GCS"}
_OPERATIONS = ("READ", "READ_WRITE")
_CREDENTIALS = ("aws_temp_credentials", "azure_user_delegation_sas", "gcp_oauth_token", "expiration_time")


def _given(query: dict[str, str], key: str) -> str:
    """Return a parameter that a call has to have."""
    if not query.get(key):
        message = f"Mandatory parameter/header is missing: {key}"
        raise invalid(message)
    return query[key]


def _page_size(query: dict[str, str]) -> int:
    """Return how many entries a page has: those that a call wants, at most :data:`PAGE`, which 0 asks for, too."""
    try:
        size = int(query.get("max_results") or 0)
    except ValueError as error:
        message = f'For input string: "{query["max_results"]}"'
        raise invalid(message) from error
    if size < 0:
        message = "maxResults must be greater than or equal to 0"
        raise invalid(message)
    return min(size or PAGE, PAGE)


def _page(key: str, known: dict[str, Any], query: dict[str, str]) -> dict[str, Any]:
    """Return the page of a listing that follows a name, by name and with at most :data:`PAGE` of them."""
    size = _page_size(query)
    names = sorted(name for name in known if name > query.get("page_token", ""))[:size]
    return {key: [known[name] for name in names], "next_page_token": names[-1] if len(names) == size else None}


def _parsed(sent: bytes) -> Any:
    try:
        return json.loads(sent) if sent else None
    except ValueError as error:
        raise unparsed(str(error)) from error


def _named(names: list[str]) -> str:
    return ".".join(names)


def _forgotten(double: UnityDouble, names: list[str]) -> Answer:
    double.metastore.delete_table(three_parts(names[0]))
    return 200, "200 OK"


def _dropped(drop: Callable[[str], None], names: list[str]) -> Answer:
    drop(names[0])
    return 200, {}


def _staged(double: UnityDouble, names: list[str], body: Any) -> Answer:
    name = (body or {}).get("name") or ""
    if not name.strip():
        message = "Staging table name is required."
        raise invalid(message)
    made = double.metastore.stage({"catalog_name": names[0], "schema_name": names[1], "name": name})
    return 200, {"table-id": made["id"], "table-type": "MANAGED", "location": made["staging_location"]}


def _renamed(double: UnityDouble, names: list[str], body: Any) -> Answer:
    double.metastore.rename_table(_named(names), body["new-name"])
    return 204, ""


def _patched(known: dict[str, Any], body: Any) -> Answer:
    known.update(body)
    return 200, known


def _exists(double: UnityDouble, names: list[str]) -> Answer:
    double.metastore.table(_named(names), delta=True)
    return 204, ""


_ROUTES: tuple[tuple[str, str, Callable[[UnityDouble, list[str], dict[str, str], Any], Answer]], ...] = (
    ("GET", "/catalogs", UnityDouble._catalogs),
    ("POST", "/catalogs", lambda d, _n, _q, body: (200, d.metastore.create_catalog(body))),
    ("GET", "/catalogs/([^/]+)", lambda d, n, _q, _b: (200, d.metastore.catalog(n[0]))),
    ("PATCH", "/catalogs/([^/]+)", lambda d, n, _q, body: _patched(d.metastore.catalog(n[0]), body)),
    ("DELETE", "/catalogs/([^/]+)", lambda d, n, _q, _b: _dropped(d.metastore.delete_catalog, n)),
    ("GET", "/schemas", UnityDouble._schemas),
    ("POST", "/schemas", lambda d, _n, _q, body: (200, d.metastore.create_schema(body))),
    ("GET", "/schemas/([^/]+)", lambda d, n, _q, _b: (200, d.metastore.schema(n[0]))),
    ("PATCH", "/schemas/([^/]+)", lambda d, n, _q, body: _patched(d.metastore.schema(n[0]), body)),
    ("DELETE", "/schemas/([^/]+)", lambda d, n, _q, _b: _dropped(d.metastore.delete_schema, n)),
    ("GET", "/tables", UnityDouble._tables),
    ("POST", "/tables", lambda d, _n, _q, body: (200, d.metastore.create_table(body))),
    ("GET", "/tables/([^/]+)", lambda d, n, _q, _b: (200, d.metastore.table(three_parts(n[0])))),
    ("DELETE", "/tables/([^/]+)", lambda d, n, _q, _b: _forgotten(d, n)),
    ("POST", "/staging-tables", lambda d, _n, _q, body: (200, d.metastore.stage(body))),
    ("POST", "/temporary-table-credentials", UnityDouble._vend),
    ("GET", f"{_DELTA}/config", UnityDouble._config),
    ("POST", f"{_PLACE}/staging-tables", lambda d, n, _q, body: _staged(d, n, body)),
    ("GET", _TABLE, lambda d, n, _q, _b: (200, d.metastore.table(_named(n), delta=True))),
    ("HEAD", _TABLE, lambda d, n, _q, _b: _exists(d, n)),
    ("POST", _TABLE, UnityDouble._update),
    ("POST", f"{_TABLE}/rename", lambda d, n, _q, body: _renamed(d, n, body)),
)
