"""The REST API of a Unity Catalog server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from pytest_delta_schema.backends.unity.calls import ROOT, Calls, ServerError
from pytest_delta_schema.backends.unity.deadline import Deadline
from pytest_delta_schema.backends.unity.secret import bearer_token
from pytest_delta_schema.redaction import Uri

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from msgspec import Raw

    from pytest_delta_schema.backends.unity.answers import (
        CatalogInfo,
        DeltaTable,
        Page,
        SchemaInfo,
        TableInfo,
        VendedCredentials,
    )
    from pytest_delta_schema.backends.unity.calls import Answered
    from pytest_delta_schema.backends.unity.secret import Secret
    from pytest_delta_schema.models.names import QualifiedName

__all__ = ["ROOT", "ServerError", "UnityClient"]

_T = TypeVar("_T")
_P = TypeVar("_P", bound="Page")

DELTA = "/delta/v1"

_NOT_FOUND = 404
_PAGE = 100
_PAGES = 10_000
"""Pages of a listing that are read at most."""


class UnityClient:
    """Calls the REST API of one server; safe to share between threads.

    Args:
        uri: Where the server is, such as ``https://unity.example.com``.
        token: Sent as a bearer token; ``None`` for servers that ask for none. White space at its ends is no part of it.
        timeout: Seconds that a call may take as a whole; one page of a listing is one call.

    Raises:
        BackendUnavailableError: If ``uri`` is none, the token cannot be sent, or the extra is not installed.
    """

    def __init__(self, uri: str | Uri, token: Secret | None = None, timeout: float = 30.0) -> None:
        uri = uri if isinstance(uri, Uri) else Uri(uri)
        self._calls = Calls(uri, bearer_token(token), timeout)
        self._delta_api: dict[str, bool] = {}

    @property
    def uri(self) -> str:
        """Where the server is, without a slash at the end."""
        return self._calls.uri

    def close(self) -> None:
        """Close the connections."""
        self._calls.close()

    def scrub(self, text: str) -> str:
        """Take the token, and what URIs hold of secrets, out of a text that somebody else has written."""
        return self._calls.scrub(text)

    def deadline(self) -> Deadline:
        """Begin the time that one call may take, to share it among several: their parameter ``within``."""
        return Deadline(self._calls.timeout)

    def table(self, name: QualifiedName, within: Deadline | None = None) -> TableInfo:
        """Return the record of a table."""
        from pytest_delta_schema.backends.unity.answers import TableInfo

        answered = self._calls.read(f"/tables/{_part(str(name.written))}", within=within)
        info = self._decoded(TableInfo, answered)
        self._require_named(answered, name, (info["catalog_name"], info["schema_name"], info["name"]))
        return info

    def tables(self, catalog: str, schema: str) -> Iterator[TableInfo]:
        """Yield the records of all tables in a schema that the principal may see, a page at a time.

        Raises:
            ServerError: If the server does not answer, or its pages have no end; or in the end, behind all others, if
                a record makes no sense.
        """
        from pytest_delta_schema.backends.unity.answers import TableInfo, TablePage

        fault: ServerError | None = None
        where = {"catalog_name": catalog, "schema_name": schema}
        for answered, page in self._pages(TablePage, "/tables", where):
            for record in page["tables"]:
                try:
                    info = self._decoded(TableInfo, answered, record)
                except ServerError as error:
                    fault = fault or error
                else:
                    yield info
        if fault is not None:
            raise fault

    def catalogs(self) -> tuple[str, ...]:
        """Return the names of all catalogs that the principal may see, as they are stored."""
        from pytest_delta_schema.backends.unity.answers import CatalogPage

        pages = self._pages(CatalogPage, "/catalogs", {})
        return tuple(info["name"] for _, page in pages for info in page["catalogs"])

    def schemas(self, catalog: str) -> tuple[str, ...]:
        """Return the names of all schemas of a catalog that the principal may see, as they are stored."""
        from pytest_delta_schema.backends.unity.answers import SchemaPage

        pages = self._pages(SchemaPage, "/schemas", {"catalog_name": catalog})
        return tuple(info["name"] for _, page in pages for info in page["schemas"])

    def schema(self, catalog: str, schema: str) -> SchemaInfo:
        """Return what the server says of a schema."""
        from pytest_delta_schema.backends.unity.answers import SchemaInfo

        answered = self._calls.read(f"/schemas/{_part(f'{catalog}.{schema}')}")
        info = self._decoded(SchemaInfo, answered)
        self._require_named(answered, (catalog, schema), (info["catalog_name"], info["name"]))
        return info

    def catalog(self, catalog: str) -> CatalogInfo:
        """Return what the server says of a catalog."""
        from pytest_delta_schema.backends.unity.answers import CatalogInfo

        answered = self._calls.read(f"/catalogs/{_part(catalog)}")
        info = self._decoded(CatalogInfo, answered)
        self._require_named(answered, (catalog,), (info["name"],))
        return info

    def delta_table(self, name: QualifiedName, within: Deadline | None = None) -> DeltaTable:
        """Return a table as the server's Delta API shows it."""
        from pytest_delta_schema.backends.unity.answers import DeltaTable

        return self._decoded(DeltaTable, self._calls.read(_delta_path(name), within=within))

    def has_delta_api(self, catalog: str) -> bool:
        """Whether the server can update records of Delta tables in a catalog.

        It cannot if it has no such endpoint, which its own HTTP server says in the form of neither API, although the
        catalog is there.

        Raises:
            ServerError: If it does not answer, or shows no such catalog.
        """
        known = self._delta_api.get(catalog)
        if known is None:
            known = self._delta_api[catalog] = self._find_delta_api(catalog)
        return known

    def _find_delta_api(self, catalog: str) -> bool:
        from pytest_delta_schema.backends.unity.answers import DeltaConfig

        query = {"catalog": catalog, "protocol-versions": "1.0"}
        try:
            self._decoded(DeltaConfig, self._calls.read(f"{DELTA}/config", query))
        except ServerError as error:
            if error.status != _NOT_FOUND or error.is_of_api:
                raise
        else:
            return True
        self.catalog(catalog)
        return False

    def update_table(self, name: QualifiedName, body: dict[str, Any], within: Deadline | None = None) -> None:
        """Update the record of a table, all of it or nothing; never tried twice.

        An answer proves nothing, whatever it says: read the record again.
        """
        self._calls.write("POST", _delta_path(name), body, within)

    def delete_table(self, name: QualifiedName) -> None:
        """Delete the record of a table; of an external one the files stay."""
        self._calls.write("DELETE", f"/tables/{_part(str(name.written))}")

    def create_table(self, body: dict[str, Any]) -> None:
        """Make the record of a table that is there already; read it again, as with an update."""
        self._calls.write("POST", "/tables", body)

    def credentials(self, table_id: str) -> VendedCredentials:
        """Return credentials for the files of a table, which are good for a while."""
        from pytest_delta_schema.backends.unity.answers import VendedCredentials

        asked = {"table_id": table_id, "operation": "READ"}
        answered = self._calls.write("POST", "/temporary-table-credentials", asked)
        vended = self._decoded(VendedCredentials, answered)
        if not vended:
            raise self._calls.foreign(answered, "it has no kind of credentials")
        return vended

    def _pages(self, kind: type[_P], path: str, query: dict[str, Any]) -> Iterator[tuple[Answered, _P]]:
        """Yield the pages of a listing.

        Raises:
            ServerError: If the server does not answer, or its pages have no end.
        """
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

    def _decoded(self, kind: type[_T], answered: Answered, part: bytes | Raw | None = None) -> _T:
        """Decode an answer, or a part of it.

        Raises:
            ServerError: If it is something else.
        """
        from pytest_delta_schema.backends.unity.answers import decoded, scrubbed

        body = answered.body if part is None else part
        try:
            value = decoded(kind, body)
            return scrubbed(value, self._calls.scrub_token) if self._calls.may_repeat_token(bytes(body)) else value
        except ValueError as error:
            fault = str(error)
        raise self._calls.foreign(answered, fault)

    def _require_named(self, answered: Answered, asked: Sequence[str], told: Sequence[str]) -> None:
        """Make sure that an answer is about what was asked for; servers may spell names in another case."""
        if [part.lower() for part in asked] != [part.lower() for part in told]:
            raise self._calls.foreign(answered, f"it is about {'.'.join(told)}")


def _part(text: str) -> str:
    return quote(text, safe="")


def _delta_path(name: QualifiedName) -> str:
    catalog, schema, table = map(_part, name.written)
    return f"{DELTA}/catalogs/{catalog}/schemas/{schema}/tables/{table}"
