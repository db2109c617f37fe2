"""Texts inside of Markdown, in which no character has a meaning."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import escaped, escaped_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKUP = re.compile(r"[!-/:-@\[-`{-~]")
_PLAIN = frozenset(".,;:'-/()+%?=\"!")
"""Punctuation that means nothing inside of a line."""

_LIST = re.compile(r"^[-+=0-9]")
"""The beginnings of lists and of underlines of titles."""

_REFERENCES = re.compile(r"&#(?:35|64);")
"""``#`` and ``@``, from which servers make links to issues and to users after they have read the Markdown."""

_TICKS = re.compile("`+")


def text(value: object) -> str:
    """Return the ``str`` of a value on one line, for use in paragraphs and cells."""
    return _LIST.sub(lambda match: f"&#{ord(match[0])};", _inline(value))


def _inline(value: object) -> str:
    plain = _MARKUP.sub(lambda match: match[0] if match[0] in _PLAIN else f"&#{ord(match[0])};", escaped(value))
    # An empty comment in the middle keeps servers from making a link of it.
    return _REFERENCES.sub(lambda match: f"{match[0]}<!-- -->", plain.replace("://", ":&#47;<!-- -->/")).replace(
        "www.", "www<!-- -->."
    )


def code(value: object) -> str:
    """Return the ``str`` of a value on one line as code, for use in paragraphs, cells and the titles of details."""
    # Back-quotes would be simpler, but they cannot hold a vertical line in a cell, nor any Markdown in a title.
    return f"<code>{_inline(value)}</code>"


def block(value: str, language: str) -> str:
    """Return lines as a block of code."""
    shown = escaped_lines(value)
    longest = max((len(ticks) for ticks in _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def details(title: str, *parts: str) -> str:
    """Return a section that is closed at first."""
    return "\n\n".join([f"<details><summary>{title}</summary>", *parts, "</details>"])


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
