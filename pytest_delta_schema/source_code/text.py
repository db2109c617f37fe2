"""The text of Python files: values in the layout of common formatters, parts to edit, and items between brackets."""

from __future__ import annotations

import ast
import re
import tokenize
import unicodedata
import warnings
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.source_code.calls import Call, Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Sequence


_STEP = "    "
_WIDE = frozenset("WF")
_ESCAPE = re.compile(r"\\.")


class CodeStyle(NamedTuple):
    """How code is written."""

    width: int = 88
    """The longest line, in columns of a terminal."""
    quote: str = '"'
    """The quote around texts, ``"`` or ``'``; a text with more of these quotes than of the others has those."""


DEFAULT_STYLE = CodeStyle()


def code_lines(head: str, value: object, style: CodeStyle, indent: str = "") -> str:
    """Write a value behind ``head``: in one line if it fits, else an argument a line, each with a comma."""
    # The comma that follows an argument counts, too.
    width = style.width + (not indent)
    line = f"{indent}{head}{flat_code(value, style)}"
    if columns_of_line(line) < width:
        return line
    deeper = indent + _STEP
    match value:
        case Call(name, arguments) if arguments:
            parts = [code_lines(f"{key}=" if key else "", item, style, deeper) for key, item in arguments]
            opening, closing = f"{name}(", ")"
        case list() if value:
            parts = [code_lines("", item, style, deeper) for item in value]
            opening, closing = "[", "]"
        case dict() if value:
            parts = [code_lines(f"{text_code(key, style)}: ", item, style, deeper) for key, item in value.items()]
            opening, closing = "{", "}"
        case str() if indent and len(pieces := _pieces(value, style, len(deeper))) > 1:
            lines = "".join(f"{deeper}{piece}\n" for piece in pieces)
            return f"{indent}{head}(\n{lines}{indent})"
        case _:
            return f"{indent}{head}{flat_code(value, style)}"
    return f"{indent}{head}{opening}\n{''.join(f'{part},{chr(10)}' for part in parts)}{indent}{closing}"


def _pieces(text: str, style: CodeStyle, indentation: int) -> list[str]:
    """Write a text as literals that Python joins, each no longer than a line if its words are not."""
    pieces = wrapped(text, lambda piece: indentation + columns_of_line(text_code(piece, style)) <= style.width)
    return [text_code(f"{piece} ", style) for piece in pieces[:-1]] + [text_code(pieces[-1], style)]


