"""A Databricks workspace for tests: what this package believes of one, in one place, with the gaps of real answers.

Nobody has run this package on a workspace yet. The answers have the form that others have recorded; whoever has a
workspace finds out with ``delta-schema conformance --backend=databricks`` what is wrong here.
"""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.databricks.reading import RUNTIME
from pytest_delta_schema.delta.properties import CHECK_PREFIX
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ClusteringChange, ColumnAdd, ColumnDrop, ColumnRename, ColumnTypeChange
from pytest_delta_schema.sql.quoting import dotted, literal, type_sql
from pytest_delta_schema.sql.renderers import value_clause
from pytest_delta_schema.state.delta_log import encode_owned
from pytest_delta_schema.state.expressions import paths_in
from pytest_delta_schema.state.keys import keys_of
from pytest_delta_schema.state.states import OWNED_PROPERTIES, UNIQUE, ForeignKeyState
from pytest_delta_schema.state.types import ArrayState, StructState, atoms, is_generated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.execute.protocols import ScratchCatalog
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState, MapState

    Rows = list[dict[str, Any]]

__all__ = ["RELATIONS", "DatabricksDouble", "OtherObject"]

_TABLE = ("table_catalog", "table_schema", "table_name")
_CONSTRAINT = ("constraint_catalog", "constraint_schema", "constraint_name")
_TAGGED = ("catalog_name", "schema_name", "table_name")

RELATIONS = {
    "schemata": ("catalog_name", "schema_name"),
    "tables": (*_TABLE, "table_type", "data_source_format", "comment"),
    "columns": (
        *_TABLE, "column_name", "ordinal_position", "is_nullable", "full_data_type", "column_default", "comment",
    ),
    "table_constraints": (*_CONSTRAINT, "table_schema", "table_name", "constraint_type"),
    "key_column_usage": (
        *_CONSTRAINT, *_TABLE, "column_name", "ordinal_position", "position_in_unique_constraint",
    ),
    "referential_constraints": (
        *_CONSTRAINT, *(f"unique_{name}" for name in _CONSTRAINT),
    ),
    "table_tags": (*_TAGGED, "tag_name", "tag_value"),
    "column_tags": (*_TAGGED, "column_name", "tag_name", "tag_value"),
}  # fmt: skip
"""The columns of information_schema that the backend uses: numbers are integers, all else is text."""

