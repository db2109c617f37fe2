"""A double of a Databricks workspace: another backend, shown through information_schema as Databricks documents it."""

from __future__ import annotations

import logging
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.tokenizer_core import TokenType

from pytest_delta_schema import DatabricksCatalog, QualifiedName
from pytest_delta_schema.backends.databricks.reading import RUNTIME
from pytest_delta_schema.delta.properties import CHECK_PREFIX
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.sql import dotted
from pytest_delta_schema.sql.quoting import listed, type_sql
from pytest_delta_schema.sql.renderers import column_definition
from pytest_delta_schema.state import ForeignKeyState
from pytest_delta_schema.state.delta_log import encode_owned
from pytest_delta_schema.state.states import OWNED_PROPERTIES, UNIQUE
from support.models import column, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.execute import ScratchCatalog
    from pytest_delta_schema.sql import Statement
    from pytest_delta_schema.state import KeyState, TableState

RELATIONS = {
    "schemata": ("catalog_name", "schema_name"),
    "tables": ("table_catalog", "table_schema", "table_name", "table_type", "data_source_format", "comment"),
    "columns": (
        "table_catalog",
        "table_schema",
        "table_name",
        "column_name",
        "ordinal_position",
        "is_nullable",
        "full_data_type",
        "column_default",
        "comment",
    ),
    "table_constraints": (
        "constraint_catalog",
        "constraint_schema",
        "constraint_name",
        "table_schema",
        "table_name",
        "constraint_type",
    ),
    "key_column_usage": (
        "constraint_catalog",
        "constraint_schema",
        "constraint_name",
        "table_catalog",
        "table_schema",
        "table_name",
        "column_name",
        "ordinal_position",
        "position_in_unique_constraint",
    ),
    "table_tags": ("catalog_name", "schema_name", "table_name", "tag_name", "tag_value"),
    "column_tags": ("catalog_name", "schema_name", "table_name", "column_name", "tag_name", "tag_value"),
    "referential_constraints": (
        "constraint_catalog",
        "constraint_schema",
        "constraint_name",
        "unique_constraint_catalog",
        "unique_constraint_schema",
        "unique_constraint_name",
    ),
}
"""The documented columns that are asked for, in the documented types: numbers are integers, all else is text."""

PLATFORM = ("delta.feature.", "delta.min")


