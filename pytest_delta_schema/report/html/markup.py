"""Markup as a separate type: mypy refuses a plain text where markup is expected.

So a name or comment becomes part of a page through :func:`text` or an attribute of :func:`element` only, which both
escape it. That is all that one page needs of a template library, and none is installed with pytest.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, NewType

from pytest_delta_schema.diagnostics.escaping import escaped, escaped_lines

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
