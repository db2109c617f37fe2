"""The whole page, with its style and script inside."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING

from pytest_delta_schema.engine.outcomes.outcome import Status
from pytest_delta_schema.report.html.code_glossary import code_glossary
from pytest_delta_schema.report.html.diagram import diagram
from pytest_delta_schema.report.html.markup import NOTHING, Html, element, joined, text, wrapped
from pytest_delta_schema.report.html.overview import filters, masthead, run_findings, title
from pytest_delta_schema.report.html.source_links import SourceLinks
from pytest_delta_schema.report.html.status_marks import shape_symbols
from pytest_delta_schema.report.html.table_section import schema_name, table_section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.report.report_entries import TableReport
    from pytest_delta_schema.report.run_report import RunReport

_OPEN = 5
"""So many failing tables at most are shown with their details at once."""

_FAILING = "Tables that fail"
_UNJUDGED = "Tables that are not judged"
_IN_ORDER = "Tables in order"
_GROUP_IDS = {_FAILING: "failing", _UNJUDGED: "not-judged", _IN_ORDER: "in-order"}
_ORDER = {status: index for index, status in enumerate(Status)}

_Entry = tuple[str, "TableReport"]
"""The id of the section of a table, and the table."""


def html_page(report: RunReport) -> str:
    """Return a report as one HTML file, which loads nothing and sends nothing.

    A name or comment can hold any text: it stays text. The page can be read without its script, which adds filters,
    buttons that copy, and the choice of a theme.
    """
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", text(f"{title(report)} - pytest-delta-schema")),
        # Without it browsers request one.
        element("link", rel="icon", href="data:,"),
        element("style", style),
        element("script", script),
    )
    page = wrapped("html", chain([head], wrapped("body", _body(report))), lang="en")
    return f"<!doctype html>\n{joined(page)}\n"


def _body(report: RunReport) -> Iterator[Html]:
    tables = sorted(report.tables, key=lambda table: (table.status.passes, -_ORDER[table.status]))
    entries = [(f"table-{number}", table) for number, table in enumerate(tables, 1)]
    groups = {
        _FAILING: [entry for entry in entries if entry[1].status.fails],
        _UNJUDGED: [entry for entry in entries if entry[1].status is Status.UNJUDGED],
        _IN_ORDER: [entry for entry in entries if entry[1].status.passes],
    }
    is_open = len(groups[_FAILING]) <= _OPEN
    drawing = diagram(tables, {table.name: anchor for anchor, table in reversed(entries)})
    glossary = code_glossary(report)
    content = chain(
        [filters(report, sorted({schema_name(table) for table in tables})), run_findings(report)],
        wrapped("div", _groups(report, groups, is_open=is_open), id="tables", tabindex=-1),
        [element("p", text("No table matches the filters."), id="none", hidden=""), drawing, glossary],
    )
    yield element("a", text("Skip to the tables"), href="#tables", class_="skip")
    yield shape_symbols()
    yield masthead(report)
    sections = {"Foreign keys": ("foreign-keys", drawing), "Codes": ("codes", glossary)}
    yield _navigation(
        {
            **{f"{name} ({len(group)})": _GROUP_IDS[name] for name, group in groups.items() if group},
            **{name: anchor for name, (anchor, section) in sections.items() if section},
        }
    )
    yield from wrapped("main", content)


def _groups(report: RunReport, groups: Mapping[str, Sequence[_Entry]], *, is_open: bool) -> Iterator[Html]:
    links = SourceLinks(report=report)
    for name, entries in groups.items():
        if entries:
            number = element("span", text(len(entries)), class_="count")
            heading = element("h2", text(f"{name} "), number, id=_GROUP_IDS[name])
            sections = (
                table_section(
                    table,
                    anchor,
                    links.of(table),
                    names_run=len(report.runs) > 1,
                    is_open=is_open and name == _FAILING,
                )
                for anchor, table in entries
            )
            yield from wrapped("section", chain([heading], sections), class_="group", aria_labelledby=_GROUP_IDS[name])


def _navigation(sections: Mapping[str, str]) -> Html:
    """Return links to sections; nothing if there is none."""
    links = [element("a", text(name), href=f"#{anchor}") for name, anchor in sections.items()]
    return element("nav", *links, aria_label="Sections") if links else NOTHING


def _asset(name: str) -> Html:
    """Return the text of a file of this package, which is markup by its own."""
    return Html(files(__package__).joinpath(name).read_text("utf-8"))


def _hash(content: str) -> str:
    """Return the hash of inline content, by which a policy allows it and nothing else."""
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
