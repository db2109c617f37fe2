"""Build states from the rows of information_schema and DESCRIBE DETAIL.

``information_schema`` does not show generation expressions and identities; for tables that have the feature, the CREATE
statement is read as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.databricks.create_statement import CreateStatement, read_create
from pytest_delta_schema.backends.kit import (
    PROPERTY_PREFIX,
    NameMap,
    children,
    may_generate_columns,
    parse_databricks_type,
    state_from_metadata,
    state_keys,
)
from pytest_delta_schema.state import ColumnGeneration, ColumnPath, ColumnState, TableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.backends.databricks.information_schema import (
        ColumnRow,
        ColumnTagRow,
        SchemaFacts,
        TableTagRow,
    )
    from pytest_delta_schema.backends.databricks.rows import DetailRow
    from pytest_delta_schema.models import QualifiedName

_NO_SCHEMA = '{"type":"struct","fields":[]}'


def protocol_of(detail: DetailRow) -> dict[str, Any]:
    """Return the protocol of DESCRIBE DETAIL in the form of a Delta log."""
    return {
        "minReaderVersion": detail["minReaderVersion"],
        "minWriterVersion": detail["minWriterVersion"],
        "writerFeatures": detail.get("tableFeatures") or (),
    }


def state_of(name: QualifiedName, facts: SchemaFacts, detail: DetailRow, created: str | None) -> TableState:
    """Return the state of one table.

    ``detail`` is the row of DESCRIBE DETAIL. There is a CREATE statement if the table may have keys, generation
    expressions or identities.

    Raises:
        ValueError: If a part cannot be understood.
    """
    rows = _ordered(facts.columns.get(name.table, ()))
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
        **state_keys(facts.keys_of(name.table, relied)),
    )


def object_state(name: QualifiedName, facts: SchemaFacts, kind: str, comment: str) -> TableState:
    """Return the state of an object that is not a Delta table: its columns and its comment.

    Raises:
        ValueError: If a type cannot be understood.
    """
    columns = tuple(_column(row, NameMap()) for row in _ordered(facts.columns.get(name.table, ())))
    return TableState(name=name, columns=columns, table_comment=comment, kind=kind)


def _ordered(rows: Iterable[ColumnRow]) -> list[ColumnRow]:
    return sorted(rows, key=lambda row: row["ordinal_position"])


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
