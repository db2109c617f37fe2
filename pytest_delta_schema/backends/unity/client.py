"""The types of decoded answers of a server; the keys that nothing uses are left out (Unity Catalog 0.6.0).

This module does without msgspec, so the backend can be imported where its extra is not installed.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar
from urllib.parse import quote

from pytest_delta_schema.backends.secret import bearer_token
from pytest_delta_schema.backends.unity.http import API_ROOT, Calls, Deadline, ServerError
from pytest_delta_schema.delta.names import same_names
from pytest_delta_schema.diagnostics.redaction import Uri

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from msgspec import Raw

    from pytest_delta_schema.backends.secret import Secret
    from pytest_delta_schema.backends.unity.http import Response
    from pytest_delta_schema.models.names import QualifiedName


__all__ = ["API_ROOT", "ServerError", "UnityClient"]


class CatalogInfo(TypedDict):
    """A catalog."""

    name: str


class SchemaInfo(CatalogInfo):
    """A schema."""

    catalog_name: str


class ColumnInfo(CatalogInfo, total=False):
    """A column of an entry."""

    type_text: str | None
    type_json: str | None
    type_name: str | None
    type_precision: int | None
    type_scale: int | None
    position: int | None
    nullable: bool | None
    comment: str | None
    partition_index: int | None


class _TableName(SchemaInfo):
    schema_name: str
    table_type: str


class TableInfo(_TableName, total=False):
    """The catalog entry of a table."""

    data_source_format: str | None
    storage_location: str | None
    table_id: str | None
    owner: str | None
    comment: str | None
    columns: list[ColumnInfo] | None
    properties: dict[str, str] | None


class Page(TypedDict, total=False):
    """One page of any listing."""

    next_page_token: str | None


class _Catalogs(TypedDict):
    catalogs: list[CatalogInfo]


class CatalogPage(_Catalogs, Page):
    """One page of catalogs."""


class _Schemas(TypedDict):
    schemas: list[CatalogInfo]


class SchemaPage(_Schemas, Page):
    """One page of schemas."""


class _AwsCredentials(TypedDict, total=False):
    access_key_id: str | None
    secret_access_key: str | None
    session_token: str | None


class _AzureCredentials(TypedDict, total=False):
    sas_token: str | None


class _GcpCredentials(TypedDict, total=False):
    oauth_token: str | None


class VendedCredentials(TypedDict, total=False):
    """Credentials for the files of a table; empty for local files."""

    aws_temp_credentials: _AwsCredentials | None
    azure_user_delegation_sas: _AzureCredentials | None
    gcp_oauth_token: _GcpCredentials | None
    expiration_time: int | None
    url: str | None


class DeltaConfig(TypedDict):
    """The capabilities of a server's Delta API."""

    endpoints: list[str]


_DeltaColumns = TypedDict(
    "_DeltaColumns", {"etag": str, "table-uuid": str, "columns": dict[str, Any], "properties": dict[str, str]}
)
_DeltaVersion = TypedDict(
    "_DeltaVersion", {"partition-columns": list[str] | None, "last-commit-version": int | None}, total=False
)


class DeltaMetadata(_DeltaColumns, _DeltaVersion):
    """The metadata of a table in the Delta API."""


class _DeltaTable(TypedDict):
    metadata: DeltaMetadata


_LatestVersion = TypedDict("_LatestVersion", {"latest-table-version": int | None}, total=False)


class DeltaTable(_DeltaTable, _LatestVersion):
    """A table in the Delta API."""


_T = TypeVar("_T")
_P = TypeVar("_P", bound="Page")

DELTA_PATH = "/delta/v1"

_NOT_FOUND = 404
_PAGE = 100
_PAGES = 10_000
"""The largest number of pages of a listing."""


class UnityClient:
    """Calls the REST API of one server; safe to share between threads.

    Args:
        uri: The address of the server, such as ``https://unity.example.com``.
        token: The bearer token; ``None`` for servers without authentication. White space at its ends is removed.
        timeout: The time limit of a whole call in seconds; one page of a listing is one call.

    Raises:
        BackendUnavailableError: If ``uri`` is not an address, the token cannot be sent, or the extra is not installed.
    """

    def __init__(self, uri: str | Uri, *, token: Secret | None = None, timeout: float = 30.0) -> None:
        uri = uri if isinstance(uri, Uri) else Uri(uri)
        self._calls = Calls(uri, bearer_token(token), timeout)
        self._delta_api: dict[str, bool] = {}
        self._lock = Lock()
        from pytest_delta_schema.backends.unity.answers import prepare_answer_types

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
        """Return the catalog entry of a table, by its stored name.

        Raises:
            ServerError: If the server has no such entry, or does not answer.
        """
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
        from pytest_delta_schema.backends.unity.answers import TablePage

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

        Raises:
            ServerError: If the server has no such schema, or does not answer.
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
        """Return a table by the server's Delta API and its stored name.

        Raises:
            ServerError: If the server has no such table, or does not answer.
        """
        return self._decoded(DeltaTable, self._calls.read(_delta_path(name)))

    def has_delta_api(self, catalog: str) -> bool:
        """Whether the server can update catalog entries of Delta tables in a catalog.

        It cannot if it has no such endpoint: then it answers 404 with an error of neither API, although the catalog
        exists.

        Raises:
            ServerError: If it does not answer, or does not show the catalog.
        """
        with self._lock:  # so that threads do not all send the same call
            known = self._delta_api.get(catalog)
            if known is None:
                known = self._delta_api[catalog] = self._find_delta_api(catalog)
            return known

    def _find_delta_api(self, catalog: str) -> bool:
        query = {"catalog": catalog, "protocol-versions": "1.0"}
        try:
            self._decoded(DeltaConfig, self._calls.read(f"{DELTA_PATH}/config", query))
        except ServerError as error:
            if error.status != _NOT_FOUND or error.is_of_api:
                raise
        else:
            return True
        self.catalog(catalog)
        return False

    def update_table(self, name: QualifiedName, body: dict[str, Any]) -> None:
        """Update the catalog entry of a table as a whole; never repeated.

        The answer does not prove the update: read the entry again.

        Args:
            name: The stored name of the table.
            body: The requirements and updates of the Delta API, as values of JSON.

        Raises:
            ServerError: If the server refuses the update, or does not answer.
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
        from pytest_delta_schema.backends.unity.answers import decoded_answer, scrubbed

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
