"""What the double knows: catalogs, schemas, and the records of tables."""

from __future__ import annotations

import json
import time
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.testing.unity.refusals import Refused, no_table
from pytest_delta_schema.testing.unity.updates import PARTS, updated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HIDDEN = "partition-columns"
"""Kept beside the columns, and shown by the Delta API only."""


class Records:
    """The state of the double.

    Args:
        store: A folder of tables, laid out as catalog, schema and table. A Delta log that appears in it counts as made
            through the Spark connector: its record is that of an external table, with a comment and without columns.
    """

    def __init__(self, store: Path | None = None) -> None:
        self.catalogs: dict[str, dict[str, Any]] = {}
        self.schemas: dict[str, dict[str, Any]] = {}
        self.tables: dict[str, dict[str, Any]] = {}
        self.etags: dict[str, str] = {}
        self._store = store
        self._clock = 0
        self._by_connector: set[str] = set()
        self._forgotten: set[str] = set()

    def look(self) -> None:
        """Take notice of what the connector has made and dropped in the store."""
        if self._store is None:
            return
        found = {f"{path.parts[-4]}.{path.parts[-3]}.{path.parts[-2]}": path for path in self._logs(self._store)}
        for name, log in found.items():
            if name not in self.tables and name not in self._forgotten:
                catalog, schema, table = name.split(".")
                self.catalogs.setdefault(catalog, {"name": catalog})
                if f"{catalog}.{schema}" not in self.schemas:
                    self.schemas[f"{catalog}.{schema}"] = {"name": schema, "catalog_name": catalog}
                    self._by_connector.add(f"{catalog}.{schema}")
                self._add(name, _registered(catalog, schema, table, log))
        self._forgotten &= found.keys()
        inside = self._store.as_uri()
        for name in [name for name, info in self.tables.items() if info["storage_location"].startswith(inside)]:
            if name not in found:
                del self.tables[name]
        for schema in [each for each in self._by_connector if not any(name.startswith(f"{each}.") for name in found)]:
            self._by_connector.remove(schema)
            self.schemas.pop(schema, None)

    def create_catalog(self, body: dict[str, Any]) -> dict[str, Any]:
        """Make a catalog."""
        return _made(self.catalogs, body["name"], body, "CATALOG_ALREADY_EXISTS")

    def create_schema(self, body: dict[str, Any]) -> dict[str, Any]:
        """Make a schema."""
        if body["catalog_name"] not in self.catalogs:
            raise Refused(404, "CATALOG_NOT_FOUND", f"Catalog not found: {body['catalog_name']}")
        return _made(self.schemas, f"{body['catalog_name']}.{body['name']}", body, "SCHEMA_ALREADY_EXISTS")

    def delete_schema(self, name: str) -> None:
        """Drop a schema that is empty."""
        self.schema(name)
        if any(table.startswith(f"{name}.") for table in self.tables):
            raise Refused(400, "FAILED_PRECONDITION", f"Cannot delete schema with tables: {name}")
        del self.schemas[name]

    def catalog(self, name: str) -> dict[str, Any]:
        """Return a catalog."""
        if name not in self.catalogs:
            raise Refused(404, "CATALOG_NOT_FOUND", f"Catalog not found: {name}")
        return self.catalogs[name]

    def schema(self, name: str) -> dict[str, Any]:
        """Return a schema."""
        if name not in self.schemas:
            raise Refused(404, "SCHEMA_NOT_FOUND", f"Schema not found: {name}")
        return self.schemas[name]

    def create_table(self, body: dict[str, Any]) -> dict[str, Any]:
        """Make a record."""
        name = f"{body['catalog_name']}.{body['schema_name']}.{body['name']}"
        self.schema(f"{body['catalog_name']}.{body['schema_name']}")
        if name in self.tables:
            raise Refused(400, "TABLE_ALREADY_EXISTS", f"Table already exists: {name}")
        if body.get("table_type") == "MANAGED":
            raise Refused(404, "TABLE_NOT_FOUND", "Staging table not found")
        return self._add(name, body)

    def table(self, name: str, *, delta: bool = False) -> dict[str, Any]:
        """Return a record, for one of the two APIs."""
        if name not in self.tables:
            raise no_table(name, delta=delta)
        info = self.tables[name]
        if not delta:
            return {key: value for key, value in info.items() if key != _HIDDEN}
        properties = info["properties"]
        last = properties.get("delta.lastUpdateVersion")
        metadata = {
            "etag": self.etags[name],
            "table-type": info["table_type"],
            "table-uuid": info["table_id"],
            "location": info["storage_location"],
            "created-time": info["created_at"],
            "updated-time": int(self.etags[name]),
            "columns": {"type": "struct", "fields": list(map(_field, info["columns"]))},
            "partition-columns": info[_HIDDEN],
            "properties": properties,
        }
        metadata["columns"] = _kebab(metadata["columns"])
        if last is not None:
            metadata["last-commit-version"] = int(last)
        return {"metadata": metadata, "commits": []}

    def in_schema(self, catalog: str, schema: str) -> list[dict[str, Any]]:
        """Return the records of a schema."""
        self.schema(f"{catalog}.{schema}")
        return [self.table(name) for name in sorted(self.tables) if name.startswith(f"{catalog}.{schema}.")]

    def update_table(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Update a record, all of it or nothing."""
        if name not in self.tables:
            raise no_table(name, delta=True)
        self.tables[name] = updated(self.tables[name], self.etags[name], body)
        self.etags[name] = self._tick()
        return self.table(name, delta=True)

    def rename_table(self, name: str, to: str) -> None:
        """Give a record another name."""
        info = self.tables.pop(name, None)
        if info is None:
            raise no_table(name, delta=True)
        place = ".".join((*name.split(".")[:2], to))
        self.tables[place] = {**info, "name": to}
        self.etags[place] = self._tick()

    def delete_table(self, name: str) -> None:
        """Forget a record; the files of an external table stay."""
        if self.tables.pop(name, None) is None:
            raise no_table(name)
        self._forgotten.add(name)

    def _add(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        parted = sorted(
            (column for column in body.get("columns") or () if column.get("partition_index") is not None),
            key=lambda column: column["partition_index"],
        )
        self.tables[name] = {
            "comment": None,
            "owner": None,
            **body,
            "columns": body.get("columns") or [],
            "properties": body.get("properties") or {},
            _HIDDEN: [column["name"] for column in parted],
            "table_id": body.get("table_id") or str(uuid.uuid4()),
            "created_at": int(time.time() * 1000),
        }
        self.etags[name] = self._tick()
        return self.table(name)

    def _tick(self) -> str:
        """Return the time in milliseconds, a later one each time."""
        self._clock = max(self._clock + 1, int(time.time() * 1000))
        return str(self._clock)

    @staticmethod
    def _logs(store: Path) -> Iterator[Path]:
        yield from (path for path in store.glob("*/*/*/_delta_log") if any(path.glob("*.json")))


def _made(some: dict[str, dict[str, Any]], name: str, body: dict[str, Any], taken: str) -> dict[str, Any]:
    if name in some:
        raise Refused(400, taken, f"{name} already exists")
    some[name] = dict(body)
    return some[name]


def _registered(catalog: str, schema: str, table: str, log: Path) -> dict[str, Any]:
    """Return the record that the connector makes of an external table."""
    comment = None
    with suppress(AttributeError, ValueError):
        actions = [json.loads(line) for line in min(log.glob("*.json")).read_text("utf-8").splitlines()]
        comment = next((each["metaData"].get("description") for each in actions if "metaData" in each), None)
    return {
        "name": table,
        "catalog_name": catalog,
        "schema_name": schema,
        "table_type": "EXTERNAL",
        "data_source_format": "DELTA",
        "storage_location": log.parent.as_uri(),
        "comment": comment,
    }


def _field(column: dict[str, Any]) -> dict[str, Any]:
    """Return a column as a field; some clients have sent the JSON of its type alone, or none."""
    said = json.loads(column["type_json"] or '"string"')
    if isinstance(said, dict) and "name" in said:
        return said
    return {"name": column["name"], "type": said, "nullable": column["nullable"], "metadata": {}}


_KEBAB = {camel: kebab for parts in PARTS.values() for kebab, camel in parts.items()}


def _kebab(value: Any) -> Any:
    """Write a type of Spark's JSON as the wire has it."""
    if not isinstance(value, dict):
        return value
    return {
        _KEBAB.get(key, key): [{**field, "type": _kebab(field["type"])} for field in part]
        if key == "fields"
        else _kebab(part)
        for key, part in value.items()
    }
