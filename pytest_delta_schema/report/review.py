"""Plans as SQL scripts for review: comments show each change, its risk, and what readers of the table lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.describe import change_lines, highest_risk
from pytest_delta_schema.plan.table_plan import TablePlan
from pytest_delta_schema.report.text.text import aligned, counted
from pytest_delta_schema.sql.compiler import script, statements

if TYPE_CHECKING:
    from pytest_delta_schema.plan.actions import AlignTable


def plan_script(plan: TablePlan) -> str:
    """Return a plan as SQL for review: every table below a header with its changes and their risks.

    It can be compared with a snapshot: ``assert plan_script(plan) == delta_snapshot``.

    Args:
        plan: From a :class:`~pytest_delta_schema.plan.TablePlanner`; an empty one is one line.

    Raises:
        DeclarationError: If it is not a plan.
    """
    if not isinstance(plan, TablePlan):
        remedy = "give the result of TablePlanner.plan or Orchestrator.plan_tables"
        refuse_kind("plan_script", "a TablePlan", plan, remedy)
    parts = [f"{_header(action)}\n\n{script(statements(action))}" for action in plan.actions]
    parts += [_comment(f"note: {note}") for note in plan.notes]
    return "\n\n".join(parts) if parts else "-- nothing changes"


def _header(action: CreateTable | AlignTable) -> str:
    lines = change_lines(action)
    head = "created" if isinstance(action, CreateTable) else counted(len(lines), "change")
    risk = highest_risk([action] if isinstance(action, CreateTable) else action.changes)
    return _comment(f"{escaped(action.table)}: {head}, {risk.label}\n{aligned(lines)}")


def _comment(text: str) -> str:
    # Each line is escaped by itself, so no name or comment in it becomes SQL.
    return "\n".join(f"-- {line}".rstrip() for line in text.split("\n"))
