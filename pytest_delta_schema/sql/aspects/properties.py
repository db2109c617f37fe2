"""Render table properties as SQL; keys and values are literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import ColumnMappingRemoval, SetTableProperties, UnsetTableProperties
from pytest_delta_schema.sql.quoting import dotted, literal
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models.names import QualifiedName


def property_lines(properties: Mapping[str, str]) -> str:
    """Render properties, one on each line, without the parentheses."""
    return ",\n".join([f"  {literal(key)} = {literal(value)}" for key, value in properties.items()])


def remove_column_mapping(table: QualifiedName, changes: Sequence[ColumnMappingRemoval]) -> Iterator[Statement]:
    """Render the removal of column mapping as a separate statement, because Delta rewrites the table for it."""
    for change in changes:
        if change.after is None:
            kind, sql = StatementKind.UNSET_PROPERTIES, unset_tblproperties(table, (change.key,))
        else:
            kind, sql = StatementKind.SET_PROPERTIES, _set_tblproperties(table, {change.key: change.after})
        yield Statement(table=table, kind=kind, sql=sql, changes=(change,))


def set_properties(table: QualifiedName, changes: Sequence[SetTableProperties]) -> Iterator[Statement]:
    """Render all properties to set as one statement."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.SET_PROPERTIES,
            sql=_set_tblproperties(table, change.properties),
            changes=(change,),
        )


def _set_tblproperties(table: QualifiedName, properties: Mapping[str, str]) -> str:
    return f"ALTER TABLE {dotted(table)} SET TBLPROPERTIES (\n{property_lines(properties)}\n)"


def unset_properties(table: QualifiedName, changes: Sequence[UnsetTableProperties]) -> Iterator[Statement]:
    """Render all properties to remove as one statement."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.UNSET_PROPERTIES,
            sql=unset_tblproperties(table, change.keys),
            changes=(change,),
        )


def unset_tblproperties(table: QualifiedName, keys: Iterable[str]) -> str:
    """Return the statement that removes properties."""
    return f"ALTER TABLE {dotted(table)} UNSET TBLPROPERTIES IF EXISTS ({', '.join(map(literal, keys))})"


def set_keys(statement: Statement) -> Iterator[str]:
    """Yield the keys of the properties that a statement sets, with those of a table that it creates."""
    for change in statement.changes:
        match change:
            case SetTableProperties():
                yield from change.properties
            case CreateTable():
                yield from change.table_properties


def unset_keys(statement: Statement) -> Iterator[str]:
    """Yield the keys of the properties that a statement removes."""
    for change in statement.changes:
        if isinstance(change, UnsetTableProperties):
            yield from change.keys


RENDERERS: Renderers = {
    SetTableProperties: set_properties,
    UnsetTableProperties: unset_properties,
    ColumnMappingRemoval: remove_column_mapping,
}
