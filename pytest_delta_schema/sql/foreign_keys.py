"""Say foreign keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import ForeignKeyAdd, ForeignKeyDrop
from pytest_delta_schema.sql.named_constraints import add_constraint, drop_constraint
from pytest_delta_schema.sql.quoting import dotted, listed
from pytest_delta_schema.sql.statement import Renderers, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement


def add_foreign_key(table: QualifiedName, changes: Sequence[ForeignKeyAdd]) -> Iterator[Statement]:
    """Say each new foreign key; without parent columns it means the parent's primary key."""
    for change in changes:
        key = change.key
        there = f" ({listed(key.parent_columns)})" if key.parent_columns else ""
        said = f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {dotted(key.parent)}{there}"
        yield add_constraint(table, StatementKind.ADD_FOREIGN_KEY, change, key.name, said)


def drop_foreign_key(table: QualifiedName, changes: Sequence[ForeignKeyDrop]) -> Iterator[Statement]:
    """Say each foreign key that goes."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_FOREIGN_KEY, change, change.key.name)


RENDERERS: Renderers = {ForeignKeyDrop: drop_foreign_key, ForeignKeyAdd: add_foreign_key}
