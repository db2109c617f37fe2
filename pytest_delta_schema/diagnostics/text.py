r"""Escape characters that a terminal interprets, or does not show, as ``\u001b``.

Names, comments and messages of servers may hold any of them. Every part of a message goes through :func:`escaped`;
SQL stays executable, see :func:`escaped_literals` and :func:`note_on`. Long parts are cut by :func:`shortened`.

Everything that is printed goes through :func:`printed`, and SQL before that through :func:`printed_sql`.
"""

from __future__ import annotations

import re
from functools import partial

# Patterns are texts, which re compiles when they are first used, because every pytest run imports this module.

HIDDEN = (
    "["
    "\x00-\x1f\x7f-\x9f"  # controls
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # not shown
    "\u2028-\u202e\u2066-\u206f"  # line ends, and what turns the direction of a text
    "\ud800-\udfff"  # halves of characters
    "]"
)
"""A pattern of the characters that are escaped."""

# GitHub's runner compares texts by culture, in which these characters do not count (.NET with ICU).
_IGNORED = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
_COMMAND = r"(#_#_(?:v_s_o_)?)\[".replace("_", f"[{_IGNORED}]*")
_COMMAND_AT_START = rf"(?m)^((?:(?!\n)[\s{_IGNORED}])*)(:[{_IGNORED}]*:)"

_HIDDEN_IN_LINES = HIDDEN.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f")
_LONGEST_NOTED = 80
_SEEN = str.maketrans("\n\t", "  ")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

# The tokens of SQL in which characters have no meaning of their own.
NAME = r"`(?:[^`]|``)*`"
RAW_LITERAL = r"""\b[rR](?:'[^']*'|"[^"]*")"""
LITERAL = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
COMMENT = r"--[^\n]*|/\*.*?\*/"
_UNCLOSED = {"'": r"'(?:[^'\\]|\\.)*\\?\Z", '"': r'"(?:[^"\\]|\\.)*\\?\Z', "/": r"/\*.*\Z"}
UNCLOSED = "|".join(_UNCLOSED.values())
"""A pattern of what is not closed until the end of the text, so that its end is searched only once."""

_TOKENS = f"(?s)(?P<kept>{NAME}|{RAW_LITERAL})|(?P<literal>{LITERAL})|(?P<comment>{COMMENT})|(?P<open>{UNCLOSED})|\r"
_CHARACTERS = r"(?s)\\(.)|([^\\])"


def identifier(name: str) -> str:
    """Put a name into back-quotes, as SQL has it; it may hold any character."""
    if "`" not in name:
        return f"`{name}`"
    return "`" + name.replace("`", "``") + "`"


def escaped(text: object) -> str:
    r"""Return the ``str`` of a value on one line: line ends as ``\n``, other hidden characters as ``\u001b``.

    A text that is escaped already stays as it is.
    """
    return _written_out(str(text), HIDDEN)


def escaped_lines(text: object) -> str:
    """Return a text of several lines with its hidden characters escaped; its line ends stay."""
    return _written_out(str(text), _HIDDEN_IN_LINES)


def printed(text: object) -> str:
    """Return a text of several lines as it is printed, on a terminal or into the log of a CI system."""
    return without_commands(escaped_lines(text))


def printed_line(text: object) -> str:
    """Return a text on one line as it is printed; see :func:`escaped` and :func:`printed`."""
    return without_commands(escaped(text))


def without_commands(text: str) -> str:
    """Put a backslash into what CI systems read as a command, as :func:`printed` does."""
    if "#" in text:
        text = re.sub(_COMMAND, r"\1\\[", text)
    return re.sub(_COMMAND_AT_START, r"\1\\\2", text) if ":" in text else text


def printed_sql(sql: str) -> tuple[str, str]:
    """Return SQL as it is printed, and a note on what is not exact in it; the note is ``""`` if the SQL is exact."""
    changed: dict[str, None] = {}

    def shown(match: re.Match[str]) -> str:
        token = match[0]
        text = without_commands(escaped(token) if match["kept"] else escaped_literals(token))
        if text != token and (match["kept"] or text != escaped_literals(token)):
            changed[shortened(text, _LONGEST_NOTED)] = None
        return text

    text = re.sub(_TOKENS, shown, sql)
    # Outside of names and literals, a tab means what a blank does, and other hidden characters mean nothing.
    whole = printed(text.replace("\t", " "))
    if whole != text.replace("\t", " ") and not changed:
        changed["a line that begins with ::"] = None
    if not changed:
        return whole, ""
    names = ", ".join(changed)
    return (
        whole,
        f"escaped for the terminal, and exact in a JSON report: {names}",
    )


def shortened(text: str, limit: int) -> str:
    """Return a text for a message, with three dots instead of its end if it is longer than a limit."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def code_unit_escapes(character: str) -> str:
    r"""Return a character as SQL and consents read it: ``\u001b``, and two of these beyond the first 65,536."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def escaped_literals(sql: str) -> str:
    r"""Escape hidden characters in the string literals and comments of SQL, without changing its meaning.

    White space between them stays, and so do names, and raw literals (``r'...'``), which have no escapes.
    """
    return sql if re.search(HIDDEN, sql) is None else _legible(sql, "")


def _legible(sql: str, unclosed: str) -> str:
    """Escape hidden characters in literals and comments that do not begin with a mark that was found unclosed.

    Behind an unclosed quote, each quote like it is unclosed, too.
    """
    tokens = _TOKENS.replace("(?s)", f"(?s)[{unclosed}]|", 1) if unclosed else _TOKENS
    return re.sub(tokens, partial(_legible_token, unclosed), sql)


def note_on(sql: str) -> str:
    """Return a note on the names in SQL that have hidden characters, escaped; ``""`` if there is none."""
    # Much faster than a translation, and nearly all SQL ends here.
    if sql.replace("\n", " ").replace("\t", " ").isprintable():
        return ""
    kept = dict.fromkeys(match["kept"] for match in re.finditer(_TOKENS, sql) if match["kept"])
    shown = ", ".join(escaped(token) for token in kept if re.search(HIDDEN, token.translate(_SEEN)))
    return f"with characters that are not shown: {shown}" if shown else ""


def sql_lines(sql: str) -> list[str]:
    """Split SQL into lines, but not inside of names, which must stay as they are."""
    marked = re.sub(_TOKENS, lambda match: match[0].replace("\n", " ") if match["kept"] else match[0], sql)
    ends = [index for index, character in enumerate(marked) if character == "\n"]
    return [sql[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, len(sql)], strict=True)]


def _written_out(text: str, hidden: str) -> str:
    if text.isprintable():
        return text
    return re.sub(hidden, lambda match: _SHORT.get(match[0]) or code_unit_escapes(match[0]), text)


def _legible_token(unclosed: str, match: re.Match[str]) -> str:
    if match["literal"]:
        return re.sub(_CHARACTERS, _legible_character, match["literal"])
    if match["comment"]:
        return escaped_lines(match["comment"])
    if match["open"]:
        mark = match["open"][0]
        return mark + _legible(match["open"][1:], unclosed + mark)
    return match["kept"] or match[0].replace("\r", " ")


def _legible_character(match: re.Match[str]) -> str:
    character = match[1] or match[2]
    if re.match(HIDDEN, character) is None:
        return match[0]
    # A backslash in front of a hidden character has no meaning in SQL.
    return _SHORT.get(character) or code_unit_escapes(character)


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: ``1 change``, ``2 changes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