def wrapped(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Return a text in lines that fit, with a space behind them, if their words do; one of these spaces is left out."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and fits(f"{lines[-1]} {word} "):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def flat_code(value: object, style: CodeStyle) -> str:
    """Write a value in one line."""
    match value:
        case Variable():
            return value.name
        case Call(name, arguments):
            parts = [(f"{key}=" if key else "") + flat_code(item, style) for key, item in arguments]
            return f"{name}({', '.join(parts)})"
        case list():
            return f"[{', '.join(flat_code(item, style) for item in value)}]"
        case dict():
            items = (f"{text_code(key, style)}: {flat_code(item, style)}" for key, item in value.items())
            return f"{{{', '.join(items)}}}"
        case str():
            return text_code(value, style)
    return repr(value)


def text_code(text: str, style: CodeStyle) -> str:
    """Write a text as a literal, with the quotes that need the fewest backslashes."""
    if text.isalnum():
        return f"{style.quote}{text}{style.quote}"
    other = "'" if style.quote == '"' else '"'
    quote = other if text.count(style.quote) > text.count(other) else style.quote
    # With a double quote in it, Python puts single quotes around a text, and escapes those inside.
    inside = repr(text + '"')[1:-2]
    if quote == '"':
        inside = _ESCAPE.sub(lambda match: "'" if match[0] == "\\'" else match[0], inside).replace('"', '\\"')
    return f"{quote}{inside}{quote}"


def columns_of_line(line: str) -> int:
    """Return the width of a line on a terminal, where some characters take two columns, and others none."""
    if line.isascii():
        return len(line)
    return sum(_columns(character) for character in line)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


NEWLINE = re.compile(r"\r\n|\r|\n")
"""What ends a line for Python; other characters, such as form feeds, do not."""

_CELL_MARK = re.compile(r"^#[ \t]*(?:COMMAND -{5,}|Databricks notebook source|%%.*)", re.MULTILINE)
_GENERATED = re.compile(r"@generated|\bgenerated by\b|\bdo not edit\b", re.IGNORECASE)
_HEAD_COMMENT = re.compile(r"[ \t\f]*(#[^\r\n]*)?(?:\r\n|\r|\n)")


class NotLiteralError(DeclarationError):
    """A declaration cannot be edited, because it is not written out in literals where it is made."""

    def __init__(self, line: int, fault: str) -> None:
        self.line = line
        self.reason = fault
        super().__init__(f"line {line} {fault}")


class Edit(NamedTuple):
    """A part of a text, and what replaces it."""

    start: int
    end: int
    text: str


class SourceText:
    """A Python file: its text without the byte-order mark, its encoding, and its tree."""

    def __init__(self, content: bytes) -> None:
        try:
            lines = iter(content.splitlines(keepends=True))
            self.encoding = tokenize.detect_encoding(lambda: next(lines, b""))[0]
            self.text = content.decode(self.encoding)
            with warnings.catch_warnings():
                # The import has shown them.
                warnings.simplefilter("ignore")
                # From the bytes, as Python reads it: the encoding and the ends of lines are those of the file.
                self.tree = ast.parse(content)
        except (SyntaxError, ValueError, LookupError, MemoryError, RecursionError) as error:
            msg = f"it is not valid Python: {error}"
            raise DeclarationError(msg) from None
        if self.text.encode(self.encoding) != content:
            msg = f"its encoding {self.encoding} writes other bytes than it has; save it as UTF-8"
            raise DeclarationError(msg)
        self._starts = [0, *(match.end() for match in NEWLINE.finditer(self.text))]

    def line(self, offset: int) -> int:
        """Return the line of a character, counted from one."""
        return bisect_right(self._starts, offset)

    def start_of_line(self, line: int) -> int:
        """Return the offset of the first character of a line; behind the last line, the end of the text."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.text)

    def whole_line(self, line: int) -> str:
        """Return a line without what ends it."""
        return self.text[self.start_of_line(line) : self.start_of_line(line + 1)].rstrip("\r\n")

    def newline(self, line: int) -> str:
        """Return what ends a line; for a last line without an end, what ends the first one."""
        match = NEWLINE.search(self.text, self.start_of_line(line)) or NEWLINE.search(self.text)
        return match[0] if match else "\n"

    def span(self, node: ast.expr | ast.keyword | ast.alias | ast.stmt) -> tuple[int, int]:
        """Return the offsets of a node's first character, and of the one behind its last."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column)

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a position of the tree, which counts bytes of UTF-8."""
        start = self.start_of_line(line)
        part = self.text[start : start + column]
        return start + (column if part.isascii() else len(part.encode()[:column].decode()))

    def indentation(self, offset: int) -> str:
        """Return the white space at the start of the line of a character."""
        start = self.start_of_line(self.line(offset))
        end = start
        while self.text[end : end + 1] in {" ", "\t", "\f"}:
            end += 1
        return self.text[start:end]

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """Return the content of the file with some parts replaced; they do not overlap."""
        parts, end = [], 0
        for edit in sorted(edits):
            parts += [self.text[end : edit.start], edit.text]
            end = edit.end
        parts.append(self.text[end:])
        return self.encoded("".join(parts))

    def encoded(self, text: str) -> bytes:
        """Return a text in the encoding of the file; characters that it lacks are escaped."""
        return text.encode(self.encoding, "backslashreplace")

    def holds(self, text: str) -> bool:
        """Whether the encoding of the file has all characters of a text."""
        try:
            text.encode(self.encoding)
        except UnicodeError:
            return False
        return True

    def refuse_generated(self) -> None:
        """Refuse a file that no one edits by hand, or of which cells are run."""
        end = 0
        while match := _HEAD_COMMENT.match(self.text, end):
            if match[1] and _GENERATED.search(match[1]):
                raise NotLiteralError(self.line(match.start()), "says that the file is generated; change what makes it")
            end = match.end()
        for match in _CELL_MARK.finditer(self.text):
            line = self.line(match.start())
            constants = [node for node in ast.walk(self.tree) if isinstance(node, ast.Constant)]
            if not any(node.lineno < line <= (node.end_lineno or node.lineno) for node in constants):
                raise NotLiteralError(
                    line, f"has the mark of a notebook's cell, {match[0]!r}; edit the notebook itself"
                )


_TOKEN = re.compile(r"#[^\r\n]*|\*\*|[,()]|[^#,()*]+")
_REST_OF_LINE = re.compile(r"[ \t\f]*(?:#[^\r\n]*)?(?=[\r\n])")


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
        """Insert an item."""
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
