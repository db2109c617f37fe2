"""The queries about a schema and its tables, and the states of tables from their rows."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, final

from pytest_delta_schema.backends.databricks.descriptions import DetailRow, JsonTable
from pytest_delta_schema.backends.kit import (
    PROPERTY_PREFIX,
    NameMap,
    NameSet,
    folded,
    parse_databricks_type,
    state_keys,
)
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.models import QualifiedName
from pytest_delta_schema.sql import dotted, identifier, literal
from pytest_delta_schema.state import (
    ColumnGeneration,
    ColumnPath,
    ColumnState,
    ForeignKeyState,
    KeyState,
    LogFacts,
    TableState,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.backends.databricks.descriptions import Description

    Ask = Callable[[str], Sequence[Mapping[str, Any]]]

_FOREIGN = "FOREIGN KEY"
_KEY_KINDS: dict[str, Literal["primary key", "unique constraint"]] = {
    "PRIMARY KEY": "primary key",
    "UNIQUE": "unique constraint",
}
"""The kind of a key by its ``constraint_type``; foreign keys are apart."""

_SAME_CONSTRAINT = " AND ".join(f"c.constraint_{part} = k.constraint_{part}" for part in ("catalog", "schema", "name"))
_ITS_PARENT = " AND ".join(
    f"c.unique_constraint_{part} = k.constraint_{part}" for part in ("catalog", "schema", "name")
)

RUNTIME = "SELECT current_version().dbr_version AS runtime"
"""The query of the runtime version, such as ``16.4.x-scala2.12``; SQL warehouses have none and are always current."""


class TableRow(TypedDict):
    """A table or view, in ``tables``."""

    table_name: str
    table_type: str
    data_source_format: str | None
    comment: str | None


class ColumnRow(TypedDict):
    """A column of a table, in ``columns``."""

    table_name: str
    column_name: str
    ordinal_position: int
    is_nullable: str
    full_data_type: str
    column_default: str | None
    comment: str | None


class KeyRow(TypedDict):
    """A column of a key."""

    table_name: str
    constraint_name: str
    constraint_type: str
    column_name: str
    ordinal_position: int
    position_in_unique_constraint: int | None


class ParentRow(TypedDict):
    """A column of the key that a foreign key references."""

    constraint_name: str
    table_catalog: str
    table_schema: str
    table_name: str
    column_name: str
    ordinal_position: int


@final
class TableTagRow(TypedDict):
    """A tag of a table, in ``table_tags``."""

    table_name: str
    tag_name: str
    tag_value: str | None


@final
class ColumnTagRow(TypedDict):
    """A tag of a column, in ``column_tags``."""

    table_name: str
    column_name: str
    tag_name: str
    tag_value: str | None


class HiddenParentError(ValueError):
    """The parent of a foreign key is not visible to the principal."""


@dataclass(frozen=True, slots=True)
class SchemaFacts:
    """The rows of six queries about a whole schema."""

    tables: dict[str, TableRow] = field(default_factory=dict)
    columns: dict[str, list[ColumnRow]] = field(default_factory=lambda: defaultdict(list))
    """The columns, by table."""
    keys: dict[str, dict[str, list[KeyRow]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    """The columns of keys, by table and name of the key."""
    parents: dict[str, list[ParentRow]] = field(default_factory=lambda: defaultdict(list))
    """The parent columns of foreign keys, by name of the key."""
    tags: dict[str, list[TableTagRow | ColumnTagRow]] = field(default_factory=lambda: defaultdict(list))
    """The tags of tables and columns, by table."""

    def columns_of(self, table: str) -> tuple[ColumnState, ...]:
        """Return the columns of a table as these queries show them, without much of what is inside of types."""
        rows = sorted(self.columns.get(table, ()), key=lambda row: row["ordinal_position"])
        return tuple(map(_column, rows))

    def keys_of(self, table: str, relied: NameSet | None) -> Iterator[KeyState | ForeignKeyState]:
        """Yield the keys of a table."""
        for name, rows in self.keys.get(table, {}).items():
            kind = rows[0]["constraint_type"]
            ordered = sorted(rows, key=lambda row: row["ordinal_position"])
            rely = None if relied is None else name in relied
            if kind == _FOREIGN:
                yield _foreign_key(name, ordered, self.parents.get(name, ()), rely)
            elif kind in _KEY_KINDS:
                yield KeyState(name, tuple(row["column_name"] for row in ordered), rely, _KEY_KINDS[kind])


def read_schema(ask: Ask, catalog: str, schema: str) -> SchemaFacts:
    """Read everything about a schema."""
    facts = SchemaFacts()
    facts.tables.update(
        (folded(row["table_name"]), row) for row in typed(TableRow, ask(select_tables(catalog, schema)))
    )
    for column in typed(ColumnRow, ask(_select(catalog, "columns", ColumnRow, "table_schema", schema))):
        facts.columns[folded(column["table_name"])].append(column)
    for key in typed(KeyRow, ask(_select_keys(catalog, schema))):
        facts.keys[folded(key["table_name"])][key["constraint_name"]].append(key)
    for parent in typed(ParentRow, ask(_select_parents(catalog, schema))):
        facts.parents[parent["constraint_name"]].append(parent)
    for tag in typed(TableTagRow, ask(_select(catalog, "table_tags", TableTagRow, "schema_name", schema))):
        facts.tags[folded(tag["table_name"])].append(tag)
    for column_tag in typed(ColumnTagRow, ask(_select(catalog, "column_tags", ColumnTagRow, "schema_name", schema))):
        facts.tags[folded(column_tag["table_name"])].append(column_tag)
    return facts


def schemata(catalog: str, schema: str) -> str:
    """Return the query whether a schema exists."""
    return f"SELECT schema_name FROM {_relation(catalog, 'schemata')} WHERE schema_name = {literal(schema)}"  # noqa: S608 - quoted


def select_tables(catalog: str, schema: str) -> str:
    """Return the query of the tables and views of a schema."""
    return _select(catalog, "tables", TableRow, "table_schema", schema)


def _select(catalog: str, relation: str, row: type, schema_column: str, schema: str) -> str:
    """Return the query of what one type of rows has."""
    columns = ", ".join(row.__annotations__)
    return f"SELECT {columns} FROM {_relation(catalog, relation)} WHERE {schema_column} = {literal(schema)}"  # noqa: S608 - quoted


def _select_keys(catalog: str, schema: str) -> str:
    """Return the query of key columns: of which key, at which position, and at which in the parent's key."""
    chosen = "k.table_name, k.constraint_name, c.constraint_type, k.column_name, k.ordinal_position"
    return (
        f"SELECT {chosen}, k.position_in_unique_constraint"  # noqa: S608 - quoted where it is made
        f" FROM {_relation(catalog, 'table_constraints')} AS c"
        f" JOIN {_relation(catalog, 'key_column_usage')} AS k ON {_SAME_CONSTRAINT}"
        f" WHERE c.table_schema = {literal(schema)}"
    )


