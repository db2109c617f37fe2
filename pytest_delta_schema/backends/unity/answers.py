"""The types of decoded answers of a server; the keys that nothing uses are left out (Unity Catalog 0.6.0).

This module does without msgspec, so the backend can be imported where its extra is not installed.
"""

from __future__ import annotations

from typing import Any, TypedDict


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


class _Endpoints(TypedDict):
    endpoints: list[str]


_Protocol = TypedDict("_Protocol", {"protocol-version": str}, total=False)


class DeltaConfig(_Endpoints, _Protocol):
    """The capabilities of a server's Delta API."""


DeltaTag = TypedDict("DeltaTag", {"etag": str, "table-uuid": str})
"""What an update asserts of a table."""


class TaggedTable(TypedDict):
    """A table in the Delta API, of which nothing else is decoded."""

    metadata: DeltaTag


class _DeltaColumns(DeltaTag):
    columns: dict[str, Any]
    properties: dict[str, str]


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