class Workspace:
    """A connection to a workspace that is another backend.

    Args:
        backend: What is there.
        schemas: Its schemas, each with its catalog.
    """

    def __init__(self, backend: ScratchCatalog, schemas: Iterable[tuple[str, str]] = (("dev", "silver"),)) -> None:
        self.backend = backend
        self.asked: list[str] = []
        self.hidden: set[str] = set()
        self.runtime: str | None = None
        self._schemas = tuple(schemas)

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """Answer a query."""
        self.asked.append(sql)
        if sql == RUNTIME:
            return [{"runtime": self.runtime}]
        if "information_schema" in sql:
            return self.query(sql)
        name = QualifiedName(*re.findall(r"`([^`]*)`", sql)[:3]) if "SCHEMA" not in sql else None
        if name is None:
            catalog, schema = re.findall(r"`([^`]*)`", sql)
            if not any(row["schema_name"] == schema for row in self.relations()["schemata"]):
                raise StatementError(f"[SCHEMA_NOT_FOUND] {catalog}.{schema}", condition="SCHEMA_NOT_FOUND")
            return []
        state = self.states().get(name)
        if state is None:
            raise StatementError(f"[TABLE_OR_VIEW_NOT_FOUND] {name}", condition="TABLE_OR_VIEW_NOT_FOUND")
        if sql.startswith("DESCRIBE DETAIL"):
            return [detail(state)]
        if sql.startswith("SHOW CREATE TABLE"):
            definitions = [*map(column_definition, state.columns), *map(_key_definition, _keys(state))]
            lines = ",\n".join(definitions)
            return [{"createtab_stmt": f"CREATE TABLE {name} (\n{lines})\nUSING delta"}]
        return [{"version": self.backend.version(name)}]

    def values(self, sql: str) -> list[tuple[Any, ...]]:
        """Answer a query by position."""
        return [tuple(row.values()) for row in self.rows(sql)]

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Run a query over the relations: read as Databricks' SQL, run by SQLite."""
        with closing(sqlite3.connect(":memory:")) as base:
            base.row_factory = sqlite3.Row
            base.execute("ATTACH ':memory:' AS information_schema")
            for name, rows in self.relations().items():
                columns = RELATIONS[name]
                base.execute(f"CREATE TABLE information_schema.{name} ({', '.join(columns)})")
                marks = ", ".join("?" * len(columns))
                values = [[row.get(key) for key in columns] for row in rows]
                base.executemany(f"INSERT INTO information_schema.{name} VALUES ({marks})", values)  # noqa: S608 - our own names
            return list(map(dict, base.execute(_for_sqlite(sql))))

    def close(self) -> None:
        """Leave."""

    def states(self) -> dict[QualifiedName, TableState]:
        """Return all tables."""
        names = [name for pair in self._schemas for name in self.backend.table_names(*pair)]
        models = [table(column(), name=str(name)) for name in names]
        return {
            name: state
            for name, state in self.backend.snapshot(models).tables.items()
            if name in names and state.exists
        }

    def relations(self) -> dict[str, list[dict[str, Any]]]:
        """Describe the backend as information_schema does, to a principal who sees all but what is hidden."""
        every = self.states()
        states = {name: state for name, state in every.items() if str(name) not in self.hidden}
        keys = {name: state.primary_key for name, state in every.items() if state.primary_key}
        rows_of_relations: dict[str, list[dict[str, Any]]] = {name: [] for name in RELATIONS}
        probe = self.backend.snapshot([table(column(), name=f"{pair[0]}.{pair[1]}.probe") for pair in self._schemas])
        rows_of_relations["schemata"] = [
            {"catalog_name": name.catalog, "schema_name": name.schema}
            for name, state in probe.tables.items()
            if state.schema_exists
        ]
        for name, state in states.items():
            qualifiers = {f"table_{part}": getattr(name, part) for part in ("catalog", "schema")} | {
                "table_name": name.table,
            }
            kind = {"table_type": "MANAGED", "data_source_format": "DELTA", "comment": state.table_comment or None}
            rows_of_relations["tables"].append(qualifiers | kind)
            for number, item in enumerate(state.columns, start=1):
                rows_of_relations["columns"].append(
                    qualifiers
                    | {
                        "column_name": item.name,
                        "ordinal_position": number,
                        "is_nullable": "YES" if item.is_nullable else "NO",
                        "full_data_type": type_sql(item.data_type).lower()
                        if isinstance(item.data_type, str)
                        else type_sql(item.data_type),
                        "column_default": item.value.default if item.value else None,
                        "comment": item.comment or None,
                    },
                )
            for path, tags in state.tags.items():
                where = dict(
                    zip(("catalog_name", "schema_name", "table_name", "column_name"), (*name, *path), strict=False),
                )
                relation = "column_tags" if path else "table_tags"
                rows_of_relations[relation] += [
                    where | {"tag_name": key, "tag_value": value} for key, value in tags.items()
                ]
            if state.primary_key:
                _constrain(
                    rows_of_relations,
                    qualifiers,
                    state.primary_key.name,
                    "PRIMARY KEY",
                    state.primary_key.columns,
                    [None] * 99,
                )
            for unique in state.unique:
                _constrain(rows_of_relations, qualifiers, unique.name, "UNIQUE", unique.columns, [None] * 99)
            for key in state.foreign_keys:
                parent = keys.get(key.parent)
                if parent is None:
                    continue
                positions = [
                    1 + [column.lower() for column in parent.columns].index(column.lower())
                    for column in key.parent_columns or parent.columns
                ]
                _constrain(rows_of_relations, qualifiers, key.name, "FOREIGN KEY", key.columns, positions)
                rows_of_relations["referential_constraints"].append(
                    _named("constraint", name, key.name) | _named("unique_constraint", key.parent, parent.name),
                )
        return rows_of_relations


def _keys(state: TableState) -> list[KeyState | ForeignKeyState]:
    return [*state.keys, *state.foreign_keys]


def _key_definition(key: KeyState | ForeignKeyState) -> str:
    """Define a key as SHOW CREATE TABLE does (Spark 4.1, SPARK-52142)."""
    columns = listed(key.columns)
    if isinstance(key, ForeignKeyState):
        kind = f"FOREIGN KEY ({columns}) REFERENCES {dotted(key.parent)}"
    else:
        kind = f"{'UNIQUE' if key.kind == UNIQUE else 'PRIMARY KEY'} ({columns})"
    return f"CONSTRAINT {identifier(key.name)} {kind} NOT ENFORCED {'RELY' if key.rely else 'NORELY'}"


