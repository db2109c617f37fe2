"""Tables in folders, listed in a JSON file: read from their Delta logs without a JVM, changed through Spark."""

import json
from dataclasses import replace
from functools import cached_property

from pytest_delta_schema import SessionCatalog
from pytest_delta_schema.backends import Backend
from pytest_delta_schema.backends.kit import (
    OPEN_SOURCE_DELTA,
    LocalFiles,
    local_folder,
    required_table_names,
    snapshot_names,
    state_of_log,
    without_files,
)
from pytest_delta_schema.execute import Refusal, version_of
from pytest_delta_schema.models import QualifiedName
from pytest_delta_schema.sql import StatementKind, describe_detail, dotted, literal
from pytest_delta_schema.state import CatalogState, TableState


class FolderCatalog:
    name = "folders"
    capabilities = replace(
        OPEN_SOURCE_DELTA,  # what SessionCatalog emulates
        refuses=without_files,
        refuses_clones=Refusal("it lists only tables that it has created", "create the table with make_delta_table"),
    )

    def __init__(self, file, spark):
        self._file = file
        self._spark = spark

    @property
    def _schemas(self):
        """The folders of tables, by the names of the schema and the table."""
        return json.loads(self._file.read_text("utf-8")) if self._file.exists() else {}

    def _save(self, schemas):
        self._file.write_text(json.dumps(schemas, indent=2), "utf-8")

    # Reading, without a JVM.

    def snapshot(self, models):
        return self.read_tables(snapshot_names(models))

    def read_tables(self, names):
        schemas = self._schemas
        return CatalogState.of({name: _state(name, schemas) for name in required_table_names(names, "read_tables")})

    def table_names(self, catalog, schema):
        return tuple(
            sorted(QualifiedName(catalog, schema, table) for table in self._schemas.get(f"{catalog}.{schema}", ()))
        )

    def version(self, table):
        return version_of(self.read_tables([table]), table)

    def introduced_by(self, table, paths):  # noqa: ARG002 - the protocol's signature
        return ()  # drift is reported without the commits that caused it

    # Changes and rows, through Spark, which starts when it is first needed.

    @cached_property
    def _session(self):
        session = SessionCatalog(self._spark())
        for schema, tables in self._schemas.items():
            session.create_schema(*schema.split("."))
            for table, folder in tables.items():
                name = dotted(QualifiedName(*schema.split("."), table))
                session.spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING DELTA LOCATION {literal(folder)}")
        return session

    def run(self, statement):
        self._session.run(statement)
        if statement.kind in (StatementKind.CREATE_SCHEMA, StatementKind.CREATE_TABLE):
            catalog, schema, table = statement.table
            tables = (schemas := self._schemas).setdefault(f"{catalog}.{schema}", {})
            if statement.kind is StatementKind.CREATE_TABLE:
                location = self._session.spark.sql(describe_detail(statement.table)).first()["location"]
                tables[table] = local_folder(location)
            self._save(schemas)

    def past_columns(self, table, paths):
        return self._session.past_columns(table, paths)

    def data_checks(self, table):
        return self._session.data_checks(table)

    def rows(self, table):
        return self._session.rows(table)

    def insert(self, table, rows):
        self._session.insert(table, rows)

    def append_rows(self, table, rows):
        self._session.append_rows(table, rows)

    def create_schema(self, catalog, schema):
        self._session.create_schema(catalog, schema)
        self._save({f"{catalog}.{schema}": {}} | self._schemas)

    def drop_table(self, table):
        self._session.drop_table(table)
        schemas = self._schemas
        schemas.get(f"{table.catalog}.{table.schema}", {}).pop(table.table, None)
        self._save(schemas)

    def drop_schema(self, catalog, schema):
        self._session.drop_schema(catalog, schema)
        self._save({name: tables for name, tables in self._schemas.items() if name != f"{catalog}.{schema}"})


def _state(name, schemas):
    tables = schemas.get(f"{name.catalog}.{name.schema}")
    if tables is None or name.table not in tables:
        return TableState(name=name, exists=False, schema_exists=tables is not None)
    return state_of_log(name, LocalFiles(tables[name.table]))


BACKEND = Backend(
    open=lambda context: FolderCatalog(context.warehouse() / "folders.json", context.spark),
    location=lambda settings: f"folders of {settings.values['warehouse']}/folders.json",
    scratch_tables="anywhere",
)
