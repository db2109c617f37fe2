"""Plans as SQL scripts for review: comments show each change, its risk, and what readers of the table lose."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.text import counted, escaped
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.actions import CreateTable, TablePlan, change_lines, highest_risk
from pytest_delta_schema.report.text import aligned
from pytest_delta_schema.rules.properties import declarable_properties
from pytest_delta_schema.source_code.modules import module_source
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.state.desired import declared_table
from pytest_delta_schema.state.states import TableState

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


def model_source(table: Table | TableState) -> str:
    """Return the source of a Python module that declares a table.

    The plan of the declared model against an observed table is empty. It declares everything that a model can manage:
    columns with comments and defaults, keys, checks, layout, tags, and properties that the platform does not write.

    Args:
        table: A model; or a state, such as ``catalog.read_tables([name]).tables[name]``.

    Raises:
        DeclarationError: If it is something else.
    """
    if isinstance(table, Table):
        return module_source([table])
    if not isinstance(table, TableState):
        remedy = "give a model, or catalog.read_tables([name]).tables[name]"
        refuse_kind("model_source", "a Table or a TableState", table, remedy)
    return module_source([replace(declared_table(table), table_properties=declarable_properties(table))])
