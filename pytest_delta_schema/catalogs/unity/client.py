"""The REST API of a Unity Catalog server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_delta_schema.catalogs.unity.calls import ROOT, Calls, ServerFailure
from pytest_delta_schema.catalogs.unity.deadline import Deadline
from pytest_delta_schema.catalogs.unity.secret import bearer_token
from pytest_delta_schema.redaction import Uri

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.catalogs.unity.calls import Answered
    from pytest_delta_schema.catalogs.unity.secret import Secret
    from pytest_delta_schema.models.names import QualifiedName

__all__ = ["ROOT", "ServerFailure", "UnityClient"]

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
        BackendError: If ``uri`` is none, the token cannot be sent, or the extra is not installed.
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

    def deadline(self) -> Deadline:
        """Begin the time that one call may take, to share it among several: their parameter ``within``."""
        return Deadline(self._calls.timeout)

    def table(self, name: QualifiedName, within: Deadline | None = None) -> dict[str, Any]:
        """Return the record of a table."""
        return self._read(f"/tables/{_part(str(name.written))}", within=within)

    def tables(self, catalog: str, schema: str) -> Iterator[dict[str, Any]]:
        """Yield the records of all tables in a schema that the principal may see, a page at a time.

        Raises:
            ServerFailure: If the server does not answer, or its pages have no end.
        """
        where: dict[str, Any] = {"catalog_name": catalog, "schema_name": schema, "max_results": _PAGE}
        token = ""
        seen = {token}
        for _ in range(_PAGES):
            answered = self._calls.read("/tables", {**where, **({"page_token": token} if token else {})})
            page = self._object(answered)
            yield from page.get("tables") or ()
            token = page.get("next_page_token") or ""
            if not token:
                return
            if token in seen:
                raise self._calls.foreign(answered, "it names a page again that was read before")
            seen.add(token)
        raise self._calls.foreign(answered, f"there are more than {_PAGES} pages")

    def schema(self, catalog: str, schema: str) -> dict[str, Any]:
        """Return what the server says of a schema."""
        return self._read(f"/schemas/{_part(f'{catalog}.{schema}')}")

    def catalog(self, catalog: str) -> dict[str, Any]:
        """Return what the server says of a catalog."""
        return self._read(f"/catalogs/{_part(catalog)}")

    def delta_table(self, name: QualifiedName, within: Deadline | None = None) -> dict[str, Any]:
        """Return a table as the server's Delta API shows it."""
        return self._read(_delta_path(name), within=within)

    def has_delta_api(self, catalog: str) -> bool:
        """Whether the server can update records of Delta tables in a catalog.

        It cannot if it has no such endpoint, which its own HTTP server says in the form of neither API, although the
        catalog is there.

        Raises:
            ServerFailure: If it does not answer, or shows no such catalog.
        """
        known = self._delta_api.get(catalog)
        if known is None:
            known = self._delta_api[catalog] = self._find_delta_api(catalog)
        return known

    def _find_delta_api(self, catalog: str) -> bool:
        try:
            self._read(f"{DELTA}/config", {"catalog": catalog, "protocol-versions": "1.0"})
        except ServerFailure as error:
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

    def credentials(self, table_id: str) -> dict[str, Any]:
        """Return credentials for the files of a table, which are good for a while."""
        asked = {"table_id": table_id, "operation": "READ"}
        return self._object(self._calls.write("POST", "/temporary-table-credentials", asked))

    def _read(self, path: str, query: dict[str, Any] | None = None, within: Deadline | None = None) -> dict[str, Any]:
        return self._object(self._calls.read(path, query, within))

    def _object(self, answered: Answered) -> dict[str, Any]:
        from pytest_delta_schema.catalogs.unity.answers import json_object

        try:
            return json_object(answered.body)
        except ValueError as error:
            fault = str(error)
        raise self._calls.foreign(answered, fault)


def _part(text: str) -> str:
    return quote(text, safe="")


def _delta_path(name: QualifiedName) -> str:
    catalog, schema, table = map(_part, name.written)
    return f"{DELTA}/catalogs/{catalog}/schemas/{schema}/tables/{table}"
