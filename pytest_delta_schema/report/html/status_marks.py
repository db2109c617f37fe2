"""How statuses look: a tone and a shape for each, always next to their text."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pytest_delta_schema.engine.outcomes.outcome import Status
from pytest_delta_schema.report.html.markup import Html, element, joined, text

Tone = Literal["good", "warning", "bad"]
"""The colour of a status."""

MarkShape = Literal["circle", "triangle", "clock", "octagon", "square", "diamond"]
"""The shape of a status."""


class Mark(NamedTuple):
    """How a status looks."""

    tone: Tone
    shape: MarkShape


MARKS: dict[Status, Mark] = {
    Status.VALID: Mark("good", "circle"),
    Status.ENFORCED: Mark("good", "circle"),
    Status.COMPATIBLE: Mark("good", "circle"),
    Status.IN_SYNC: Mark("good", "circle"),
    Status.APPLIED: Mark("good", "circle"),
    Status.SYNCED: Mark("good", "circle"),
    Status.UNJUDGED: Mark("warning", "diamond"),
    Status.DRIFTED: Mark("warning", "triangle"),
    Status.INCOMPATIBLE: Mark("bad", "octagon"),
    Status.BLOCKED: Mark("bad", "octagon"),
    Status.STALE: Mark("warning", "clock"),
    Status.UNENFORCED: Mark("bad", "octagon"),
    Status.FAILED: Mark("bad", "square"),
    Status.UNREADABLE: Mark("bad", "diamond"),
}
"""The mark of every status."""

_OUTLINES: dict[MarkShape, str] = {
    "circle": "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z",
    "triangle": "M8 1.2 15.4 14.4H.6Z",
    "clock": "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z",
    "octagon": "M5 1h6l4 4v6l-4 4H5l-4-4V5Z",
    "square": "M3 1.5h10A1.5 1.5 0 0 1 14.5 3v10a1.5 1.5 0 0 1-1.5 1.5H3A1.5 1.5 0 0 1 1.5 13V3A1.5 1.5 0 0 1 3 1.5Z",
    "diamond": "M8 .5 15.5 8 8 15.5.5 8Z",
}
_SIGNS: dict[MarkShape, str] = {
    "circle": "M4.8 8.3 7 10.5l4.3-4.8",
    "triangle": "M8 5.6v4M8 12v.1",
    "clock": "M8 4.2V8l2.8 1.8",
    "octagon": "M4.6 8h6.8",
    "square": "m5.2 5.2 5.6 5.6m0-5.6-5.6 5.6",
    "diamond": "M8 4.6v4.2M8 11.2v.1",
}


def shape_symbols() -> Html:
    """Return the drawings of all shapes, which :func:`icon` uses."""
    symbols = (
        element(
            "symbol",
            element("path", d=_OUTLINES[shape], fill="currentColor"),
            element("path", d=_SIGNS[shape], class_="sign"),
            id=f"shape-{shape}",
            viewBox="0 0 16 16",
        )
        for shape in _OUTLINES
    )
    return element("svg", joined(symbols), class_="symbols", aria_hidden="true", width=0, height=0)


def icon(status: Status) -> Html:
    """Return the shape of a status, which readers of the text next to it do not need."""
    drawing = element("use", href=f"#shape-{MARKS[status].shape}")
    return element("svg", drawing, class_="icon", aria_hidden="true", width=16, height=16)


def status_badge(status: Status) -> Html:
    """Return a status as its shape and its text."""
    return element("span", icon(status), text(status.value), class_=f"badge {MARKS[status].tone}")
