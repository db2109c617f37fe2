"""The types of decoded answers of a server; the keys that nothing uses are left out (Unity Catalog 0.6.0).

This module does without msgspec, so the backend can be imported where its extra is not installed.
"""

from __future__ import annotations

import sys
from typing import Any, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired


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


class TableInfo(SchemaInfo):
    """The catalog entry of a table."""

    schema_name: str
    table_type: str
    data_source_format: NotRequired[str | None]
    storage_location: NotRequired[str | None]
    table_id: NotRequired[str | None]
    owner: NotRequired[str | None]
    comment: NotRequired[str | None]
    columns: NotRequired[list[ColumnInfo] | None]
    properties: NotRequired[dict[str, str] | None]


class Page(TypedDict):
    """One page of any listing."""

    next_page_token: NotRequired[str | None]


class CatalogPage(Page):
    """One page of catalogs."""

    catalogs: list[CatalogInfo]


class SchemaPage(Page):
    """One page of schemas."""

    schemas: list[CatalogInfo]


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


DeltaConfig = TypedDict("DeltaConfig", {"endpoints": list[str], "protocol-version": NotRequired[str]})
"""The capabilities of a server's Delta API."""

DeltaTag = TypedDict("DeltaTag", {"etag": str, "table-uuid": str})
"""What an update asserts of a table."""


class TaggedTable(TypedDict):
    """A table in the Delta API, of which nothing else is decoded."""

    metadata: DeltaTag


DeltaMetadata = TypedDict(
    "DeltaMetadata",
    {
        "etag": str,
        "table-uuid": str,
        "columns": dict[str, Any],
        "properties": dict[str, str],
        "partition-columns": NotRequired[list[str] | None],
        "last-commit-version": NotRequired[int | None],
    },
)
"""The metadata of a table in the Delta API."""

DeltaTable = TypedDict("DeltaTable", {"metadata": DeltaMetadata, "latest-table-version": NotRequired[int | None]})
"""A table in the Delta API."""
