"""Render the statements that constraints of every kind have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.sql.statement import Statement

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.sql.statement import StatementKind


def add_constraint(table: QualifiedName, kind: StatementKind, change: Change, name: str, clause: str) -> Statement:
    """Render ADD CONSTRAINT.

    The clause is what follows the name: ``PRIMARY KEY (`id`)``.
    """
    sql = f"ALTER TABLE {dotted(table)} ADD CONSTRAINT {identifier(name)} {clause}"
    return Statement(table=table, kind=kind, sql=sql, changes=(change,))


def drop_constraint(table: QualifiedName, kind: StatementKind, change: Change, name: str) -> Statement:
    """Render DROP CONSTRAINT."""
    sql = f"ALTER TABLE {dotted(table)} DROP CONSTRAINT {identifier(name)}"
    return Statement(table=table, kind=kind, sql=sql, changes=(change,))
