"""The top of the page: the verdict, the runs, what concerns all tables, and the filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.engine.outcomes.outcome import Status
from pytest_delta_schema.report.html.change_table import risk_label
from pytest_delta_schema.report.html.diagnostic_list import diagnostic_list
from pytest_delta_schema.report.html.markup import NOTHING, Html, element, joined, text
from pytest_delta_schema.report.html.source_links import SourceLinks
from pytest_delta_schema.report.html.status_marks import MARKS, icon
from pytest_delta_schema.report.text.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.report.report_entries import Run
    from pytest_delta_schema.report.run_report import RunReport

_ALL_AND_ONE = 2
_COMMIT = 10
_BAR_WIDTH = 1000


def masthead(report: RunReport) -> Html:
    """Return the title, the verdict, and the facts of each run."""
    return element(
        "header",
        element("p", text("Delta schema report"), class_="detail"),
        element(
            "div",
            element("h1", text(title(report))),
            element("button", text("Theme: system"), type="button", id="theme", class_="needs-script"),
            class_="head",
        ),
        element("div", *map(_run, report.runs), class_="runs"),
        NOTHING if report.is_complete else _incomplete(),
    )


def title(report: RunReport) -> str:
    """Return the verdict on all tables in one line."""
    count = len(report.tables)
    failing = sum(table.status.fails for table in report.tables)
    unjudged = sum(table.status is Status.UNJUDGED for table in report.tables)
    if not count:
        return "No table was checked"
    if failing:
        return f"{failing} of {counted(count, 'table')} {'fails' if failing == 1 else 'fail'}"
    if unjudged:
        return f"{unjudged} of {counted(count, 'table')} {'is' if unjudged == 1 else 'are'} not judged"
    if report.faults or any(diagnostic.severity == "error" for diagnostic in report.unmanaged):
        return f"The run fails; {counted(count, 'table')} {'is' if count == 1 else 'are'} in order"
    return f"{'The table is' if count == 1 else f'All {count} tables are'} in order"


def run_findings(report: RunReport) -> Html:
    """Return what concerns all tables: faults of the run, undeclared tables and consents."""
    consents, source_url = report.consents, SourceLinks(report=report).of_all_runs()
    kinds = [
        ("Unused consents", consents.unused),
        ("Expired consents", consents.expired),
        ("Used consents", consents.used),
    ]
    lists = [
        joined(
            [
                element("h3", text(name)),
                element("ul", *[element("li", element("code", text(entry))) for entry in entries]),
            ]
        )
        for name, entries in kinds
        if entries
    ]
    content = [
        diagnostic_list("Faults", report.faults, source_url, level=3),
        diagnostic_list("Tables that no model declares", report.unmanaged, source_url, level=3),
        *lists,
    ]
    if not any(content):
        return NOTHING
    heading = element("h2", text("The run"), id="run")
    return element("section", heading, *content, class_="findings", aria_labelledby="run")


def filters(report: RunReport, schemas: Iterable[str]) -> Html:
    """Return the numbers of tables by status and of changes by risk, which are filters where scripts run."""
    counts, risks = report.counts(), report.risks()
    if not counts:
        return NOTHING
    statuses = [
        _choice("status", status.value, joined([icon(status), text(status.value)]), counts[status.value], status)
        for status in Status
        if status.value in counts
    ]
    labels = [_choice("risk", risk, risk_label(risk), number, None) for risk, number in risks.items()]
    options = [element("option", text("All schemas"), value=" ")]
    options += [element("option", text(name), value=name) for name in schemas]
    # A choice between one is none.
    hidden = None if len(options) > _ALL_AND_ONE else ""
    return element(
        "form",
        element("h2", text("Overview"), class_="unseen", id="overview"),
        _bar(counts),
        element("fieldset", element("legend", text("Tables by status")), *statuses),
        element("fieldset", element("legend", text("Changes by risk")), *labels) if labels else NOTHING,
        element(
            "div",
            element("label", text("Search"), _search(), class_="field wide"),
            element("label", text("Schema"), element("select", *options, name="schema"), class_="field", hidden=hidden),
            element("button", text("Clear filters"), type="reset"),
            element("button", text("Open all"), type="button", id="open-all"),
            element("output", class_="count", id="shown", aria_live="polite"),
            class_="controls needs-script",
        ),
        id="filters",
        role="search",
        aria_labelledby="overview",
    )


def _search() -> Html:
    return element("input", type="search", name="text", placeholder="name, column, code, SQL", autocomplete="off")


def _choice(name: str, value: str, label: Html, number: int, status: Status | None) -> Html:
    box = element("input", type="checkbox", name=name, value=value, class_="needs-script")
    tone = f" {MARKS[status].tone}" if status else ""
    return element("label", box, label, element("strong", text(number)), class_=f"choice{tone}")


def _bar(counts: dict[str, int]) -> Html:
    """Return the shares of the statuses as a bar; the numbers below say the same."""
    whole = sum(counts.values())
    parts, left = [], 0.0
    for status, number in counts.items():
        width = _BAR_WIDTH * number / whole
        parts.append(
            element("rect", x=f"{left:g}", y=0, width=f"{width:g}", height=8, class_=f"{MARKS[Status(status)].tone}")
        )
        left += width
    box = f"0 0 {_BAR_WIDTH} 8"
    return element("svg", *parts, class_="bar", viewBox=box, preserveAspectRatio="none", aria_hidden="true")


def _run(run: Run) -> Html:
    facts = [
        ("Mode", run.mode),
        ("Backend", run.backend),
        ("Commit", run.commit[:_COMMIT]),
        ("Ended", run.created.replace("T", " ").replace("Z", " UTC")),
        ("Took", f"{run.seconds:.1f} s"),
        ("Version", run.tool_version),
        ("Compared with", ", ".join(run.against)),
        ("Bindings", ", ".join(f"{name} \u2192 {bound}" for name, bound in run.bindings)),
        ("Complete", "" if run.is_complete else "no"),
    ]
    items = [element("div", element("dt", text(name)), element("dd", text(value))) for name, value in facts if value]
    return element("dl", *items, class_="facts")


def _incomplete() -> Html:
    fact = "The run was interrupted, or a worker crashed: tables and results are missing. Run it again."
    return element("p", element("strong", text("Incomplete. ")), text(fact), class_="banner")
