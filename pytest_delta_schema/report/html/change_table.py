"""The changes of a table: its own, those of tables that depend on it, and those that no apply makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.change_markers import ABSENT, NOT_IN_MODEL
from pytest_delta_schema.report.html.code_glossary import code_link
from pytest_delta_schema.report.html.markup import NOTHING, Html, element, joined, text
from pytest_delta_schema.report.html.source_links import location_link
from pytest_delta_schema.report.text.change_groups import change_groups
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.engine.outcomes.outcome import TableChange
    from pytest_delta_schema.report.report_entries import TableReport

_LONG = 240
_ABSENT = frozenset({ABSENT, NOT_IN_MODEL})
_OPERATIONS = {"add": "+ add", "drop": "\u2212 drop", "change": "~ change"}


def change_tables(table: TableReport, source_url: str) -> Html:
    """Return a table of changes for each kind; nothing if there is no change."""
    groups = change_groups(table.changes, table.stored_as or table.name)
    aspects = ", ".join(dict.fromkeys(change.aspect for change in groups.unmanaged))
    kinds: list[tuple[str, Sequence[TableChange]]] = [
        ("Changes", groups.own),
        *((f"Along with it, at {other}", changes) for other, changes in groups.others.items()),
        (f"Only reported, because the contract does not manage {aspects}", groups.unmanaged),
    ]
    return joined(_change_table(heading, changes, table, source_url) for heading, changes in kinds if changes)


def _change_table(heading: str, changes: Sequence[TableChange], table: TableReport, source_url: str) -> Html:
    columns = ["Change", "Path", "Before", "After", "Risk", "Code", "Declared at"]
    head = element("tr", *[element("th", text(name), scope="col") for name in columns])
    rows = [_row(change, table, source_url) for change in changes]
    grid = element("table", element("thead", head), element("tbody", *rows), class_="changes")
    return joined([element("h4", text(heading)), element("div", grid, class_="scroll")])


def _row(change: TableChange, table: TableReport, source_url: str) -> Html:
    return element(
        "tr",
        element("td", text(_OPERATIONS[change.operation]), class_=change.operation),
        element("th", element("code", text(change.path)), scope="row"),
        _value(change.before),
        _value(change.after),
        element(
            "td",
            risk_label(change.risk) if change.risk != RISKS[0] else text(change.risk),
            element("span", text(change.loss), class_="detail") if change.loss else NOTHING,
        ),
        element("td", code_link(change.code), class_="code"),
        element("td", location_link(change.location, source_url, table.location)),
    )


def _value(value: str) -> Html:
    if value in _ABSENT:
        return element("td", element("span", text(value), class_="absent"))
    code = element("code", text(value))
    return element("td", element("div", code, class_="long", tabindex=0) if len(value) > _LONG else code)


def risk_label(risk: str) -> Html:
    """Return the risk of a change, or of a table; nothing for none."""
    return element("span", text(risk), class_=f"risk {risk}") if risk else NOTHING
