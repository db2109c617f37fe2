"""The SQL of the tables of a script: ``{path}`` is the folder of the table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.features import COLUMN_MAPPING, TYPE_WIDENING
from pytest_delta_schema.delta.type_widening import Widening, widening
from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.compiler import renderer_of, statements
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.values import value_sql
from pytest_delta_schema.state.required_features import unsupported_features
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.state.types import is_generated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.compatibility.contract_change import StatePair
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState

FOLDER_OF_TABLE = "\ue000path\ue001"
"""The folder of the table until a script is written; names do not have these characters for private use."""

SCRIPT_TABLE = f"delta.`{FOLDER_OF_TABLE}`"
"""The table as SQL names it."""

_LINES = re.compile(r"(?<=\()\n\s*|\n(?=\))|(\n\s*)")
_NOT_STORED = (
    kinds.ForeignKeyAdd,
    kinds.ForeignKeyDrop,
    kinds.PrimaryKeyAdd,
    kinds.PrimaryKeyDrop,
    kinds.SetTags,
    kinds.UniqueAdd,
    kinds.UniqueDrop,
    kinds.UnsetTags,
)
"""What open-source Delta has no place for."""


def creation(state: TableState) -> str:
    """Return the statement that creates a table, without its keys and tags."""
    created = TablePlanner().creation(state, creates_schema=False)
    return _on_path(statements(created)[0].sql, state.name)


def insertion(columns: Sequence[ColumnState], row: Mapping[str, Any]) -> str:
    """Return the statement that appends a row."""
    given = [column for column in columns if column.name in row]
    names = ", ".join(identifier(column.name) for column in given)
    values = ", ".join(value_sql(row[column.name], column.data_type) for column in given)
    return f"INSERT INTO {SCRIPT_TABLE} ({names}) VALUES ({values})"  # noqa: S608 - quoted


def frame_query(columns: Iterable[ColumnState], row: Mapping[str, Any]) -> str:
    """Return a query with one row in the types of some columns; texts have no length in a frame."""
    return "SELECT " + ", ".join(
        f"{value_sql(row[column.name], column.data_type)} AS {identifier(column.name)}" for column in columns
    )


def changes_in_place(pair: StatePair) -> list[str]:
    """Return the statements that change a table; one that Delta cannot change is replaced by a new one."""
    plan = TablePlanner().plan_states([pair.new], CatalogState.of({pair.old.name: pair.old}))
    changes = [change for action in plan.align_tables for change in action.changes]
    if all(_is_in_place(change, pair.old) for change in changes):
        return _rendered((change for change in changes if not isinstance(change, _NOT_STORED)), pair.old)
    # A table that is replaced keeps its protocol, and some features are only enabled by a property.
    enabling = (change for change in changes if isinstance(change, kinds.SetTableProperties))
    return [*_rendered(enabling, pair.old), f"REPLACE{creation(pair.new).removeprefix('CREATE')}"]


def _rendered(changes: Iterable[Change], table: TableState) -> list[str]:
    return [
        _on_path(statement.sql, table.name)
        for change in changes
        for statement in renderer_of(type(change))(table.name, (change,))
    ]


def _is_in_place(change: Change, old: TableState) -> bool:
    """Whether Delta makes a change of a table as it is declared, without a step in between."""
    if isinstance(change, (kinds.ColumnDrop, kinds.ColumnRename)):
        return not unsupported_features((COLUMN_MAPPING,), old)
    if isinstance(change, kinds.ColumnTypeChange):
        needs = widening(change.before, change.after)
        is_enabled = not unsupported_features((TYPE_WIDENING,), old)
        return needs is Widening.ALWAYS or (needs is Widening.BY_FEATURE and is_enabled)
    if isinstance(change, kinds.ColumnAdd):
        return change.column.is_nullable and not is_generated(change.column)
    if isinstance(change, kinds.ColumnNullabilityChange):
        return change.is_nullable
    return not isinstance(change, (kinds.ColumnGenerationChange, kinds.ColumnMappingRemoval))


def _on_path(sql: str, table: QualifiedName) -> str:
    """Return a statement on one line, with the folder of the table instead of its name."""
    # A comment in an expression ends with its line.
    text = sql if "--" in sql else _LINES.sub(lambda match: " " if match[1] else "", sql)
    return text.replace(dotted(table), SCRIPT_TABLE)
