"""Plans for review: SQL in which comments show each change and its risk, and plan files as text, SQL and Markdown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.diagnostics.text import counted, escaped
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.actions import CreateTable, TablePlan, change_lines, highest_risk
from pytest_delta_schema.report.markdown import pull_request_comment
from pytest_delta_schema.report.run_report import Run, RunReport, TableReport
from pytest_delta_schema.report.text import aligned, changes_text, sql_text
from pytest_delta_schema.rules.properties import declarable_properties
from pytest_delta_schema.source_code.modules import module_source
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.state.desired import declared_table
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from pytest_delta_schema.engine.plan_file import PlanFile
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


def plan_file_text(plan: PlanFile) -> str:
    """Return a plan file as text for a terminal."""
    parts = [f"{_described(entry)}\n\n{sql_text(entry.statements, is_printed=True)}" for entry in _changed(plan)]
    return "\n\n".join([_summary(plan), *parts, ""])


def plan_file_script(plan: PlanFile) -> str:
    """Return a plan file as SQL, with everything else in comments."""
    parts = [f"{_comment(_described(entry))}\n\n{sql_text(entry.statements)}" for entry in _changed(plan)]
    return "\n\n".join([_comment(_summary(plan)), *parts, ""])


def plan_file_markdown(plan: PlanFile) -> str:
    """Return a plan file as Markdown for a pull request, shortened if it is too long for a comment."""
    run = Run(mode="drift", plan=f"{plan.file} ({plan.digest})")
    return pull_request_comment(RunReport(runs=(run,), tables=_entries(plan)), _title(plan))


PLAN_FORMATS = {"text": plan_file_text, "sql": plan_file_script, "markdown": plan_file_markdown}
"""The formats in which a plan file is shown."""


def _entries(plan: PlanFile) -> tuple[TableReport, ...]:
    return tuple(
        TableReport(
            name=str(table.table),
            stored_as=str(table.table),
            mode="drift",
            status=Status.IN_SYNC if table.is_empty else Status.DRIFTED,
            changes=table.changes,
            statements=table.statements,
            notes=tuple(
                Diagnostic(severity="note", table=str(table.table), message=text)
                for text in (
                    *(f"uses the consent {consent}" for consent in table.consents),
                    *(f"no row may be found by: {query}" for query in table.data_checks),
                )
            ),
        )
        for table in plan.tables
    )


def _changed(plan: PlanFile) -> list[TableReport]:
    return [entry for entry in _entries(plan) if entry.changes]


def _title(plan: PlanFile) -> str:
    return f"{plan.file} changes {len(_changed(plan))} of {counted(len(plan.tables), 'table')}"


def _summary(plan: PlanFile) -> str:
    unchanged = ", ".join(str(table.table) for table in plan.tables if table.is_empty)
    about = {"digest": plan.digest[:12], "settings": ", ".join(plan.settings), "unchanged": unchanged}
    lines = [f"{_title(plan)}, made by pytest-delta-schema {plan.tool_version}"]
    return "\n".join(map(escaped, [*lines, *(f"{name}: {text}" for name, text in about.items() if text)]))


def _described(entry: TableReport) -> str:
    notes = [f"  note: {escaped(note.message)}" for note in entry.notes]
    head = f"{escaped(entry.name)}: {counted(len(entry.changes), 'change')}, {entry.risk}"
    return "\n".join([head, changes_text(entry.changes), *notes])
