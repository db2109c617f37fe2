"""Render primary keys as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import PrimaryKeyAdd, PrimaryKeyDrop
from pytest_delta_schema.sql.aspects.named_constraints import add_constraint, drop_constraint
from pytest_delta_schema.sql.quoting import listed
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName


def add_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyAdd]) -> Iterator[Statement]:
    """Render the new primary key."""
    for change in changes:
        clause = f"PRIMARY KEY ({listed(change.columns)}){' RELY' if change.rely else ''}"
        yield add_constraint(table, StatementKind.ADD_PRIMARY_KEY, change, change.name, clause)


def drop_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyDrop]) -> Iterator[Statement]:
    """Render the removal of the primary key."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_PRIMARY_KEY, change, change.name)


RENDERERS: Renderers = {PrimaryKeyDrop: drop_primary_key, PrimaryKeyAdd: add_primary_key}
