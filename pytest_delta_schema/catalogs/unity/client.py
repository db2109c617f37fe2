"""HTTP to a Unity Catalog server: time limits, bounded retries of reads, and answers that are checked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from pytest_delta_schema.errors import BackendError, BackendFailure, because

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.catalogs.unity.secret import Secret
    from pytest_delta_schema.models.names import QualifiedName

ROOT = "/api/2.1/unity-catalog"
DELTA = "/delta/v1"

_TRIES = 3
_PAUSE = 0.2
"""Seconds before the second try; twice as long before each further one."""

_TIMEOUT, _UNREACHABLE = "TIMEOUT", "UNREACHABLE"

_AGAIN = (429, 500, 502, 503, 504)
_PAGE = 100

_REMEDIES = {
    401: "give a valid token",
    403: "give the principal of the token the permission",
    500: "look into the server's log",
}


class ServerFailure(BackendFailure):
    """What a server answered instead of what it was asked for.

    Args:
        text: Which call, and the server's own words.
        status: The HTTP status; ``None`` if no answer came.
        condition: The server's name for it, such as ``TABLE_NOT_FOUND``.
    """

    def __init__(self, text: str, *, status: int | None, condition: str = "") -> None:
        self.status = status
        super().__init__(text, condition=condition)

    @property
    def is_not_found(self) -> bool:
        """Whether the server says that the thing does not exist, which is another answer than hiding it."""
        return self.status == 404  # noqa: PLR2004 - HTTP's own number


class UnityClient:
    """Calls the REST API of one server; safe to share between threads.

    Args:
        uri: Where the server is, such as ``https://unity.example.com``.
        token: Sent as a bearer token; ``None`` for servers that ask for none.
        timeout: Seconds that connecting, and each wait for an answer, may take.

    Raises:
        BackendError: If ``uri`` is none, or the extra is not installed.
    """

    def __init__(self, uri: str, token: Secret | None = None, timeout: float = 30.0) -> None:
        self.uri = _checked(uri)
        self._token = token
        self._timeout = timeout
        self._http = _http(self.uri, token, timeout)
        self._silence: ServerFailure | None = None
        self._delta_api: bool | None = None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def table(self, name: QualifiedName) -> dict[str, Any]:
        """Return the record of a table."""
        return self._read(f"/tables/{_part(str(name))}")

    def tables(self, catalog: str, schema: str) -> Iterator[dict[str, Any]]:
        """Yield the records of all tables in a schema that the principal may see, a page at a time."""
        where: dict[str, Any] = {"catalog_name": catalog, "schema_name": schema, "max_results": _PAGE}
        token = ""
        while True:
            page = self._read("/tables", {**where, **({"page_token": token} if token else {})})
            yield from page.get("tables") or ()
            following = page.get("next_page_token") or ""
            if not following or following == token:
                return
            token = following

    def schema(self, catalog: str, schema: str) -> dict[str, Any]:
        """Return what the server says of a schema."""
        return self._read(f"/schemas/{_part(f'{catalog}.{schema}')}")

    def catalog(self, catalog: str) -> dict[str, Any]:
        """Return what the server says of a catalog."""
        return self._read(f"/catalogs/{_part(catalog)}")

    def delta_table(self, name: QualifiedName) -> dict[str, Any]:
        """Return a table as the server's Delta API shows it."""
        return self._read(_delta_path(name))

    def has_delta_api(self, catalog: str) -> bool:
        """Whether the server can update records of Delta tables."""
        if self._delta_api is None:
            try:
                self._read(f"{DELTA}/config", {"catalog": catalog, "protocol-versions": "1.0"})
            except ServerFailure as error:
                if not error.is_not_found:
                    raise
                self._delta_api = False
            else:
                self._delta_api = True
        return self._delta_api

    def update_table(self, name: QualifiedName, body: dict[str, Any]) -> None:
        """Update the record of a table, all of it or nothing; never tried twice."""
        self._answer(self._call("POST", _delta_path(name), body=body))

    def delete_table(self, name: QualifiedName) -> None:
        """Delete the record of a table; of an external one the files stay."""
        self._answer(self._call("DELETE", f"/tables/{_part(str(name))}"), is_json=False)

    def create_table(self, body: dict[str, Any]) -> None:
        """Make the record of a table that is there already."""
        self._answer(self._call("POST", "/tables", body=body))

    def credentials(self, table_id: str) -> dict[str, Any]:
        """Return credentials for the files of a table, which are good for a while."""
        asked = {"table_id": table_id, "operation": "READ"}
        return self._answer(self._call("POST", "/temporary-table-credentials", body=asked))

    def _read(self, path: str, query: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask for something, again after a pause if the server stumbles: asking changes nothing."""
        if self._silence is not None:
            raise self._silence
        for number in range(_TRIES - 1):
            try:
                return self._answer(self._call("GET", path, query=query))
            except ServerFailure as error:
                if error.status is not None and error.status not in _AGAIN:
                    raise
            time.sleep(_PAUSE * 2**number)
        try:
            return self._answer(self._call("GET", path, query=query))
        except ServerFailure as error:
            # A server that does not answer would be waited for once more by every table.
            self._silence = error if error.condition in (_TIMEOUT, _UNREACHABLE) else None
            raise

    def _call(self, method: str, path: str, *, query: dict[str, Any] | None = None, body: Any = None) -> Any:
        import httpx

        try:
            return self._http.request(method, f"{ROOT}{path}", params=query, json=body)
        except httpx.TimeoutException as error:
            msg = f"the server at {self.uri} did not answer {method} {path} within {self._timeout:g} s"
            text = f"{msg}; see whether it is alive"
            raise ServerFailure(text, status=None, condition=_TIMEOUT) from error
        except httpx.HTTPError as error:
            said = self._scrub(because(error))
            msg = f"the server at {self.uri} cannot be reached ({said}); see whether it runs, and delta_unity_uri"
            raise ServerFailure(msg, status=None, condition=_UNREACHABLE) from error

    def _answer(self, response: Any, *, is_json: bool = True) -> dict[str, Any]:
        """Return what was answered.

        Raises:
            ServerFailure: If it is an error, or nothing that can be read.
        """
        call = f"{response.request.method} {response.request.url.path.removeprefix(ROOT)}"
        if response.is_error:
            code, message = map(self._scrub, _error(response))
            remedy = _REMEDIES.get(response.status_code, "")
            text = f"{call} on {self.uri}: {response.status_code} {code}: {message}{f'; {remedy}' if remedy else ''}"
            raise ServerFailure(text, status=response.status_code, condition=code)
        if not is_json or not response.content:
            return {}
        try:
            value = response.json()
        except ValueError:
            value = None
        if not isinstance(value, dict):
            text = f"{call} on {self.uri}: the answer is no JSON object, or was cut off; see what stands between"
            raise ServerFailure(text, status=None, condition="NO_JSON")
        return value

    def _scrub(self, text: str) -> str:
        return text if self._token is None else self._token.scrub(text)


def _checked(uri: str) -> str:
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError as error:
        msg = f"delta_unity_uri is {uri!r}, which is no address ({error}); write it as in https://unity.example.com"
        raise BackendError(msg) from error
    if parts.username is not None or parts.password is not None:
        place = f"{parts.scheme}://{parts.hostname}{'' if port is None else f':{port}'}"
        msg = f"delta_unity_uri has a user or a password in it, at {place}; keep secrets out of it, and give a token"
        raise BackendError(msg)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        msg = f"delta_unity_uri is {uri!r}, which is no address; write it as in https://unity.example.com"
        raise BackendError(msg)
    return uri.rstrip("/").removesuffix(ROOT)


def _http(uri: str, token: Secret | None, timeout: float) -> Any:
    try:
        import httpx
    except ImportError as error:
        msg = "the unity backend needs httpx, which is not installed; pip install 'pytest-delta-schema[unity]'"
        raise BackendError(msg) from error

    def authorized(request: httpx.Request) -> httpx.Request:
        if token is not None:
            request.headers["Authorization"] = f"Bearer {token.reveal()}"
        return request

    return httpx.Client(base_url=uri, timeout=timeout, headers={"Accept": "application/json"}, auth=authorized)


def _part(text: str) -> str:
    return quote(text, safe="")


def _delta_path(name: QualifiedName) -> str:
    catalog, schema, table = map(_part, name)
    return f"{DELTA}/catalogs/{catalog}/schemas/{schema}/tables/{table}"


def _error(response: Any) -> tuple[str, str]:
    """Take an error apart: the classic form, that of the Delta API, or whatever stands in between."""
    try:
        body = response.json()
        inner = body.get("error")
        if isinstance(inner, dict):
            return str(inner.get("type") or ""), str(inner.get("message") or "")
        return str(body.get("error_code") or ""), str(body.get("message") or "")
    except (ValueError, AttributeError):
        return "", response.reason_phrase
