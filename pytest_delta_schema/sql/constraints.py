"""Say primary keys and checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.sql.quoting import condition, dotted, identifier, listed
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.delta_log import CHECK_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import CheckAdd, CheckDrop, PrimaryKeyAdd, PrimaryKeyDrop
    from pytest_delta_schema.state.states import CheckState


def add_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyAdd]) -> Iterator[Statement]:
    """Say the new primary key."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.ADD_PRIMARY_KEY,
            sql=f"ALTER TABLE {dotted(table)} ADD CONSTRAINT {identifier(change.name)}"
            f" PRIMARY KEY ({listed(change.columns)})",
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


def add_check(table: QualifiedName, changes: Sequence[CheckAdd]) -> Iterator[Statement]:
    """Say each new check; its expression stands as it was written."""
    for change in changes:
        name = identifier(change.name.lower())
        yield Statement(
            table=table,
            kind=StatementKind.ADD_CHECK,
            sql=f"ALTER TABLE {dotted(table)} ADD CONSTRAINT {name} CHECK {condition(change.expression)}",
            changes=(change,),
        )


def drop_check(table: QualifiedName, changes: Sequence[CheckDrop]) -> Iterator[Statement]:
    """Say each check that goes."""
    for change in changes:
        yield Statement(
            table=table,
            kind=StatementKind.DROP_CHECK,
            sql=f"ALTER TABLE {dotted(table)} DROP CONSTRAINT {identifier(change.name)}",
            changes=(change,),
        )


def check_properties(checks: Iterable[CheckState]) -> dict[str, str]:
    """Return the properties with which a new table gets its checks in the one commit of its creation.

    Delta finds a constraint by its name in lower case only (run on the released jars).
    """
    return {f"{CHECK_PREFIX}{check.name.lower()}": check.expression for check in checks}
