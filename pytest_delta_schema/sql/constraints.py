"""Say primary keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.sql.quoting import dotted, identifier
from pytest_delta_schema.sql.statement import Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import PrimaryKeyAdd, PrimaryKeyDrop


def add_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyAdd]) -> Iterator[Statement]:
    """Say the new primary key."""
    for change in changes:
        columns = ", ".join(map(identifier, change.columns))
        yield Statement(
            table=table,
            kind=StatementKind.ADD_PRIMARY_KEY,
            sql=f"ALTER TABLE {dotted(table)} ADD CONSTRAINT {identifier(change.name)} PRIMARY KEY ({columns})",
            changes=(change,),
        )


def drop_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyDrop]) -> Iterator[Statement]:
    """Say that the primary key goes."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.DROP_PRIMARY_KEY,
            sql=f"ALTER TABLE {dotted(table)} DROP CONSTRAINT {identifier(change.name)}",
            changes=(change,),
        )
