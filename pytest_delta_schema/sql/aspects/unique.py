"""Render UNIQUE constraints as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.changes import UniqueAdd, UniqueDrop
from pytest_delta_schema.sql.aspects.named_constraints import add_constraint, drop_constraint
from pytest_delta_schema.sql.quoting import listed
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName


def add_unique(table: QualifiedName, changes: Sequence[UniqueAdd]) -> Iterator[Statement]:
    """Render each new UNIQUE constraint."""
    for change in changes:
        clause = f"UNIQUE ({listed(change.key.columns)})"
        yield add_constraint(table, StatementKind.ADD_UNIQUE, change, change.key.name, clause)


def drop_unique(table: QualifiedName, changes: Sequence[UniqueDrop]) -> Iterator[Statement]:
    """Render the removal of each UNIQUE constraint."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_UNIQUE, change, change.key.name)


RENDERERS: Renderers = {UniqueDrop: drop_unique, UniqueAdd: add_unique}
