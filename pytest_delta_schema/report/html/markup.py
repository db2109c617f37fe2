"""Markup as a separate type: mypy refuses a plain text where markup is expected.

So a name or comment becomes part of a page through :func:`text` or an attribute of :func:`element` only, which both
escape it. That is all that one page needs of a template library, and none is installed with pytest.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Literal, NamedTuple, NewType

from pytest_delta_schema.diagnostics.text import escaped, escaped_lines
from pytest_delta_schema.engine.outcomes import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Html = NewType("Html", str)
"""Well-formed markup, in ASCII: it is the same in every encoding, and takes one byte a character."""

NOTHING = Html("")
"""No markup."""

_Attributes = tuple[tuple[str, str | float | None], ...]
_QUOTE = '"'
_WITHOUT_CONTENT = frozenset({"input", "link", "meta", "path", "rect", "use"})


def text(value: object) -> Html:
    """Return the ``str`` of a value on one line as markup; characters that are not shown are written out."""
    shown = str(value)
    return verbatim(shown if shown.isprintable() else escaped(shown))


def lines(value: str) -> Html:
    """Return a text of several lines as markup for ``pre``; characters that are not shown are written out."""
    return verbatim(escaped_lines(value))


def verbatim(value: str) -> Html:
    """Return a text as markup that shows exactly this text."""
    if "&" in value or "<" in value or ">" in value:
        value = escape(value, quote=False)
    return Html(value if value.isascii() else value.encode("ascii", "xmlcharrefreplace").decode("ascii"))


def element(tag: str, *content: Html, **attributes: str | float | None) -> Html:
    """Return an element.

    Names of attributes have ``_`` for a hyphen and after a keyword of Python. ``None`` leaves an attribute out, and
    ``""`` writes one without a value.
    """
    head = _head(tag, tuple(attributes.items())) if attributes else tag
    return Html(f"<{head} />" if tag in _WITHOUT_CONTENT else f"<{head}>{''.join(content)}</{tag}>")


def wrapped(tag: str, content: Iterable[Html], **attributes: str | float | None) -> Iterator[Html]:
    """Yield the parts of a large element, which is never joined by itself."""
    yield Html(f"<{_head(tag, tuple(attributes.items()))}>")
    yield from content
    yield Html(f"</{tag}>")


def joined(parts: Iterable[Html], between: Html = NOTHING) -> Html:
    """Join markup."""
    return Html(between.join(parts))


@lru_cache(maxsize=1024)
def _head(tag: str, attributes: _Attributes) -> str:
    parts = [tag]
    for name, value in attributes:
        if value is not None:
            key = name.rstrip("_").replace("_", "-")
            shown = text(value)
            plain = shown.replace("-", "").isalnum()
            parts.append(f"{key}={shown}" if plain else f'{key}="{shown.replace(_QUOTE, "&quot;")}"' if shown else key)
    return " ".join(parts)


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
    Status.UNPROVEN: Mark("warning", "diamond"),
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


def status_badge(status: Status, label: str) -> Html:
    """Return a status as its shape and its text."""
    return element("span", icon(status), text(label), class_=f"badge {MARKS[status].tone}")
