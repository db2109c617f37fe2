"""A Unity Catalog server without a network: what it answers stands in a dictionary."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import UnityCatalog
from pytest_delta_schema.backends.unity import Secret, UnityClient
from pytest_delta_schema.backends.unity.client import API_ROOT
from pytest_delta_schema.backends.unity.transport import HttpAnswer
from support.logs import field

if TYPE_CHECKING:
    from pathlib import Path

TABLE, LISTING = "GET /tables/dev.silver.orders", "GET /tables"
SCHEMA, CATALOG = "GET /schemas/dev.silver", "GET /catalogs/dev"
DELTA, CONFIG = "GET /delta/v1/catalogs/dev/schemas/silver/tables/orders", "GET /delta/v1/config"
CREDENTIALS, UPDATE = "POST /temporary-table-credentials", "POST /delta/v1/catalogs/dev/schemas/silver/tables/orders"

NESTED = {
    "type": "array",
    "elementType": {"type": "struct", "fields": [field("x", "decimal(9,3)", comment="Inside")]},
    "containsNull": True,
}


def entry(location: Path | str, kind: str = "EXTERNAL") -> dict[str, Any]:
    """Write an entry as the classic API shows it."""
    columns = [
        {
            "name": "id",
            "type_text": "bigint",
            "type_json": json.dumps(field("id", "long", nullable=False)),
            "type_name": "LONG",
            "type_precision": None,
            "type_scale": None,
            "position": 0,
            "nullable": False,
            "comment": "Key",
            "partition_index": None,
        },
        {
            "name": "deep",
            "type_text": "array<struct<x:decimal(9,3)>>",
            "type_json": json.dumps(field("deep", NESTED)),
            "type_name": "ARRAY",
            "position": 1,
            "nullable": True,
        },
    ]
    return {
        "name": "orders",
        "catalog_name": "dev",
        "schema_name": "silver",
        "table_type": kind,
        "data_source_format": "DELTA",
        "storage_location": location if isinstance(location, str) else location.as_uri(),
        "table_id": "7c2a7c4e-0d6b-4a3a-9d4e-8f4f7d1c2b3a",
        "owner": "data-team",
        "comment": "All",
        "columns": columns,
        "properties": {
            "team": "x",
            "delta.lastUpdateVersion": "0",
            "clusteringColumns": '[["id"]]',
            **({"delta.feature.catalogManaged": "supported"} if kind == "MANAGED" else {}),
        },
        "created_at": 1_790_000_000_000,
    }


def delta_table() -> dict[str, Any]:
    """Write a table as the Delta API shows it."""
    nested = {
        "type": "array",
        "element-type": {
            "type": "map",
            "key-type": "string",
            "value-type": {"type": "struct", "fields": [field("x", "decimal(9,3)")]},
            "value-contains-null": False,
        },
        "contains-null": True,
    }
    metadata = {
        "etag": "etag-1",
        "table-uuid": "7c2a7c4e-0d6b-4a3a-9d4e-8f4f7d1c2b3a",
        "columns": {"type": "struct", "fields": [field("id", "long", comment="Key"), field("deep", nested)]},
        "partition-columns": ["id"],
        "properties": {"delta.minReaderVersion": "3", "clusteringColumns": '[["id"]]'},
        "last-commit-version": 7,
    }
    return {"metadata": metadata, "latest-table-version": 7}


class Playing:
    """The server, in the place of the client's transport.

    Args:
        location: Where the log of its one table is.
        kind: The kind of that table.
        token: The client's token.

    Attributes:
        answers: By method and path: a value for JSON, or bytes as they are sent, or a whole answer.
        calls: Every call so far.
    """

    proxy = None

    def __init__(self, location: Path | str, kind: str = "EXTERNAL", token: str = "") -> None:
        one = entry(location, kind)
        self.answers: dict[str, Any] = {
            TABLE: one,
            LISTING: {"tables": [one], "next_page_token": None},
            SCHEMA: {"name": "silver", "catalog_name": "dev"},
            CATALOG: {"name": "dev"},
            DELTA: delta_table(),
            CONFIG: {"endpoints": ["GET /v1/config"], "protocol-version": "1.0"},
            CREDENTIALS: {
                "aws_temp_credentials": {
                    "access_key_id": "AKIA-vended",
                    "secret_access_key": "b",
                    "session_token": "c",
                },
                "azure_user_delegation_sas": {"sas_token": "d"},
                "gcp_oauth_token": {"oauth_token": "e"},
                "expiration_time": 4_000_000_000_000,
                "url": "s3://lake/orders",
            },
        }
        self.calls: list[str] = []
        self.client = UnityClient("http://unity.invalid", token=Secret(token), timeout=5)
        self.client._calls._transport = self  # type: ignore[assignment]
        self.catalog = UnityCatalog(self.client, read_threads=1)

    def play(self, call: str, answer: Any) -> Any:
        """Answer one call otherwise, with a copy of what is given."""
        self.answers = {**self.answers, call: copy.deepcopy(answer)}

    def send(self, method: str, target: str, *_: object) -> HttpAnswer:
        """Answer a call."""
        call = f"{method} {target.removeprefix(API_ROOT).partition('?')[0]}"
        self.calls.append(call)
        played = self.answers.get(call, {"error_code": "TABLE_NOT_FOUND", "message": f"Table not found: {call}"})
        if isinstance(played, HttpAnswer):
            return played
        body = played if isinstance(played, bytes) else json.dumps(played).encode()
        return HttpAnswer(200 if call in self.answers else 404, "OK", "", body)

    def close(self) -> None:
        """Hang up."""