def _select_parents(catalog: str, schema: str) -> str:
    """Return the query of the parents of foreign keys: name of the key; table, column and position of the parent."""
    return (
        "SELECT c.constraint_name, k.table_catalog, k.table_schema, k.table_name, k.column_name, k.ordinal_position"  # noqa: S608 - as above
        f" FROM {_relation(catalog, 'referential_constraints')} AS c"
        f" JOIN {_relation(catalog, 'key_column_usage')} AS k ON {_ITS_PARENT}"
        f" WHERE c.constraint_schema = {literal(schema)}"
    )


def _relation(catalog: str, name: str) -> str:
    return f"{identifier(catalog)}.information_schema.{name}"


def _foreign_key(
    name: str,
    rows: Sequence[KeyRow],
    parents: Iterable[ParentRow],
    rely: bool | None,  # noqa: FBT001 - of the state
) -> ForeignKeyState:
    by_position = {row["ordinal_position"]: row for row in parents}
    positions = [row["position_in_unique_constraint"] or row["ordinal_position"] for row in rows]
    if not by_position or any(position not in by_position for position in positions):
        msg = f"foreign key {name} references a table that the principal cannot see"
        raise HiddenParentError(msg)
    first = by_position[positions[0]]
    parent = QualifiedName(*(folded(first[part]) for part in ("table_catalog", "table_schema", "table_name")))
    columns = tuple(row["column_name"] for row in rows)
    return ForeignKeyState(name, columns, parent, tuple(by_position[at]["column_name"] for at in positions), rely)


def show_create(table: QualifiedName) -> str:
    """Render the query of the statement that would create a table."""
    return f"SHOW CREATE TABLE {dotted(table)}"


def describe_json(table: QualifiedName) -> str:
    """Render the query of everything about a table but its keys and tags, as one text."""
    return f"DESCRIBE TABLE EXTENDED {dotted(table)} AS JSON"


