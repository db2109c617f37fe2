"""Write calls as Python text, in the layout of common formatters."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from pytest_delta_schema.source_code.calls import Call, Variable

_STEP = "    "
_WIDE = frozenset("WF")
_ESCAPE = re.compile(r"\\.")


class CodeStyle(NamedTuple):
    """How code is written."""

    width: int = 88
    """The longest line, in columns of a terminal."""
    quote: str = '"'
    """The quote around texts, ``"`` or ``'``; a text with more of these quotes than of the others has those."""


def code_lines(head: str, value: object, style: CodeStyle, indent: str = "") -> str:
    """Write a value behind ``head``: in one line if it fits, else an argument a line, each with a comma.

    Formatters keep both forms: the comma at the end is what tells them not to join the lines.
    """
    # The comma that follows an argument counts, too.
    width = style.width + (not indent)
    if _room_after(value, width - len(indent) - _least_columns(head)) > 0:
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
        case _:
            return f"{indent}{head}{flat_code(value, style)}"
    return f"{indent}{head}{opening}\n{''.join(f'{part},{chr(10)}' for part in parts)}{indent}{closing}"


def _room_after(value: object, room: int) -> int:
    """Return how much of a line is left at most after a value; 0 or less if it does not fit.

    Most values are too long, and need not be written to see that: a module of 1,000 tables takes a third of the time.
    """
    match value:
        case Call(name, arguments):
            room -= len(name) + 2
            for key, item in arguments:
                if room <= 0:
                    break
                room = _room_after(item, room - len(key))
        case list() | dict():
            room -= 2
            for item in value:
                if room <= 0:
                    break
                room = _room_after(item, room)
        case str():
            room -= _least_columns(value) + 2
    return room


def _least_columns(text: str) -> int:
    return len(text) if text.isascii() else 0


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
