"""Diagnostics as a list: code, message, remedy and location."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from pytest_delta_schema.report.html.code_glossary import code_link
from pytest_delta_schema.report.html.markup import NOTHING, Html, element, joined, text
from pytest_delta_schema.report.html.source_links import location_link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.diagnostics.witness import Witness

_OF_TABLE = 4


def diagnostic_list(heading: str, diagnostics: Sequence[Diagnostic], source_url: str, level: int = _OF_TABLE) -> Html:
    """Return a heading and a list; nothing for no diagnostics.

    At the level of a heading below one of the page, and not of a table, each diagnostic names its table.
    """
    if not diagnostics:
        return NOTHING
    items = [
        element("li", *_parts(diagnostic, source_url, names_table=level < _OF_TABLE), class_=diagnostic.severity)
        for diagnostic in diagnostics
    ]
    return joined([element(f"h{level}", text(heading)), element("ul", *items, class_="diagnostics")])


def _parts(diagnostic: Diagnostic, source_url: str, *, names_table: bool) -> list[Html]:
    table = f"{diagnostic.table} " if names_table and diagnostic.table else ""
    name = [
        *([element("strong", text(diagnostic.verdict))] if diagnostic.verdict else []),
        *([element("span", code_link(diagnostic.code), class_="code")] if diagnostic.code else []),
        *([element("span", text(diagnostic.rule), class_="rule")] if diagnostic.rule else []),
        *([element("code", text(diagnostic.path))] if diagnostic.path else []),
        *([location_link(diagnostic.location, source_url)] if diagnostic.location else []),
    ]
    parts = [element("p", text(f"{table}{diagnostic.full_message}"))]
    if diagnostic.remedy:
        label, remedy = element("span", text("Remedy")), element("p", text(diagnostic.remedy), class_="copied")
        parts.append(element("div", label, remedy, class_="remedy"))
    if name:
        parts.append(element("p", joined(name, Html(" ")), class_="about"))
    if diagnostic.witness is not None:
        parts += _witness(diagnostic.witness)
    return parts


def _witness(witness: Witness) -> list[Html]:
    """Show a script with both of its answers."""
    if not witness.script:
        return [element("p", text(witness.fact), class_="about")]
    file = element("a", text(witness.file), href=quote(witness.file))
    answers = [
        element("p", text(f"{side}: {answer}"))
        for side, answer in (("before", witness.before), ("after", witness.after))
        if answer
    ]
    reason = f": {witness.reason}" if witness.reason else ""
    summary = element("summary", text(f"Witness: {witness.result}{reason}"))
    shown = element("pre", element("code", text(witness.script)))
    return [element("details", summary, *answers, element("p", file), shown, class_="witness")]