_NAME = r"`((?:[^`]|``)*)`"
_PLATFORM = (FEATURE_PREFIX, "delta.minReaderVersion", "delta.minWriterVersion")
_NO_TABLE, _NO_SCHEMA = "TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND"
_VERSIONS = {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"}
_DEFAULTS, _GENERATED = f"{FEATURE_PREFIX}allowColumnDefaults", f"{FEATURE_PREFIX}generatedColumns"


@dataclass(frozen=True, slots=True)
class OtherObject:
    """An object of a schema that is no Delta table of the backend behind it."""

    name: QualifiedName
    table_type: str
    """Such as ``VIEW``, ``MATERIALIZED_VIEW`` or ``STREAMING_TABLE``; ``MANAGED`` for the table that keeps its rows."""
    data_format: str | None = None
    columns: tuple[ColumnState, ...] = ()


class DatabricksDouble:
    """A connection to a workspace whose tables are those of another backend.

    Args:
        backend: What is there.
        schemas: Its schemas, each with its catalog.
        runtime: The version of its runtime, such as ``15.4.x-scala2.12``; ``None`` for a SQL warehouse.
    """

    def __init__(
        self,
        backend: ScratchCatalog,
        schemas: Iterable[tuple[str, str]] = (("dev", "silver"),),
        *,
        runtime: str | None = None,
    ) -> None:
        self.backend = backend
        self.runtime = runtime
        self.asked: list[str] = []
        """The queries so far."""
        self.refused: dict[str, StatementError] = {}
        """The errors of queries, by what these begin with."""
        self.hidden: set[str] = set()
        """The tables that information_schema does not show to the principal."""
        self.auto: set[str] = set()
        """The tables with CLUSTER BY AUTO, whose keys Databricks chooses."""
        self.objects: list[OtherObject] = []
        """What is in the schemas besides the tables of the backend."""
        self.collations: dict[str, str] = {}
        """The default collation of tables and schemas that have a collation other than UTF8_BINARY."""
        self._schemas = tuple(schemas)

    def rows(self, sql: str) -> Rows:
        """Answer a query."""
        self.asked.append(sql)
        for beginning, error in self.refused.items():
            if sql.startswith(beginning):
                raise error
        if sql == RUNTIME:
            return [{"runtime": self.runtime}]
        if ".information_schema." in sql:
            return self.query(sql)
        names = [name.replace("``", "`") for name in re.findall(_NAME, sql)]
        if "SCHEMA" in sql:
            return self._schema(sql, *names)
        name = QualifiedName(*names[:3])
        state = self.backend.read_tables([name]).tables[name]
        if not state.exists:
            raise refusal(_NO_TABLE, name)
        return self._table(sql, state)

    def values(self, sql: str) -> list[tuple[Any, ...]]:
        """Answer a query by position."""
        return [tuple(row.values()) for row in self.rows(sql)]

    def cancel(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def run(self, statement: Statement) -> None:
        """Run a statement on the backend, unless workspaces have refused it."""
        state = self.states().get(statement.table)
        for change in statement.changes:
            for condition, fact in _refusals(change, state):
                raise refusal(condition, fact)
        self.backend.run(statement)

    def query(self, sql: str) -> Rows:
        """Answer a query of information_schema by SQLite, which knows no catalogs."""
        with closing(sqlite3.connect(":memory:")) as base:
            base.row_factory = sqlite3.Row
            base.execute("ATTACH ':memory:' AS information_schema")
            for name, rows in self.relations().items():
                columns = RELATIONS[name]
                base.execute(f"CREATE TABLE information_schema.{name} ({', '.join(columns)})")
                insert = f"INSERT INTO information_schema.{name} VALUES ({', '.join('?' * len(columns))})"
                base.executemany(insert, [[row.get(column) for column in columns] for row in rows])
            return list(map(dict, base.execute(re.sub(rf"{_NAME}\.information_schema\.", "information_schema.", sql))))

    def states(self) -> dict[QualifiedName, TableState]:
        """Return all tables."""
        names = [name for schema in self._schemas for name in self.backend.table_names(*schema)]
        return {name: state for name, state in self.backend.read_tables(names).tables.items() if state.exists}

    def relations(self) -> dict[str, Rows]:
        """Return the relations of information_schema, for a principal who sees all but what is hidden."""
        states = self.states()
        relations: dict[str, Rows] = {name: [] for name in RELATIONS}
        probes = [QualifiedName(*schema, "probe") for schema in self._schemas]
        for name, probe in self.backend.read_tables(probes).tables.items():
            if probe.schema_exists:
                relations["schemata"].append({"catalog_name": name.catalog, "schema_name": name.schema})
        for name, state in states.items():
            if str(name) in self.hidden:
                continue
            _add_object(relations, OtherObject(name, "MANAGED", "DELTA", state.columns), state.table_comment)
            _add_tags(relations, state)
            _add_keys(relations, state, states)
        for other in self.objects:
            _add_object(relations, other, "")
        return relations

    def _schema(self, sql: str, catalog: str, schema: str) -> Rows:
        if not any(row["schema_name"] == schema for row in self.relations()["schemata"]):
            raise refusal(_NO_SCHEMA, f"{catalog}.{schema}")
        if "EXTENDED" not in sql:
            return []
        collation = self.collations.get(f"{catalog}.{schema}", "UTF8_BINARY")
        keys = ("database_description_item", "database_description_value")
        return [dict(zip(keys, row, strict=True)) for row in (("Comment", "UNICODE"), ("Collation", collation))]

    def _table(self, sql: str, state: TableState) -> Rows:
        if sql.startswith("DESCRIBE TABLE EXTENDED") and sql.endswith("AS JSON"):
            return [{"json_metadata": json.dumps(self.json_of(state))}]
        if sql.startswith("SHOW CREATE TABLE"):
            return [{"createtab_stmt": self.statement_of(state)}]
        if sql.startswith("DESCRIBE DETAIL"):
            return [self.detail_of(state)]
        return [{"version": self.backend.version(state.name)}]

    def _clustering(self, state: TableState) -> list[str]:
        keys = [".".join(path) for path in state.clustering]
        return keys or [state.columns[0].name] * (str(state.name) in self.auto)

    def _shown_properties(self, state: TableState) -> dict[str, str]:
        """Return the properties that Databricks shows: with its protocol, checks, and how it clusters the table."""
        shown = {**_VERSIONS, **properties_of(state)}
        if state.clustering or str(state.name) in self.auto:
            shown["clusteringColumns"] = json.dumps([key.split(".") for key in self._clustering(state)])
        if str(state.name) in self.auto:
            shown["clusterByAuto"] = "true"
        return shown

    def json_of(self, state: TableState) -> dict[str, Any]:
        """Return the answer of DESCRIBE TABLE EXTENDED ... AS JSON, without generation and identities."""
        name = state.name
        answer: dict[str, Any] = {
            "table_name": name.table,
            "catalog_name": name.catalog,
            "namespace": [name.schema],
            "schema_name": name.schema,
            "columns": [_json_column(column) for column in state.columns],
            "type": "MANAGED",
            "comment": state.table_comment,
            "collation": self.collations.get(str(name), "UTF8_BINARY"),
            "provider": "delta",
            "table_properties": self._shown_properties(state),
        }
        keys = {"partition_columns": list(state.partitioning), "clustering_columns": self._clustering(state)}
        return answer | {key: value for key, value in keys.items() if value}

    def statement_of(self, state: TableState) -> str:
        """Return the answer of SHOW CREATE TABLE: names without back-quotes, each string with its collation."""
        lines = [*map(_definition, state.columns), *map(_constraint, keys_of(state))]
        text = ",\n  ".join(lines)
        clauses = [f"CREATE TABLE {'.'.join(map(_bare, state.name.written))} (\n  {text})\nUSING delta"]
        if state.partitioning:
            clauses.append(f"PARTITIONED BY ({', '.join(map(_bare, state.partitioning))})")
        if str(state.name) in self.auto:
            clauses.append("CLUSTER BY AUTO")
        elif state.clustering:
            clauses.append(f"CLUSTER BY ({', '.join('.'.join(map(_bare, path)) for path in state.clustering)})")
        if state.table_comment:
            clauses.append(f"COMMENT {literal(state.table_comment)}")
        clauses.append(f"DEFAULT COLLATION {self.collations.get(str(state.name), 'UTF8_BINARY')}")
        pairs = [f"{literal(key)} = {literal(value)}" for key, value in self._shown_properties(state).items()]
        return "\n".join([*clauses, f"TBLPROPERTIES (\n  {', '.join(pairs)})"])

    def detail_of(self, state: TableState) -> dict[str, Any]:
        """Return the answer of DESCRIBE DETAIL."""
        shown = {**_VERSIONS, **properties_of(state)}
        return {
            "description": state.table_comment or None,
            "partitionColumns": list(state.partitioning),
            "clusteringColumns": self._clustering(state),
            "clusterByAuto": "true" if str(state.name) in self.auto else "false",
            "properties": {key: value for key, value in shown.items() if not key.startswith(_PLATFORM)},
            "minReaderVersion": int(shown["delta.minReaderVersion"]),
            "minWriterVersion": int(shown["delta.minWriterVersion"]),
            "tableFeatures": [key.removeprefix(FEATURE_PREFIX) for key in shown if key.startswith(FEATURE_PREFIX)],
        }


def properties_of(state: TableState) -> dict[str, str]:
    """Return the properties of a table with its features and its checks, which are in no other relation."""
    shown = {key: value for key, value in state.table_properties.items() if value is not None}
    shown |= {f"{CHECK_PREFIX}{check.name}": check.expression for check in state.checks}
    if state.owned_properties is not None:
        shown[OWNED_PROPERTIES] = encode_owned(state.owned_properties)
    if any(map(is_generated, state.columns)):
        shown[_GENERATED] = "supported"
    if any(column.value is not None and column.value.default is not None for column in state.columns):
        shown[_DEFAULTS] = "supported"
    return shown


def refusal(condition: str, subject: object) -> StatementError:
    """Return the error by which a workspace refuses a statement."""
    return StatementError(f"[{condition}] {subject}", condition=condition)


def _refusals(change: object, state: TableState | None) -> Iterator[tuple[str, str]]:
    """Yield why workspaces have refused a change of a table, which is ``None`` before its creation."""
    if isinstance(change, CreateTable):
        if change.checks:
            yield "UNSUPPORTED_CONSTRAINT", "Only PRIMARY KEY and FOREIGN KEY constraints are currently supported"
        if change.partitioning and change.clustering:
            yield "SPECIFY_CLUSTER_BY_WITH_PARTITIONED_BY_IS_NOT_ALLOWED", "Clustering and partitioning"
    elif state is not None:
        yield from _alter_refusals(change, state)


def _alter_refusals(change: object, state: TableState) -> Iterator[tuple[str, str]]:
    if isinstance(change, ColumnAdd):
        if is_generated(change.column):
            yield "PARSE_SYNTAX_ERROR", "Syntax error at or near 'GENERATED'"
        yield from _feature_refusals(change.column.data_type, state)
    if isinstance(change, ColumnTypeChange):
        yield from _feature_refusals(change.after, state)
    if isinstance(change, (ColumnTypeChange, ColumnRename, ColumnDrop)):
        texts = [check.expression for check in state.checks]
        texts += [column.value.generated for column in state.columns if column.value and column.value.generated]
        used = [path.folded for text in texts for path in paths_in(text)]
        if any(all(map(str.__eq__, path, change.path.folded)) for path in used):  # one leads to the other, or below it
            yield "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE", f"{change.path} is used by a check or a generation"
    if isinstance(change, ClusteringChange):
        if state.partitioning and change.after:
            yield "DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED", "the table is partitioned"
        if len(change.after) > _MOST_KEYS:
            yield "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS", f"at most {_MOST_KEYS} keys"


_MOST_KEYS = 4
_NTZ = f"{FEATURE_PREFIX}timestampNtz"


def _feature_refusals(data_type: DataTypeState, state: TableState) -> Iterator[tuple[str, str]]:
    stored = atoms(column.data_type for column in state.columns)  # CREATE TABLE enables what its columns need
    if "timestamp_ntz" in atoms([data_type]) - stored and _NTZ not in state.table_properties:
        yield "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT", "timestampNtz"


def _add_object(relations: dict[str, Rows], item: OtherObject, comment: str) -> None:
    """Add a table or a view, with its columns: no defaults, and nothing of what is inside of types but names."""
    where = dict(zip(_TABLE, item.name, strict=True))
    kind = {"table_type": item.table_type, "data_source_format": item.data_format, "comment": comment or None}
    relations["tables"].append(where | kind)
    for number, column in enumerate(item.columns, start=1):
        shown = {
            "column_name": column.name,
            "ordinal_position": number,
            "is_nullable": "YES" if column.is_nullable else "NO",
            "full_data_type": _listed(column.data_type),
            "comment": column.comment or None,
        }
        relations["columns"].append(where | shown)


def _listed(data_type: DataTypeState) -> str:
    """Return a type as information_schema shows it."""
    if isinstance(data_type, str):
        return data_type
    if isinstance(data_type, StructState):
        return f"struct<{','.join(f'{_bare(field.name)}:{_listed(field.data_type)}' for field in data_type.fields)}>"
    if isinstance(data_type, ArrayState):
        return f"array<{_listed(data_type.element)}>"
    return f"map<{_listed(data_type.key)},{_listed(data_type.value)}>"


def _add_tags(relations: dict[str, Rows], state: TableState) -> None:
    for path, tags in state.tags.items():
        where = dict(zip((*_TAGGED, "column_name"), (*state.name, *path), strict=False))
        relation = relations["column_tags" if path else "table_tags"]
        relation += [where | {"tag_name": key, "tag_value": value} for key, value in tags.items()]


def _add_keys(relations: dict[str, Rows], state: TableState, states: Mapping[QualifiedName, TableState]) -> None:
    for key in state.keys:
        kind = "UNIQUE" if key.kind == UNIQUE else "PRIMARY KEY"
        _constrain(relations, state.name, key.name, kind, dict.fromkeys(key.columns))
    for foreign in state.foreign_keys:
        parent = states[foreign.parent].primary_key if foreign.parent in states else None
        if parent is not None:
            names = [name.lower() for name in parent.columns]
            positions = [1 + names.index(name.lower()) for name in foreign.parent_columns or parent.columns]
            columns = dict(zip(foreign.columns, positions, strict=True))
            _constrain(relations, state.name, foreign.name, "FOREIGN KEY", columns)
            unique = {f"unique_{key}": value for key, value in _named(foreign.parent, parent.name).items()}
            relations["referential_constraints"].append(_named(state.name, foreign.name) | unique)


def _constrain(
    relations: dict[str, Rows], table: QualifiedName, name: str, kind: str, columns: Mapping[str, int | None]
) -> None:
    where = _named(table, name) | dict(zip(_TABLE, table, strict=True))
    relations["table_constraints"].append(where | {"constraint_type": kind})
    for number, (column, position) in enumerate(columns.items(), start=1):
        usage = {"column_name": column, "ordinal_position": number, "position_in_unique_constraint": position}
        relations["key_column_usage"].append(where | usage)


def _named(table: QualifiedName, name: str) -> dict[str, str]:
    return dict(zip(_CONSTRAINT, (table.catalog, table.schema, name), strict=True))


def _json_column(column: ColumnState) -> dict[str, Any]:
    shown = _json_field(column)
    default = None if column.value is None else column.value.default
    return shown if default is None else {**shown, "default": default}


def _json_field(field: ColumnState) -> dict[str, Any]:
    shown = {"name": field.name, "type": _json_type(field.data_type), "nullable": field.is_nullable}
    return {**shown, "comment": field.comment} if field.comment else shown


def _json_type(data_type: DataTypeState) -> dict[str, Any]:
    if isinstance(data_type, StructState):
        return {"name": "struct", "fields": list(map(_json_field, data_type.fields))}
    if isinstance(data_type, ArrayState):
        element = _json_type(data_type.element)
        return {"name": "array", "element_type": element, "element_nullable": data_type.contains_null}
    if not isinstance(data_type, str):
        return _json_map(data_type)
    name, *numbers = re.findall(r"[^(),]+", data_type)
    if name == "decimal":
        return {"name": name, "precision": int(numbers[0]), "scale": int(numbers[1])}
    if name in {"char", "string", "varchar"} or name.startswith("string collate "):
        # Spark shows char and varchar as strings (4.2.0); nobody has told what Databricks does.
        return {"name": "string", "collation": name.removeprefix("string collate ") if " " in name else "UTF8_BINARY"}
    return {"name": "timestamp_ltz" if name == "timestamp" else name}


def _json_map(data_type: MapState) -> dict[str, Any]:
    key, value = _json_type(data_type.key), _json_type(data_type.value)
    return {"name": "map", "key_type": key, "value_type": value, "value_nullable": data_type.value_contains_null}


def _bare(name: str) -> str:
    """Return a name as Databricks writes it: without back-quotes also if it is a reserved word."""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else f"`{name.replace('`', '``')}`"


def _definition(column: ColumnState) -> str:
    comment = f" COMMENT {literal(column.comment)}" if column.comment else ""
    not_null = "" if column.is_nullable else " NOT NULL"
    value = value_clause(column.value)
    if column.value is not None and column.value.generated is not None:
        end = "\n" if "--" in column.value.generated else " "
        value = f" GENERATED ALWAYS AS ( {column.value.generated}{end})"
    return f"{_bare(column.name)} {_written(column.data_type)}{not_null}{value}{comment}"


def _written(data_type: DataTypeState) -> str:
    if isinstance(data_type, StructState):
        return f"STRUCT<{', '.join(map(_written_field, data_type.fields))}>"
    if isinstance(data_type, ArrayState):
        return f"ARRAY<{_written(data_type.element)}>"
    if not isinstance(data_type, str):
        return f"MAP<{_written(data_type.key)}, {_written(data_type.value)}>"
    return "STRING COLLATE UTF8_BINARY" if data_type == "string" else type_sql(data_type)


def _written_field(field: ColumnState) -> str:
    comment = f" COMMENT {literal(field.comment)}" if field.comment else ""
    not_null = "" if field.is_nullable else " NOT NULL"
    return f"{_bare(field.name)}: {_written(field.data_type)}{not_null}{comment}"


def _constraint(key: KeyState | ForeignKeyState) -> str:
    columns = f"({', '.join(map(_bare, key.columns))})"
    if isinstance(key, ForeignKeyState):
        parents = f" ({', '.join(map(_bare, key.parent_columns))})" if key.parent_columns else ""
        kind = f"FOREIGN KEY {columns} REFERENCES {dotted(key.parent)}{parents}"
    else:
        kind = f"{'UNIQUE' if key.kind == UNIQUE else 'PRIMARY KEY'} {columns}"
    return f"CONSTRAINT {_bare(key.name)} {kind}{' RELY' if key.rely else ''}"
