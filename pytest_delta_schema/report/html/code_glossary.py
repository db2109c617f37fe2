"""Explain the codes of a report on its page."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pytest_delta_schema.report.codes import CodeInfo, all_codes
from pytest_delta_schema.report.html.markup import NOTHING, Html, element, joined, lines, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.report.run_report import RunReport

_LITERAL = "``"


def code_link(code: str) -> Html:
    """Return a code as a link to its meaning; a code of the project's own rules is text."""
    return element("a", text(code), href=f"#code-{code}") if code in _explained() else text(code)


def code_glossary(report: RunReport) -> Html:
    """Return a section that explains all codes of a report; nothing if it has none."""
    used = {change.code for table in report.tables for change in table.changes}
    for table in report.tables:
        used.update(part.code for part in (*table.diagnostics, *table.notes, *table.background))
    used.update(part.code for part in (*report.unmanaged, *report.faults))
    infos = [info for code, info in _explained().items() if code in used]
    if not infos:
        return NOTHING
    heading = element("h2", text("Codes"), id="codes")
    return element("section", heading, *map(_entry, infos), class_="codes", aria_labelledby="codes")


@cache
def _explained() -> Mapping[str, CodeInfo]:
    return {info.code: info for info in all_codes()}


def _entry(info: CodeInfo) -> Html:
    paragraphs = [*info.meaning.split("\n\n"), f"Remedy: {info.remedy}"]
    return element(
        "details",
        element("summary", element("h3", text(f"{info.code} {info.name}"))),
        element(
            "div",
            *[element("p", _prose(paragraph)) for paragraph in paragraphs],
            element("pre", lines(info.example)),
            class_="body",
        ),
        id=f"code-{info.code}",
        class_="meaning",
    )


def _prose(paragraph: str) -> Html:
    """Return a paragraph of a docstring; text between double back-quotes is code."""
    parts = " ".join(paragraph.split()).split(_LITERAL)
    return joined(element("code", text(part)) if index % 2 else text(part) for index, part in enumerate(parts))
