"""One table of a report: what differs, why it fails, both schemas, and the SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import note_on
from pytest_delta_schema.engine.outcomes.outcome import DataChecks
from pytest_delta_schema.plan.change_markers import ABSENT
from pytest_delta_schema.report.html.change_table import change_tables, risk_label
from pytest_delta_schema.report.html.diagnostic_list import diagnostic_list
from pytest_delta_schema.report.html.markup import NOTHING, Html, element, joined, lines, text
from pytest_delta_schema.report.html.schema_rows import schema_rows
from pytest_delta_schema.report.html.source_links import location_link
from pytest_delta_schema.report.html.sql_markup import sql_markup
from pytest_delta_schema.report.html.status_marks import status_badge
from pytest_delta_schema.report.text.sql_text import remarks_on, sql_heading
from pytest_delta_schema.report.text.text import counted
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.engine.outcomes.outcome import OutcomeStatement
    from pytest_delta_schema.report.html.schema_rows import SchemaRow
    from pytest_delta_schema.report.report_entries import TableReport

_SAME = element("td", text("same"), class_="absent")
_GROUPS = {
    "columns": "Columns",
    "constraints": "Constraints",
    "table": "Table",
    "properties": "Properties",
}


def schema_name(table: TableReport) -> str:
    """Return the name of a table without its last part."""
    return table.name.rpartition(".")[0]


def table_section(table: TableReport, anchor: str, source_url: str, *, names_run: bool, is_open: bool) -> Html:
    """Return the section of a table.

    It names the mode, the backend and the target if the report has several runs.
    """
    risks = {change.risk for change in table.changes}
    return element(
        "details",
        _summary(table, names_run=names_run),
        element(
            "div",
            _facts(table, source_url),
            _failure(table),
            diagnostic_list("Why it fails", table.diagnostics, source_url),
            change_tables(table, source_url),
            _schemas(table),
            _statements(table),
            _restore(table),
            diagnostic_list("Where the differences come from", table.background, source_url),
            diagnostic_list("Notes", table.notes, source_url),
            class_="body",
        ),
        id=anchor,
        class_="table",
        data_status=table.status.value,
        data_risks=" ".join(risk for risk in RISKS if risk in risks) or None,
        data_schema=schema_name(table),
        open="" if is_open else None,
    )


def _summary(table: TableReport, *, names_run: bool) -> Html:
    schema, dot, name = table.name.rpartition(".")
    run = " \u00b7 ".join(part for part in (table.mode, table.backend, table.target) if part)
    return element(
        "summary",
        status_badge(table.status),
        element("h3", element("span", text(f"{schema}{dot}"), class_="schema"), text(name)),
        element("span", text(run), class_="count") if names_run else NOTHING,
        element("span", text(counted(len(table.changes), "change")), class_="count") if table.changes else NOTHING,
        risk_label(table.risk),
    )


def _facts(table: TableReport, source_url: str) -> Html:
    checks = ", ".join(f"{check.check} {check.outcome}" for check in table.checks)
    facts = [
        ("Declared at", location_link(table.location, source_url)),
        ("Stored as", element("code", text(table.stored_as)) if table.stored_as not in {"", table.name} else NOTHING),
        ("Version read", NOTHING if table.observed_version is None else text(table.observed_version)),
        ("Checks", text(checks)),
        ("Data checks", text("" if table.data_checks is DataChecks.NOT_RUN else table.data_checks.value)),
    ]
    return element(
        "dl",
        *[element("div", element("dt", text(name)), element("dd", value)) for name, value in facts if value],
        class_="facts",
    )


def _failure(table: TableReport) -> Html:
    if not table.failure:
        return NOTHING
    return joined([element("h4", text("Error of the catalog")), element("pre", lines(table.failure), class_="failure")])


def _statements(table: TableReport) -> Html:
    if not table.statements:
        return NOTHING
    heading = sql_heading(table.statements, is_blocked=bool(table.diagnostics))
    ran = any(statement.has_run for statement in table.statements)
    items = [element("li", *_statement(statement, names_run=ran)) for statement in table.statements]
    return joined([element("h4", text(heading)), element("ol", *items, class_="sql")])


def _statement(statement: OutcomeStatement, *, names_run: bool) -> Sequence[Html]:
    remarks = [
        *remarks_on(statement),
        *(["ran" if statement.has_run else "did not run"] if names_run else []),
        *([note] if (note := note_on(statement.sql)) else []),
    ]
    return (
        element("p", text(", ".join(remarks)), class_="remark") if remarks else NOTHING,
        element("pre", sql_markup(f"{statement.sql};"), class_="copied"),
    )


def _restore(table: TableReport) -> Html:
    if not table.restore_sql:
        return NOTHING
    version = "" if table.restore_version is None else f" to version {table.restore_version}"
    return joined(
        [
            element("h4", text(f"Restore{version}, before the apply")),
            element("div", element("pre", sql_markup(f"{table.restore_sql};"), class_="copied")),
        ]
    )


def _schemas(table: TableReport) -> Html:
    catalog = "Catalog, before" if table.mode == "apply" else "Catalog"
    known = [name for name, state in (("Model", table.declared), (catalog, table.observed)) if state is not None]
    if not known:
        return NOTHING
    rows = schema_rows(table.declared, table.observed, [change.path for change in table.changes])
    differing = sum(row.differs for row in rows)
    label = f"Schema: {counted(len(rows), 'part')}"
    if len(known) > 1:
        label = f"{label}, {differing or 'none'} of them {'differs' if differing == 1 else 'differ'}"
    verdict = ("Verdict",) if len(known) > 1 else ()
    parts = []
    for group, name in _GROUPS.items():
        members = [row for row in rows if row.group == group]
        if members:
            head = element("tr", element("th", text(name), colspan=2 * len(known), scope="colgroup", class_="group"))
            parts.append(element("tbody", head, *[_schema_row(row, known) for row in members]))
    header = [element("th", text(name), scope="col") for name in ("Part", *known, *verdict)]
    grid = element("table", element("thead", element("tr", *header)), *parts)
    return element(
        "details",
        element("summary", element("h4", text(label))),
        element("div", grid, class_="scroll"),
        class_="schemas",
        open="" if differing else None,
    )


def _schema_row(row: SchemaRow, known: Sequence[str]) -> Html:
    label = element(
        "th", element("code", text(row.label)), scope="row", class_=f"depth{min(row.depth, 5)}" if row.depth else None
    )
    if len(known) == 1:
        return element("tr", label, element("td", _cell(row.declared or row.observed)))
    if row.declared == row.observed and not row.differs:
        return element("tr", label, element("td", _cell(row.declared)), _SAME, element("td"))
    sides = [element("td", _cell(side)) for side in (row.declared, row.observed)]
    verdict = element("td", text(_verdict(row)), class_="verdict")
    return element("tr", label, *sides, verdict, class_="differs" if row.differs else None)


def _verdict(row: SchemaRow) -> str:
    if not row.differs:
        return "accepted"
    if row.declared and row.observed:
        return "differs"
    return "only in the model" if row.declared else "only in the catalog"


def _cell(values: Sequence[str]) -> Html:
    if not values:
        return element("span", text(ABSENT), class_="absent")
    first, *others = values
    return joined([element("code", text(first)), *(element("span", text(other), class_="detail") for other in others)])
