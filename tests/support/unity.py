"""A server's double with tables whose logs are written down, its catalog, and servers that are not there."""

from __future__ import annotations

import copy
import json
import random
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import httpx

from pytest_delta_schema import UnityCatalog
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.unity import UnityClient
from pytest_delta_schema.backends.unity.connection import API_ROOT
from pytest_delta_schema.backends.unity.transport import HttpAnswer
from pytest_delta_schema.plan import entry_differences
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.testing.unity import UnityDouble
from support.logs import delta_log, field
from support.models import NAME, column, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.sql import Statement


MODEL = table(column())
OTHER = table(column(), name="dev.silver.other")
MIXED = table(column(), name="dev.silver.mixed")


class Lake:
    """A server and its tables."""

    def __init__(self, folder: Path, server: UnityDouble, catalog: UnityCatalog) -> None:
        self.folder = folder
        self.server = server
        self.catalog = catalog

    def table(self, name: str = "dev.silver.orders", *fields: dict[str, Any], **options: Any) -> Path:
        """Make a table of one commit, as Spark would have."""
        return delta_log(self.folder.joinpath(*name.split(".")), *(fields or (field("id"),)), **options)

    def state(self, *models: Any) -> Any:
        """Read tables."""
        return self.catalog.snapshot(models or (MODEL,))

    def differences(self, name: Any = NAME) -> list[str]:
        """Return the differences between a catalog entry and its log."""
        state = self.state(table(column(), name=str(name)))
        return list(map(str, entry_differences(state.entries[name], state.logs[name])))

    def entry(self, name: str = "dev.silver.orders") -> dict[str, Any]:
        """Return the entry as the server keeps it."""
        return self.server.metastore.tables[name]

    def calls(self, method: str) -> list[str]:
        """Return the paths that were called by one method."""
        return [path for options, path in self.server.calls if options == method]


@contextmanager
def lake(folder: Path, *, token: str | None = None, timeout: float = 60, **how: Any) -> Iterator[Lake]:
    """Start a server over a folder of tables."""
    delta_api = how.pop("delta_api", True)
    server_token = how.pop("server_token", token)
    with UnityDouble(folder, token=server_token, delta_api=delta_api) as server:
        server.metastore.create_catalog({"name": "dev"})
        client = UnityClient(server.uri, token=Secret(token) if token else None, timeout=timeout)
        try:
            yield Lake(folder, server, UnityCatalog(client, read_threads=4, **how))
        finally:
            client.close()


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
    """The server, in the place of the client's transport."""

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


CONFLICT, NOT_FOUND = 409, 404


def connection(uri: str, token: str | None) -> httpx.Client:
    """Connect to a server's classic API, as a principal."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=f"{uri}{API_ROOT}", headers=headers, timeout=30)


def external_table(name: QualifiedName, folder: Path) -> dict[str, Any]:
    """Describe a table as the connector does, which registers no columns."""
    return {
        "name": name.table,
        "catalog_name": name.catalog,
        "schema_name": name.schema,
        "table_type": "EXTERNAL",
        "data_source_format": "DELTA",
        "storage_location": folder.as_uri(),
        "columns": [],
    }


class Registering(UnityCatalog):
    """The backend, and the calls of a connector."""

    def __init__(self, uri: str, token: str | None, spark: SparkSession, warehouse: Path) -> None:
        super().__init__(
            UnityClient(uri, token=Secret(token) if token else None), session=lambda: spark, read_threads=2
        )
        self._http = connection(self.client.uri, token)
        self._warehouse = warehouse

    def make_catalogs(self, names: Iterable[str]) -> None:
        """Make catalogs that are not there yet; those of others are left alone, and nothing is played."""
        for name in names:
            if self._http.get(f"/catalogs/{name}").status_code != NOT_FOUND:
                msg = f"the server has a catalog {name} already; give the tests a server of their own"
                raise RuntimeError(msg)
        for name in names:
            self._tell("/catalogs", {"name": name})

    def drop_catalogs(self, names: Iterable[str]) -> None:
        """Drop the catalogs of the tests, and leave."""
        for name in names:
            self._http.delete(f"/catalogs/{name}")
        self._http.close()
        self.client.close()

    def run(self, statement: Statement) -> None:
        """Run a statement, and register a new table."""
        super().run(statement)
        name = statement.table
        if statement.kind is StatementKind.CREATE_SCHEMA:
            self._tell("/schemas", {"name": name.schema, "catalog_name": name.catalog})
        if statement.kind is StatementKind.CREATE_TABLE:
            self._tell("/tables", external_table(name, table_folder(self._warehouse, name)))

    def create_schema(self, catalog: str, schema: str) -> None:
        """Make a schema on both sides."""
        super().create_schema(catalog, schema)
        self._tell("/schemas", {"name": schema, "catalog_name": catalog})

    def forget(self, catalog: str, schema: str) -> None:
        """Drop what the server knows of a schema, and leave its tables to Spark."""
        for name in self.table_names(catalog, schema):
            self.client.delete_table(name)
        self._http.delete(f"/schemas/{catalog}.{schema}")

    def _tell(self, path: str, body: dict[str, Any]) -> None:
        answer = self._http.post(path, json=body)
        if answer.status_code != CONFLICT and "ALREADY_EXISTS" not in answer.text:
            answer.raise_for_status()


def own_port() -> int:
    """Return a free port that no system assigns by itself, so nobody else gets it before it is used."""
    # Linux assigns ports from 32768 on, others from 49152 on.
    for port in random.sample(range(20_000, 30_000), 1_000):
        with suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port
    msg = "none of 1,000 ports is free"
    raise OSError(msg)