@cache
def _for_sqlite(sql: str) -> str:
    """Say a query of Databricks as one of SQLite, which knows no catalogs."""
    query = require_databricks(sql)
    for node in query.find_all(exp.Table):
        node.set("catalog", None)
    return query.sql("sqlite")


def _constrain(
    rows_of_relations: dict[str, list[dict[str, Any]]],
    qualifiers: dict[str, str],
    name: str,
    kind: str,
    columns: Sequence[str],
    positions: Sequence[int | None],
) -> None:
    of = QualifiedName(*qualifiers.values())
    named = _named("constraint", of, name)
    rows_of_relations["table_constraints"].append(named | qualifiers | {"constraint_type": kind})
    for number, (key_column, position) in enumerate(zip(columns, positions, strict=False), start=1):
        usage = {"column_name": key_column, "ordinal_position": number, "position_in_unique_constraint": position}
        rows_of_relations["key_column_usage"].append(named | qualifiers | usage)


def _named(prefix: str, table: QualifiedName, name: str) -> dict[str, str]:
    return {f"{prefix}_catalog": table.catalog, f"{prefix}_schema": table.schema, f"{prefix}_name": name}


def detail(state: TableState) -> dict[str, Any]:
    """Describe a table as DESCRIBE DETAIL does."""
    properties = {key: value for key, value in state.table_properties.items() if not key.startswith(PLATFORM)}
    properties |= {f"{CHECK_PREFIX}{check.name}": check.expression for check in state.checks}
    if state.owned_properties is not None:
        properties[OWNED_PROPERTIES] = encode_owned(state.owned_properties)
    features = [
        key.removeprefix("delta.feature.") for key in state.table_properties if key.startswith("delta.feature.")
    ]
    if any(column.value and (column.value.generated or column.value.identity) for column in state.columns):
        features.append("generatedColumns")
    return {
        "description": state.table_comment or None,
        "partitionColumns": list(state.partitioning),
        "clusteringColumns": [".".join(path) for path in state.clustering],
        "properties": properties,
        "minReaderVersion": int(state.table_properties.get("delta.minReaderVersion") or 1),
        "minWriterVersion": int(state.table_properties.get("delta.minWriterVersion") or 2),
        "tableFeatures": features,
    }


class Doubled(DatabricksCatalog):
    """The backend over such a workspace: reading is real, and the other backend does what statements say."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, read_threads=1)
        self.backend = workspace.backend
        self.waited: list[float] = []
        lag = replace(self.capabilities.lag, clock=lambda: sum(self.waited), wait=self.waited.append)
        self.capabilities = replace(self.capabilities, lag=lag)
        self.data_checks = workspace.backend.data_checks  # type: ignore[assignment, method-assign]
        self.insert = workspace.backend.insert

    def run(self, statement: Statement) -> None:
        """Let sqlglot read the statement as Databricks would, and the other backend do it."""
        require_databricks(statement.sql)
        self.backend.run(statement)


def require_databricks(sql: str) -> exp.Expr:
    """Make sure that a statement is one of Databricks'.

    What sqlglot has no tree for, it keeps as a command; such a one has to have a form that Databricks documents.
    """
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    read = sqlglot.parse_one(sql, dialect="databricks")
    if isinstance(read, exp.Command) and not DOCUMENTED.fullmatch(shape(sql)):
        raise AssertionError(f"no form of Databricks: {shape(sql)}")
    return read


def shape(sql: str) -> str:
    """Write a statement with ``I`` for each identifier, ``S`` for each text and ``N`` for each number."""
    kinds = {TokenType.STRING: "S", TokenType.NUMBER: "N", TokenType.IDENTIFIER: "I"}
    return " ".join(kinds.get(token.token_type) or token.text.upper() for token in Databricks().tokenize(sql))


_PATH = r"I(?: \. I)*"
_TEXTS = r"\( S(?: , S)* \)"
_PAIRS = r"\( S = S(?: , S = S)* \)"
_EDIT = rf"{_PATH} (?:COMMENT S|(?:SET|DROP) NOT NULL|SET DEFAULT .+|DROP DEFAULT|TYPE .+|FIRST|AFTER I)"
DOCUMENTED = re.compile(
    rf"ALTER TABLE {_PATH} (?:"
    rf"ALTER COLUMN {_EDIT}(?: , {_EDIT})*"
    rf"|(?:ALTER COLUMN I )?(?:SET TAGS {_PAIRS}|UNSET TAGS {_TEXTS})"
    rf"|UNSET TBLPROPERTIES IF EXISTS {_TEXTS})",
)
"""Forms that Databricks documents, and sqlglot only passes on."""
