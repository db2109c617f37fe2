"""Say foreign keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.sql.quoting import dotted, identifier, listed
from pytest_delta_schema.sql.statement import Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import ForeignKeyAdd, ForeignKeyDrop


def add_foreign_key(table: QualifiedName, changes: Sequence[ForeignKeyAdd]) -> Iterator[Statement]:
    """Say each new foreign key; without parent columns it means the parent's primary key."""
    for change in changes:
        key = change.key
        there = f" ({listed(key.parent_columns)})" if key.parent_columns else ""
        yield Statement(
            table=table,
            kind=StatementKind.ADD_FOREIGN_KEY,
            sql=f"ALTER TABLE {dotted(table)} ADD CONSTRAINT {identifier(key.name)}"
            f" FOREIGN KEY ({listed(key.columns)}) REFERENCES {dotted(key.parent)}{there}",
            changes=(change,),
        )


def drop_foreign_key(table: QualifiedName, changes: Sequence[ForeignKeyDrop]) -> Iterator[Statement]:
    """Say each foreign key that goes."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.DROP_FOREIGN_KEY,
            sql=f"ALTER TABLE {dotted(table)} DROP CONSTRAINT {identifier(change.key.name)}",
            changes=(change,),
        )
