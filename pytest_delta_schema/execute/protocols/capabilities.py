"""Refuse plans with statements that a catalog cannot run, before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.part_path import WHOLE_TABLE
from pytest_delta_schema.diagnostics.errors import UnsafePlanError
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.rules.reported_rules import UnsupportedStatement
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.sql.compiler import statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.execute.protocols.catalog import DeltaDDL
    from pytest_delta_schema.plan.actions import CreateTable


def unsupported_statements(action: CreateTable | AlignTable, ddl: DeltaDDL) -> Iterator[Diagnostic]:
    """Yield a violation for every statement of ``action`` that a catalog cannot run, at all or on that table."""
    capabilities = ddl.capabilities
    observed = action.observed if isinstance(action, AlignTable) else None
    for statement in statements(action):
        refusal = capabilities.refuses(statement) or capabilities.refuses_for_table(statement, observed)
        if refusal is not None:
            message = f"the {ddl.name} backend cannot {statement.kind.value}: {refusal.reason}"
            yield violation(UnsupportedStatement(), action.table, WHOLE_TABLE, message, refusal.remedy)


def require_able(action: CreateTable | AlignTable, ddl: DeltaDDL) -> None:
    """Make sure that a catalog can do all of ``action``.

    Raises:
        UnsafePlanError: With everything that it cannot; nothing was changed.
    """
    violations = tuple(unsupported_statements(action, ddl))
    if violations:
        raise UnsafePlanError(violations)
