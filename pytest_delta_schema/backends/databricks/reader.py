"""Build states from the rows of information_schema and DESCRIBE DETAIL.

``information_schema`` does not show generation expressions and identities; for tables that have the feature, the CREATE
statement is read as well.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.databricks.create_statement import CreateStatement, read_create
from pytest_delta_schema.backends.databricks.rows import (
    ColumnRow,
    DetailRow,
    KeyRow,
    ParentRow,
    TableRow,
    TagRow,
    typed,
)
from pytest_delta_schema.backends.databricks.types import parse_databricks_type
from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, folded
from pytest_delta_schema.delta.protocol import may_generate_columns
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.sql.information_schema import (
    column_tags_in,
    keys_in,
    parents_in,
    select_columns,
    select_tables,
    table_tags_in,
)
from pytest_delta_schema.state.delta_log import PROPERTY_PREFIX, state_from_metadata
from pytest_delta_schema.state.keys import KEY_KINDS, state_keys
from pytest_delta_schema.state.states import ForeignKeyState, KeyState, TableState
from pytest_delta_schema.state.types import ColumnGeneration, ColumnState, children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.state.states import Tags

    Ask = Callable[[str], Sequence[Mapping[str, Any]]]

_FOREIGN = "FOREIGN KEY"
_NO_SCHEMA = '{"type":"struct","fields":[]}'


class HiddenParentError(ValueError):
    """The parent of a foreign key is not visible to the principal."""


@dataclass(frozen=True, slots=True)
class SchemaFacts:
    """The rows of six queries about a whole schema.

    Args:
        tables: The tables, by name.
        columns: The columns, by table.
        keys: The columns of keys, by table and name of the key.
        parents: The parent columns of foreign keys, by name of the key.
        tags: The tags of tables and columns, by table.
    """

    tables: dict[str, TableRow] = field(default_factory=dict)
    columns: dict[str, list[ColumnRow]] = field(default_factory=lambda: defaultdict(list))
    keys: dict[str, dict[str, list[KeyRow]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    parents: dict[str, list[ParentRow]] = field(default_factory=lambda: defaultdict(list))
    tags: dict[str, list[TagRow]] = field(default_factory=lambda: defaultdict(list))


def read_schema(ask: Ask, catalog: str, schema: str) -> SchemaFacts:
    """Read everything about a schema.

    Raises:
        StatementError: If the workspace refuses a query, or its rows have another form.
    """
    facts = SchemaFacts()
    facts.tables.update(
        (folded(row["table_name"]), row) for row in typed(TableRow, ask(select_tables(catalog, schema)))
    )
    for column in typed(ColumnRow, ask(select_columns(catalog, schema))):
        facts.columns[folded(column["table_name"])].append(column)
    for key in typed(KeyRow, ask(keys_in(catalog, schema))):
        facts.keys[folded(key["table_name"])][key["constraint_name"]].append(key)
    for parent in typed(ParentRow, ask(parents_in(catalog, schema))):
        facts.parents[parent["constraint_name"]].append(parent)
    for query in (table_tags_in, column_tags_in):
        for tag in typed(TagRow, ask(query(catalog, schema))):
            facts.tags[folded(tag["table_name"])].append(tag)
    return facts


def protocol_of(detail: DetailRow) -> dict[str, Any]:
    """Return the protocol of DESCRIBE DETAIL in the form of a Delta log."""
    return {
        "minReaderVersion": detail["minReaderVersion"],
        "minWriterVersion": detail["minWriterVersion"],
        "writerFeatures": detail.get("tableFeatures") or (),
    }


def state_of(name: QualifiedName, facts: SchemaFacts, detail: DetailRow, created: str | None) -> TableState:
    """Return the state of one table.

    Args:
        name: The table.
        facts: The rows about its schema.
        detail: The row of DESCRIBE DETAIL.
        created: Its CREATE statement, if it may have keys, generation expressions or identities.

    Raises:
        ValueError: If a part cannot be understood.
    """
    rows = sorted(facts.columns.get(name.table, ()), key=lambda row: row["ordinal_position"])
    statement = _statement(created, rows, detail)
    values, relied = statement.generations, statement.relied
    base = state_from_metadata(
        name,
        metadata={
            "schemaString": _NO_SCHEMA,
            "description": detail.get("description"),
            "configuration": _properties(detail),
            "partitionColumns": detail.get("partitionColumns") or (),
        },
        protocol=protocol_of(detail),
    )
    columns = tuple(_column(row, values) for row in rows)
    return replace(
        base,
        columns=columns,
        tags=_tags(facts.tags.get(name.table, ()), columns),
        clustering=tuple(ColumnPath(*_path(text, columns)) for text in detail.get("clusteringColumns") or ()),
        **state_keys(
            _foreign(key, key_rows, facts.parents, relied)
            if _type(key_rows) == _FOREIGN
            else _key(key, key_rows, relied)
            for key, key_rows in facts.keys.get(name.table, {}).items()
            if _type(key_rows) in {_FOREIGN, *KEY_KINDS}
        ),
    )


def _statement(created: str | None, rows: Iterable[ColumnRow], detail: DetailRow) -> CreateStatement:
    """Read a CREATE statement; without one, or if only RELY is lost, nothing is generated and RELY is not known."""
    try:
        if created is not None:
            return read_create(created, [row["column_name"] for row in rows])
    except ValueError:
        if may_generate_columns(protocol_of(detail)):
            raise
    return CreateStatement(generations=NameMap(), relied=None)


def _properties(detail: DetailRow) -> dict[str, str]:
    """Return the properties of a table, without those that emulate keys which Databricks knows itself."""
    properties = dict(detail.get("properties") or {})
    return {key: value for key, value in properties.items() if not key.startswith(PROPERTY_PREFIX)}


def _column(row: ColumnRow, values: NameMap[ColumnGeneration]) -> ColumnState:
    default = row.get("column_default")
    value = values.get(row["column_name"]) or (None if default is None else ColumnGeneration(default))
    data_type, comment = parse_databricks_type(row["full_data_type"]), row.get("comment") or ""
    return ColumnState(row["column_name"], data_type, row["is_nullable"] == "YES", comment, value)


def _tags(rows: Iterable[TagRow], columns: Iterable[ColumnState]) -> Tags:
    stored = NameMap.of(columns)
    tags: dict[ColumnPath, dict[str, str | None]] = {}
    for row in rows:
        column = row.get("column_name")
        path = TABLE
        if column is not None:
            known = stored.get(column)
            path = ColumnPath(column if known is None else known.name)
        tags.setdefault(path, {})[row["tag_name"]] = row["tag_value"] or ""
    return {path: dict(sorted(values.items())) for path, values in sorted(tags.items())}


def _path(text: str, columns: Iterable[ColumnState]) -> tuple[str, ...]:
    """Return the path that a text with dots means; names may contain dots, too.

    Raises:
        ValueError: If several columns or fields have that text.
    """
    paths = list(_paths(text, tuple(columns)))
    if len(paths) > 1:
        msg = f"the clustering column {text} may be each of {', '.join(str(ColumnPath(*path)) for path in paths)}"
        raise ValueError(msg)
    return paths[0] if paths else (text,)


def _paths(text: str, columns: Sequence[ColumnState]) -> Iterator[tuple[str, ...]]:
    for column in columns:
        if text == column.name:
            yield (column.name,)
        elif text.startswith(f"{column.name}."):
            for path in _paths(text[len(column.name) + 1 :], children(column.data_type)):
                yield (column.name, *path)


def _type(rows: Sequence[KeyRow]) -> str:
    return rows[0]["constraint_type"]


def _in_order(rows: Iterable[KeyRow]) -> list[KeyRow]:
    return sorted(rows, key=lambda row: row["ordinal_position"])


def _key(name: str, rows: Sequence[KeyRow], relied: NameSet | None) -> KeyState:
    columns = tuple(row["column_name"] for row in _in_order(rows))
    return KeyState(name, columns, None if relied is None else name in relied, KEY_KINDS[_type(rows)])


def _foreign(
    name: str, rows: Sequence[KeyRow], parents: Mapping[str, Sequence[ParentRow]], relied: NameSet | None
) -> ForeignKeyState:
    ordered = _in_order(rows)
    by_position = {row["ordinal_position"]: row for row in parents.get(name, ())}
    positions = [row["position_in_unique_constraint"] or row["ordinal_position"] for row in ordered]
    if not by_position or any(position not in by_position for position in positions):
        msg = f"foreign key {name} references a table that the principal cannot see"
        raise HiddenParentError(msg)
    first = by_position[positions[0]]
    parent = QualifiedName(*(folded(first[part]) for part in ("table_catalog", "table_schema", "table_name")))
    columns = tuple(row["column_name"] for row in ordered)
    parent_columns = tuple(by_position[position]["column_name"] for position in positions)
    return ForeignKeyState(name, columns, parent, parent_columns, None if relied is None else name in relied)
