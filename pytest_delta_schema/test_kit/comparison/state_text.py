"""The state of a table as SQL text, for comparison with a snapshot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.names.column_path import TABLE
from pytest_delta_schema.diagnostics.escaping import identifier, note_on
from pytest_delta_schema.engine.current import catalog_or_current
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.rules.aspects.properties import is_declarable
from pytest_delta_schema.sql.aspects.columns import column_definition
from pytest_delta_schema.sql.aspects.layout import layout_clauses
from pytest_delta_schema.sql.aspects.properties import property_lines
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.quoting import condition, dotted, listed, literal
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.test_kit.tables import name_of, versions_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.catalog_reader import CatalogReader
    from pytest_delta_schema.state.states import TableState

_IN_THE_FIRST = frozenset(
    {
        StatementKind.CREATE_SCHEMA,
        StatementKind.CREATE_TABLE,
        StatementKind.ADD_PRIMARY_KEY,
        StatementKind.ADD_UNIQUE,
        StatementKind.ADD_FOREIGN_KEY,
    }
)
"""The statements of a creation that are written as one, without the names of keys."""


@hides_traceback
def state_text(table: Table | str, *, version: int | None = None, catalog: CatalogReader | None = None) -> str:
    """Describe an existing table as SQL, which a test compares with ``delta_snapshot``.

    The text has the columns, keys, checks, layout, comment, tags, and the properties that the platform does not write.
    Names of schemas, and names of keys, which are made from them, are left out: a scratch copy has the text of its
    original.

    Args:
        table: A model, or the dotted name of a table.
        version: An older version of the table; by default the newest.
        catalog: Where the table is read; by default the catalog of the pytest run.

    Raises:
        CatalogReadError: If the table does not exist, or cannot be read in that version.
        DeclarationError: If there is no catalog, or it cannot read older versions.
    """
    reader, name = catalog_or_current(catalog, "state_text"), name_of(table)
    if version is None:
        return table_text(reader.read_tables([name]).existing(name))
    return table_text(versions_in(reader, "state_text").state_at(name, version))


def table_text(state: TableState) -> str:
    """Return a state as SQL; see :func:`state_text`."""
    lines = ",\n".join(f"  {line}" for line in (*map(column_definition, state.columns), *_constraints(state)))
    table = identifier(state.name.written.table)
    clauses = [f"CREATE TABLE {table} (\n{lines}\n)", "USING DELTA"]
    clauses += layout_clauses(state.partitioning, state.clustering)
    if state.table_comment:
        clauses.append(f"COMMENT {literal(state.table_comment)}")
    properties = {
        key: value for key, value in sorted(state.table_properties.items()) if value is not None and is_declarable(key)
    }
    if properties:
        clauses.append(f"TBLPROPERTIES (\n{property_lines(properties)}\n)")
    texts = ["\n".join(clauses), *_after_creation(state)]
    note = note_on("\n".join(texts))
    return "\n\n".join([*([f"-- {note}"] if note else ()), *(f"{text};" for text in texts)])


def _constraints(state: TableState) -> Iterator[str]:
    for key in state.keys:
        yield f"{key.kind.upper().removesuffix(' CONSTRAINT')} ({listed(key.columns)}){' RELY' if key.rely else ''}"
    for foreign_key in state.foreign_keys:
        parent_columns = f" ({listed(foreign_key.parent_columns)})" if foreign_key.parent_columns else ""
        parent = f"{identifier(foreign_key.parent.written.table)}{parent_columns}"
        rely = " RELY" if foreign_key.rely else ""
        yield f"FOREIGN KEY ({listed(foreign_key.columns)}) REFERENCES {parent}{rely}"
    for check in state.checks:
        yield f"CONSTRAINT {identifier(check.name)} CHECK {condition(check.expression)}"


def _after_creation(state: TableState) -> Iterator[str]:
    """Yield the statements that follow CREATE TABLE, with the last part of the table's name only."""
    tags = sorted(state.tags.items(), key=lambda item: (item[0] != TABLE, item[0].folded))
    ordered = replace(state, tags={path: dict(sorted(values.items())) for path, values in tags})
    for statement in statements(TablePlanner().creation(ordered)):
        if statement.kind not in _IN_THE_FIRST:
            yield statement.sql.replace(dotted(state.name), identifier(state.name.written.table), 1)
