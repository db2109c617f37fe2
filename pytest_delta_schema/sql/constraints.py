"""Say primary keys and checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.escaping import escaped_literals
from pytest_delta_schema.sql.quoting import condition, dotted, identifier, listed
from pytest_delta_schema.sql.statement import Statement, StatementKind
from pytest_delta_schema.state.delta_log import CHECK_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import Change, CheckAdd, CheckDrop, PrimaryKeyAdd, PrimaryKeyDrop
    from pytest_delta_schema.state.states import CheckState


def add_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyAdd]) -> Iterator[Statement]:
    """Say the new primary key."""
    for change in changes:
        said = f"PRIMARY KEY ({listed(change.columns)})"
        yield add_constraint(table, StatementKind.ADD_PRIMARY_KEY, change, change.name, said)


def drop_primary_key(table: QualifiedName, changes: Sequence[PrimaryKeyDrop]) -> Iterator[Statement]:
    """Say that the primary key goes."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_PRIMARY_KEY, change, change.name)


def add_check(table: QualifiedName, changes: Sequence[CheckAdd]) -> Iterator[Statement]:
    """Say each new check; its expression stands as it was written."""
    for change in changes:
        said = f"CHECK {condition(change.expression)}"
        yield add_constraint(table, StatementKind.ADD_CHECK, change, change.name.lower(), said)


def drop_check(table: QualifiedName, changes: Sequence[CheckDrop]) -> Iterator[Statement]:
    """Say each check that goes."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_CHECK, change, change.name)


def add_constraint(table: QualifiedName, kind: StatementKind, change: Change, name: str, said: str) -> Statement:
    """Say one new constraint of any kind."""
    sql = f"ALTER TABLE {dotted(table)} ADD CONSTRAINT {identifier(name)} {said}"
    return Statement(table=table, kind=kind, sql=sql, changes=(change,))


def drop_constraint(table: QualifiedName, kind: StatementKind, change: Change, name: str) -> Statement:
    """Say that one constraint of any kind goes."""
    sql = f"ALTER TABLE {dotted(table)} DROP CONSTRAINT {identifier(name)}"
    return Statement(table=table, kind=kind, sql=sql, changes=(change,))


def check_properties(checks: Iterable[CheckState]) -> dict[str, str]:
    """Return the properties with which a new table gets its checks in the one commit of its creation.

    Delta finds a constraint by its name in lower case only (run on the released jars).
    """
    return {f"{CHECK_PREFIX}{check.name.lower()}": escaped_literals(check.expression) for check in checks}
