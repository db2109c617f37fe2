"""Render foreign keys as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import ForeignKeyAdd, ForeignKeyDrop
from pytest_delta_schema.sql.aspects.named_constraints import add_constraint, drop_constraint
from pytest_delta_schema.sql.quoting import dotted, listed
from pytest_delta_schema.sql.statement import Renderers, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement


def add_foreign_key(table: QualifiedName, changes: Sequence[ForeignKeyAdd]) -> Iterator[Statement]:
    """Render each new foreign key; without parent columns it references the parent's primary key."""
    for change in changes:
        key = change.key
        parent_columns = f" ({listed(key.parent_columns)})" if key.parent_columns else ""
        rely = " RELY" if key.rely else ""
        clause = f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {dotted(key.parent)}{parent_columns}{rely}"
        yield add_constraint(table, StatementKind.ADD_FOREIGN_KEY, change, key.name, clause)


def drop_foreign_key(table: QualifiedName, changes: Sequence[ForeignKeyDrop]) -> Iterator[Statement]:
    """Render the removal of each foreign key."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_FOREIGN_KEY, change, change.key.name)


RENDERERS: Renderers = {ForeignKeyDrop: drop_foreign_key, ForeignKeyAdd: add_foreign_key}