def describe_schema(catalog: str, schema: str) -> str:
    """Render DESCRIBE SCHEMA."""
    return f"DESCRIBE SCHEMA {identifier(catalog)}.{identifier(schema)}"


def describe_schema_extended(catalog: str, schema: str) -> str:
    """Render DESCRIBE SCHEMA EXTENDED, which shows the default collation."""
    return f"DESCRIBE SCHEMA EXTENDED {identifier(catalog)}.{identifier(schema)}"


_NO_SCHEMA = '{"type":"struct","fields":[]}'


def state_of(name: QualifiedName, facts: SchemaFacts, described: Description) -> TableState:
    """Return the state of one table."""
    properties = {key: value for key, value in described.properties.items() if not key.startswith(PROPERTY_PREFIX)}
    metadata = {
        "schemaString": _NO_SCHEMA,
        "description": described.comment,
        # Properties that emulate keys which Databricks knows itself are left out.
        "configuration": properties,
        "partitionColumns": described.partitioning,
    }
    base = LogFacts(metadata, described.protocol).state(name)
    return replace(
        base,
        columns=described.columns,
        checks=described.checks or base.checks,
        tags=_tags(facts.tags.get(name.table, ()), described.columns),
        clustering=described.clustering,
        not_shown=described.not_shown,
        **state_keys(facts.keys_of(name.table, described.relied)),
    )


def object_state(name: QualifiedName, facts: SchemaFacts, kind: str, comment: str) -> TableState:
    """Return the state of an object that is not a Delta table: its columns and its comment."""
    return TableState(name=name, columns=facts.columns_of(name.table), table_comment=comment, kind=kind)


def _column(row: ColumnRow) -> ColumnState:
    default = row.get("column_default")
    value = None if default is None else ColumnGeneration(default)
    data_type, comment = parse_databricks_type(row["full_data_type"]), row.get("comment") or ""
    return ColumnState(row["column_name"], data_type, row["is_nullable"] == "YES", comment, value)


def _tags(
    rows: Iterable[TableTagRow | ColumnTagRow], columns: Iterable[ColumnState]
) -> dict[ColumnPath, dict[str, str | None]]:
    stored = NameMap.of(columns)
    tags: dict[ColumnPath, dict[str, str | None]] = {}
    for row in rows:
        path = ColumnPath()
        if "column_name" in row:
            known = stored.get(row["column_name"])
            path = ColumnPath(row["column_name"] if known is None else known.name)
        tags.setdefault(path, {})[row["tag_name"]] = row["tag_value"] or ""
    return {path: dict(sorted(values.items())) for path, values in sorted(tags.items())}


_T = TypeVar("_T")


class CreateRow(TypedDict):
    """A CREATE statement."""

    createtab_stmt: str


class VersionRow(TypedDict):
    """A version in a history."""

    version: int


class RuntimeRow(TypedDict):
    """The version of a runtime; of a SQL warehouse there is none."""

    runtime: str | None


def prepare_row_types() -> None:
    """Build the decoders of all rows before threads use them."""
    from pytest_delta_schema.backends.kit import build_decoders

    relations = (TableRow, ColumnRow, KeyRow, ParentRow, TableTagRow, ColumnTagRow)
    build_decoders((DetailRow, JsonTable, CreateRow, VersionRow, RuntimeRow, *relations))


def checked_json(text: object) -> JsonTable:
    """Check the answer of DESCRIBE TABLE EXTENDED ... AS JSON; raise a ``ValueError`` if it has another form."""
    import msgspec

    values = json.loads(text) if isinstance(text, str) else text
    return msgspec.convert(values, JsonTable)


def typed(kind: type[_T], rows: Iterable[Mapping[str, Any]]) -> list[_T]:
    """Check rows, whose arrays may be those of numpy."""
    import msgspec

    plain = [{key: value.tolist() if hasattr(value, "tolist") else value for key, value in row.items()} for row in rows]
    try:
        return msgspec.convert(plain, list[kind], strict=False)  # type: ignore[valid-type]
    except (msgspec.ValidationError, RecursionError) as error:
        fault = str(error)
    msg = f"the workspace returned rows of another form ({fault})"
    raise StatementError(msg, condition="STRANGE_ROWS")


def first(kind: type[_T], rows: Iterable[Mapping[str, Any]]) -> _T:
    """Check rows of which the first one matters."""
    typed_rows = typed(kind, rows)
    if not typed_rows:
        msg = "the workspace returned no row where one was expected"
        raise StatementError(msg, condition="STRANGE_ROWS")
    return typed_rows[0]
