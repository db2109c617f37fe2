"""Quote identifiers and literals, so no text can be read as SQL."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.text import HIDDEN, code_unit_escapes, escaped_literals, identifier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName

_ESCAPES = {
    "\\": "\\\\",
    "'": "\\'",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "$": "\\u0024",
}
# Spark substitutes ${variables} even inside of literals.
_TO_ESCAPE = re.compile(rf"[\\']|{HIDDEN}|\$(?=\{{)")


def dotted(name: QualifiedName) -> str:
    """Quote the three parts of a table name, in the case in which the catalog stores them."""
    return _dotted(*name.written)


@lru_cache(maxsize=1024)
def _dotted(catalog: str, schema: str, table: str) -> str:
    return f"{identifier(catalog)}.{identifier(schema)}.{identifier(table)}"


def listed(names: Iterable[str]) -> str:
    """Quote names and join them by commas."""
    return ", ".join(map(identifier, names))


def path_sql(path: ColumnPath) -> str:
    """Quote a column and the fields below it, joined by dots."""
    parts = path.parts
    return identifier(parts[0]) if len(parts) == 1 else ".".join(map(identifier, parts))


def condition(expression: str) -> str:
    """Put an expression into parentheses; a comment at its end does not hide the closing one."""
    text = escaped_literals(expression)
    return f"({text}\n)" if "--" in text else f"({text})"


def literal(text: str) -> str:
    r"""Write ``text`` as a string literal on one line.

    Quotes are escaped by a backslash, because Spark 3.5 and 4.0 misread a doubled quote, and hidden characters as in
    ``\u001b``. NUL is ``\0`` unless a digit follows, because ``\01`` is another character.
    """
    if text.isprintable() and "'" not in text and "\\" not in text and "$" not in text:
        return f"'{text}'"
    return "'" + _TO_ESCAPE.sub(_escape, text) + "'"


def _escape(match: re.Match[str]) -> str:
    if match[0] == "\0" and not match.string[match.end() : match.end() + 1].isdecimal():
        return "\\0"
    return _ESCAPES.get(match[0]) or code_unit_escapes(match[0])


def delta_files(path: str) -> str:
    """Render the folder of a Delta table as a relation that can be queried."""
    return f"delta.{identifier(path)}"


def parquet_files(path: str) -> str:
    """Render a folder of parquet files as a relation that can be queried or converted."""
    return f"parquet.{identifier(path)}"
