"""A Unity Catalog whose tables Spark creates and registers, as the server's own connector does.

So the suite of all backends plays against any server that reaches the folder of the tests, the double or a real one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

from pytest_delta_schema import UnityCatalog
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.unity import Secret, UnityClient
from pytest_delta_schema.backends.unity.client import API_ROOT
from pytest_delta_schema.sql.statement import StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.sql import Statement

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
    """The backend, and the calls of a connector.

    Args:
        uri: The server.
        token: The principal's, if the server wants one.
        spark: The session whose tables lie in ``warehouse``.
        warehouse: Where the tables lie.
    """

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
