"""Render CHECK constraints as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.reserved_properties import CHECK_PREFIX
from pytest_delta_schema.diagnostics.escaping import escaped_literals
from pytest_delta_schema.plan.changes import CheckAdd, CheckDrop
from pytest_delta_schema.sql.aspects.named_constraints import add_constraint, drop_constraint
from pytest_delta_schema.sql.quoting import condition
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import CheckState


def add_check(table: QualifiedName, changes: Sequence[CheckAdd]) -> Iterator[Statement]:
    """Render each new check; its expression is written as declared."""
    for change in changes:
        clause = f"CHECK {condition(change.expression)}"
        yield add_constraint(table, StatementKind.ADD_CHECK, change, folded(change.name), clause)


def drop_check(table: QualifiedName, changes: Sequence[CheckDrop]) -> Iterator[Statement]:
    """Render the removal of each check."""
    for change in changes:
        yield drop_constraint(table, StatementKind.DROP_CHECK, change, change.name)


RENDERERS: Renderers = {CheckDrop: drop_check, CheckAdd: add_check}


def check_properties(checks: Iterable[CheckState]) -> dict[str, str]:
    """Return the properties with which a new table gets its checks in the one commit of its creation.

    Delta finds a constraint by its name in lower case only (Delta 4.4.0).
    """
    return {f"{CHECK_PREFIX}{folded(check.name)}": escaped_literals(check.expression) for check in checks}
