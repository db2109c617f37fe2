"""Edit the items between two brackets, and keep their layout and comments."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.source_code.source_text import NEWLINE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

_TOKEN = re.compile(r"#[^\r\n]*|\*\*|[,()]|[^#,()*]+")
_REST_OF_LINE = re.compile(r"[ \t\f]*(?:#[^\r\n]*)?(?=[\r\n])")
_STEP = "    "


class ItemSpan(NamedTuple):
    """Where an item is in the source, and what names it."""

    start: int
    end: int
    label: Hashable = None


class Layout(NamedTuple):
    """How new lines are written."""

    newline: str
    """What ends them."""
    indent: str
    """The indentation of the line of the opening bracket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item with the white space and the comments around it."""

    label: Hashable = None
    """What names it; ``None`` if that is not known."""
    position: int = -1
    """Its number among the items that the source has; -1 for a new one."""
    lead: str
    """What is before it, since the end of the line of the one before: its indentation, comments above it."""
    start: int = 0
    """Where it begins in the source."""
    core: str
    """The item, in its parentheses."""
    gap: str = ""
    """What is between it and its comma."""
    trail: str = ""
    """What follows the comma in its line: a comment."""


class BracketItems:
    """The items between two brackets."""

    def __init__(self, items: Sequence[Item], tail: str, layout: Layout, *, comma: bool) -> None:
        self.items = list(items)
        self._tail = tail
        self._comma = comma
        self._newline, self._indent = layout
        self._first_lead = items[0].lead if items else ""

    @classmethod
    def split(cls, text: str, inside: tuple[int, int], parts: Sequence[ItemSpan], layout: Layout) -> BracketItems:
        """Read the items in the text between two brackets."""
        start, end = inside
        items: list[Item] = []
        lead, opened = _first_gap(text, start, parts[0].start if parts else end)
        comma = False
        for position, part in enumerate(parts):
            following = parts[position + 1].start if position + 1 < len(parts) else end
            closed, comma_at, next_opened = _gap(text, part.end, following)
            comma = comma_at >= 0
            rest = text[comma_at + 1 if comma else closed : next_opened]
            match = _REST_OF_LINE.match(rest)
            item = Item(
                label=part.label,
                position=position,
                start=opened,
                lead=lead,
                core=text[opened:closed],
                gap=text[closed:comma_at] if comma else "",
                trail=match[0] if match else "",
            )
            items.append(item)
            lead, opened = rest[len(item.trail) :], next_opened
        return cls(items, lead, layout, comma=comma)

    def index_of(self, label: Hashable) -> int | None:
        """Return the place of the item with a label; ``None`` if there is none."""
        return next((index for index, item in enumerate(self.items) if item.label == label), None)

    def replace(self, index: int, span: tuple[int, int], code: str) -> None:
        """Replace a part of an item."""
        item = self.items[index]
        start, end = span[0] - item.start, span[1] - item.start
        self.items[index] = replace(item, core=item.core[:start] + code + item.core[end:])

    def remove(self, gone: Collection[int]) -> None:
        """Remove items by their indexes. Comments above them stay, and comments in their lines go with them."""
        kept: list[Item] = []
        carried: str | None = None
        for index, item in enumerate(self.items):
            if index in gone:
                if kept and not _breaks(item.lead) and "#" in item.trail:
                    kept[-1] = replace(kept[-1], trail=item.trail)
                carried = _joined_lead(carried, item.lead)
            else:
                kept.append(item if carried is None else replace(item, lead=_joined_lead(carried, item.lead)))
                carried = None
        if carried is not None and "#" in carried:
            self._tail = (_above(carried) if _breaks(carried) else "") + self._tail
        self.items = kept

    def insert(self, index: int, label: Hashable, code: Callable[[str | None], str]) -> None:
        """Insert an item.

        Its code is made for an indentation, or for the line of its neighbours if that is ``None``.
        """
        indent = self._own_line(index)
        lead = " " if indent is None else self._newline + indent
        if indent is None and index < len(self.items) and index > 0:
            lead = self.items[index].lead
        if not self.items and indent is not None:
            *above, _ = NEWLINE.split(self._tail)
            comments = self._tail[: len(self._tail.rstrip(" \t\f\r\n"))] if any("#" in line for line in above) else ""
            lead, self._tail, self._comma = comments + lead, self._newline + self._indent, True
            self._first_lead = lead
        elif not self.items:
            lead, self._first_lead = "", ""
        elif index == 0:
            first = self.items[0]
            if not _breaks(first.lead):
                self.items[0] = replace(first, lead=lead)
                lead = first.lead
        self.items.insert(index, Item(label=label, lead=lead, core=code(indent)))

    def _own_line(self, index: int) -> str | None:
        """Return the indentation of an item that has its own line; ``None`` if it has not."""
        if not self.items:
            return self._indent + _STEP if _breaks(self._tail) else None
        neighbours = (
            self.items[1:2] if index == 0 and not _breaks(self.items[0].lead) else self.items[index : index + 1]
        )
        neighbours = neighbours or self.items[max(index - 1, 0) : index]
        if not any(_breaks(item.lead) for item in neighbours):
            return None
        return NEWLINE.split(neighbours[0].lead)[-1]

    def order(self, labels: Sequence[Hashable]) -> None:
        """Put the items into the order of their labels; all of them are known."""
        rank = {label: number for number, label in enumerate(labels)}
        self.items.sort(key=lambda item: rank[item.label])

    def code(self, *, is_tuple: bool = False) -> str:
        """Return the text between the brackets."""
        several = any(_breaks(item.lead) for item in self.items)
        indents = [NEWLINE.split(item.lead)[-1] for item in self.items if _breaks(item.lead)]
        indent = indents[0] if indents else self._indent + _STEP
        own_line = self._newline + indent
        text = ""
        for index, item in enumerate(self.items):
            lead = item.lead
            if index == 0 and "#" not in lead and (not _breaks(lead) or not _breaks(self._first_lead)):
                lead = self._first_lead
            elif index and item.position == 0 and not _breaks(lead):
                lead = own_line if several else " "
            if index and _ends_in_comment(self.items[index - 1].trail + lead):
                lead = lead.rstrip(" \t") + own_line
            is_last = index == len(self.items) - 1
            comma = not is_last or self._comma or (is_tuple and index == 0)
            text += lead + item.core + item.gap + ("," if comma else "") + item.trail
        tail = self._tail if self.items or "#" in self._tail else ""
        last = self.items[-1].trail if self.items else ""
        return text + tail + (self._newline + self._indent if _ends_in_comment(last + tail) else "")


def _first_gap(text: str, start: int, end: int) -> tuple[str, int]:
    """Return what is before the first item, and where that begins."""
    for token in _TOKEN.finditer(text, start, end):
        if token[0] in {"(", "**"}:
            return text[start : token.start()], token.start()
    return text[start:end], end


def _gap(text: str, start: int, end: int) -> tuple[int, int, int]:
    """Return where an item ends, where the comma is (-1: nowhere), and where the next item or the bracket is."""
    closed, comma = start, -1
    for token in _TOKEN.finditer(text, start, end):
        if token[0] == ",":
            comma = token.start()
        elif token[0] == ")" and comma < 0:
            closed = token.end()
        elif token[0] in {"(", "**"}:
            return closed, comma, token.start()
    return closed, comma, end


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _above(lead: str) -> str:
    """Return what is above the line of an item."""
    *_, last = NEWLINE.finditer(lead)
    return lead[: last.start()]


def _joined_lead(removed: str | None, lead: str) -> str:
    """Return what is before an item after the one before it was removed: it follows in its line, or keeps its own."""
    if removed is None:
        return lead
    if not _breaks(lead):
        return removed
    return (_above(removed) if _breaks(removed) else "") + lead


def _ends_in_comment(text: str) -> bool:
    return "#" in NEWLINE.split(text)[-1]
