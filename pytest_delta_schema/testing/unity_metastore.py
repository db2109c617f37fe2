"""The state of the server's double: catalogs, schemas and entries, and what the Spark connector makes of Delta logs."""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.testing.unity_tables import (
    INTERNAL,
    Refused,
    after_commit,
    check_classic,
    checked_properties,
    fields_of,
    invalid,
    missing,
    partitioning_of,
    require_comment,
    unparsed,
    updated,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.state.delta_log import LogFacts

_LOG = "_delta_log"


def schemas_in(store: Path) -> dict[str, list[os.DirEntry[str]]]:
    """Return the schemas of a folder, by their dotted names, with the folders of tables in each."""
    return {
        f"{catalog.name}.{schema.name}": _folders(schema) for catalog in _folders(store) for schema in _folders(catalog)
    }


def logs_in(schemas: Mapping[str, Iterable[os.DirEntry[str]]]) -> dict[str, Path]:
    """Return the Delta logs in folders of schemas by the dotted names of their tables."""
    return {
        f"{schema}.{table.name}": Path(table, _LOG)
        for schema, tables in schemas.items()
        for table in tables
        if _has_commit(table)
    }


def _folders(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    # Every call of the double looks at all tables, and paths would cost most of its time.
    try:
        with os.scandir(folder) as entries:
            return [entry for entry in entries if entry.is_dir()]
    except FileNotFoundError:
        return []


def _has_commit(table: os.DirEntry[str]) -> bool:
    try:
        return any(name.endswith(".json") for name in os.listdir(f"{table.path}/{_LOG}"))  # noqa: PTH208 - as above
    except (FileNotFoundError, NotADirectoryError):
        return False


def external_entry(catalog: str, schema: str, table: str, log: Path) -> dict[str, Any]:
    """Return the entry that the connector makes of an external table: a comment, and no columns."""
    comment = None
    with suppress(AttributeError, ValueError):
        actions = [json.loads(line) for line in min(log.glob("*.json")).read_text("utf-8").splitlines()]
        comment = next((action["metaData"].get("description") for action in actions if "metaData" in action), None)
    return {
        "name": table,
        "catalog_name": catalog,
        "schema_name": schema,
        "table_type": "EXTERNAL",
        "data_source_format": "DELTA",
        "storage_location": log.parent.as_uri(),
        "comment": comment,
    }


PAGE = 100
"""The largest number of tables on a page of a listing."""

_NAME = re.compile(r"[a-zA-Z0-9_@-]{1,255}")
_MANAGED, _METRIC_VIEW = "MANAGED", "METRIC_VIEW"
_FORMATS = ("DELTA", "CSV", "JSON", "AVRO", "PARQUET", "ORC", "TEXT")
_SCHEMES = ("file", "s3", "abfs", "abfss", "gs")
_DOTS = 2
_TAG = "etag-"
_LAST = {
    "last-commit-version": "delta.lastUpdateVersion",
    "last-commit-timestamp-ms": "delta.lastCommitTimestamp",
}


class Metastore:
    """The state of the double. Names are compared with their case, as the server compares them.

    The store is a folder of tables, laid out as catalog, schema and table. A Delta log that appears in it counts as
    made through the Spark connector: its entry is that of an external table, with a comment and without columns.
    """

    def __init__(self, store: Path | None = None) -> None:
        self.catalogs: dict[str, dict[str, Any]] = {}
        self.schemas: dict[str, dict[str, Any]] = {}
        self.tables: dict[str, dict[str, Any]] = {}
        self.etags: dict[str, str] = {}
        self.latest: dict[str, int] = {}
        self.commits: dict[str, list[dict[str, Any]]] = {}
        self._staged: dict[str, str] = {}
        self._store = store
        self._clock = 0
        self._by_connector: set[str] = set()
        self._forgotten: set[str] = set()

    def look(self) -> None:
        """Add the schemas and tables that the connector has made in the store, and remove those that it has dropped."""
        if self._store is None:
            return
        schemas = schemas_in(self._store)
        logs = logs_in(schemas)
        for name, log in logs.items():
            if name not in self.tables and name not in self._forgotten:
                catalog, schema, table = name.split(".")
                self.catalogs.setdefault(catalog, {"name": catalog})
                self._add_schema(f"{catalog}.{schema}")
                self._add(name, external_entry(catalog, schema, table, log))
        for schema in schemas:
            if schema.partition(".")[0] in self.catalogs and schema not in self._forgotten:
                self._add_schema(schema)
        self._forgotten &= logs.keys() | schemas.keys()
        inside = self._store.as_uri()
        for name in [name for name, info in self.tables.items() if (info["storage_location"] or "").startswith(inside)]:
            if name not in logs:
                del self.tables[name]
        for schema in self._by_connector - schemas.keys():
            self._by_connector.remove(schema)
            self.schemas.pop(schema, None)

    def _add_schema(self, name: str) -> None:
        if name not in self.schemas:
            catalog, _, schema = name.partition(".")
            self.schemas[name] = {"name": schema, "catalog_name": catalog}
            self._by_connector.add(name)

    def create_catalog(self, body: dict[str, Any]) -> dict[str, Any]:
        """Make a catalog."""
        _require_name(body)
        return _made(self.catalogs, body["name"], body, "CATALOG_ALREADY_EXISTS")

    def create_schema(self, body: dict[str, Any]) -> dict[str, Any]:
        """Make a schema."""
        _require_name(body)
        self.catalog(body["catalog_name"])
        return _made(self.schemas, f"{body['catalog_name']}.{body['name']}", body, "SCHEMA_ALREADY_EXISTS")

    def delete_schema(self, name: str) -> None:
        """Drop a schema that is empty."""
        self.schema(name)
        if any(table.startswith(f"{name}.") for table in self.tables):
            raise Refused(400, "FAILED_PRECONDITION", f"Cannot delete schema with tables: {name}")
        del self.schemas[name]
        self._forgotten.add(name)

    def delete_catalog(self, name: str) -> None:
        """Drop a catalog that is empty."""
        self.catalog(name)
        if any(schema.startswith(f"{name}.") for schema in self.schemas):
            raise Refused(400, "FAILED_PRECONDITION", f"Cannot delete catalog with schemas: {name}")
        del self.catalogs[name]

    def catalog(self, name: str) -> dict[str, Any]:
        """Return a catalog."""
        if name not in self.catalogs:
            raise missing(name, kind="Catalog")
        return self.catalogs[name]

    def schema(self, name: str) -> dict[str, Any]:
        """Return a schema."""
        self.catalog(name.partition(".")[0])
        if name not in self.schemas:
            raise missing(name, kind="Schema")
        return self.schemas[name]

    def create_table(self, body: dict[str, Any]) -> dict[str, Any]:
        """Make an entry; an id and an owner that a client sends are ignored."""
        _require_name(body)
        schema = f"{body['catalog_name']}.{body['schema_name']}"
        name = f"{schema}.{body['name']}"
        self.schema(schema)
        if name in self.tables:
            raise Refused(400, "TABLE_ALREADY_EXISTS", f"Table already exists: {name}")
        _require_kind(body)
        location = _normalized(body.get("storage_location"), body["table_type"])
        if body["table_type"] == _MANAGED and location not in self._staged:
            raise Refused(404, "TABLE_NOT_FOUND", "Staging table not found")
        for column in body.get("columns") or ():
            check_classic(column)
        require_comment(body.get("comment"))
        sent = {key: value for key, value in body.items() if key not in ("table_id", "owner")}
        if location in self._staged:
            sent["table_id"] = self._staged.pop(location)
        return self._add(name, {**sent, "properties": checked_properties(body.get("properties") or {})})

    def stage(self, body: dict[str, Any]) -> dict[str, Any]:
        """Choose the id and the location of a managed table, which is created there next."""
        _require_name(body)
        schema = f"{body['catalog_name']}.{body['schema_name']}"
        self.schema(schema)
        if f"{schema}.{body['name']}" in self.tables:
            raise Refused(400, "TABLE_ALREADY_EXISTS", f"Table already exists: {body['name']}")
        root = self.catalog(body["catalog_name"]).get("storage_root")
        if root is None:
            message = "None of catalog, schema or storage-root.tables server property has managed location configured"
            raise invalid(message)
        made = str(uuid.uuid4())
        location = f"{root.rstrip('/')}/__unitystorage/tables/{made}"
        self._staged[location] = made
        return {**body, "id": made, "staging_location": location}

    def table(self, name: str, *, delta: bool = False) -> dict[str, Any]:
        """Return an entry, for one of the two APIs."""
        info = self._known(name)
        if not delta:
            return dict(info)
        _require_delta(name, info)
        properties = info["properties"]
        metadata = {
            "etag": self.etags[name],
            "table-type": info["table_type"],
            "table-uuid": info["table_id"],
            "location": info["storage_location"],
            "created-time": info["created_at"],
            "updated-time": int(self.etags[name].removeprefix(_TAG)),
            "columns": {"type": "struct", "fields": fields_of(info["columns"])},
            "partition-columns": partitioning_of(info["columns"]),
            "properties": properties,
            **{key: int(properties[kept]) for key, kept in _LAST.items() if kept in properties},
        }
        latest = {"latest-table-version": self.latest[name]} if name in self.latest else {}
        return {"metadata": metadata, "commits": self.commits.get(name, []), **latest}

    def page(self, catalog: str, schema: str, after: str = "", size: int = PAGE) -> list[dict[str, Any]]:
        """Return the entries of a schema that follow a name, by name and with at most :data:`PAGE` of them."""
        self.schema(f"{catalog}.{schema}")
        prefix = f"{catalog}.{schema}."
        names = sorted(name for name in self.tables if name.startswith(prefix) and name > f"{prefix}{after}")
        return [self.table(name) for name in names[: min(size, PAGE)]]

    def update_table(self, name: str, body: Any) -> dict[str, Any]:
        """Update an entry, all of it or nothing."""
        info = self._known(name)
        _require_delta(name, info)
        self.tables[name] = updated(info, self.etags[name], body)
        self.etags[name] = self._tick()
        return self.table(name, delta=True)

    def commit(self, name: str, log: LogFacts) -> None:
        """Make an entry that of a managed table, and update it by a commit, which on the server is one step."""
        self.tables[name] = after_commit(self._known(name), log)
        self.latest[name] = log.version
        self.etags[name] = self._tick()

    def rename_table(self, name: str, to: str) -> None:
        """Give an entry another name."""
        info = self._known(name)
        del self.tables[name]
        renamed = ".".join((*name.split(".")[:2], to))
        self.tables[renamed] = {**info, "name": to}
        self.etags[renamed] = self._tick()

    def delete_table(self, name: str) -> None:
        """Remove an entry; the files of an external table stay."""
        self._known(name)
        del self.tables[name]
        self._forgotten.add(name)

    def _known(self, name: str) -> dict[str, Any]:
        if name not in self.tables:
            self.schema(name.rpartition(".")[0])
            raise missing(name, kind="Table")
        return self.tables[name]

    def _add(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        self.tables[name] = {
            "comment": None,
            "owner": None,
            **body,
            "columns": [{"partition_index": None, **column} for column in body.get("columns") or ()],
            "properties": body.get("properties") or {},
            "storage_location": _normalized(body.get("storage_location"), body["table_type"]),
            "table_id": body.get("table_id") or str(uuid.uuid4()),
            "created_at": int(time.time() * 1000),
        }
        self.etags[name] = self._tick()
        return self.table(name)

    def _tick(self) -> str:
        """Return a tag of the time in milliseconds, a later one each time."""
        self._clock = max(self._clock + 1, int(time.time() * 1000))
        return f"{_TAG}{self._clock}"


def _require_name(body: dict[str, Any]) -> None:
    if _NAME.fullmatch(str(body.get("name") or "")) is None:
        message = "Name cannot contain a period, space, forward-slash, or control characters"
        raise invalid(message)


def _made(known: dict[str, dict[str, Any]], name: str, body: dict[str, Any], taken: str) -> dict[str, Any]:
    if name in known:
        raise Refused(400, taken, f"{name} already exists")
    known[name] = dict(body)
    return known[name]


def _require_kind(body: Mapping[str, Any]) -> None:
    """Refuse kinds and formats of tables that the server does not know, or does not create."""
    kind, files = body.get("table_type"), body.get("data_source_format")
    if files is not None and files not in _FORMATS:
        message = f"Unexpected value '{files}'"
        raise unparsed(message)
    if kind in ("STREAMING_TABLE", "MATERIALIZED_VIEW"):
        message = f"{kind.replace('_', ' ')} creation is not supported yet."
        raise invalid(message)
    if kind not in ("EXTERNAL", _MANAGED, _METRIC_VIEW):
        message = f"Unexpected value '{kind}'"
        raise unparsed(message)
    if kind == _METRIC_VIEW and not body.get("view_definition"):
        message = "view_definition is required for metric view"
        raise invalid(message)


def _require_delta(name: str, info: Mapping[str, Any]) -> None:
    """Refuse a call of the Delta API for a table that is not one of Delta, or a view."""
    if info.get("data_source_format") != "DELTA":
        raise Refused(400, "UNSUPPORTED_TABLE_FORMAT", f"Table is not a Delta table: {name}")
    if info["table_type"] not in ("EXTERNAL", _MANAGED):
        raise Refused(500, INTERNAL, f"Failed to load table {name}: Unexpected value '{info['table_type']}'")


def three_parts(name: str) -> str:
    """Return the full name of a table; one with more or fewer parts is refused."""
    if name.count(".") != _DOTS:
        message = f"Invalid table name: {name}"
        raise invalid(message)
    return name


def _normalized(location: str | None, kind: str) -> str | None:
    """Write a location as the server stores it: local ones with three slashes, all without a slash at the end."""
    if kind == _METRIC_VIEW:
        return None
    if not location:
        raise Refused(500, INTERNAL, "Path cannot be null or empty")
    scheme, mark, _ = location.partition(":")
    if mark and scheme not in _SCHEMES:
        message = f"Unsupported URI scheme: {location}"
        raise invalid(message)
    path = location.removeprefix("file:")
    if path.startswith("/"):
        location = f"file:///{path.lstrip('/')}"
    return location.rstrip("/")
