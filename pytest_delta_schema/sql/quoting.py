"""Identifiers and literals: unescaped text in, SQL out, and nothing that the text could break out of."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.names import QualifiedName

_ESCAPES = {
    "\\": "\\\\",
    "'": "\\'",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\0": "\\0",
    "$": "\\u0024",
}
# A dollar is harmless but before a brace, where Spark substitutes variables even inside literals.
_TO_ESCAPE = re.compile(r"[\\'\n\r\t\0]|\$(?=\{)")


def identifier(name: str) -> str:
    """Quote one name; it may hold any character."""
    if "`" not in name:
        return f"`{name}`"
    return "`" + name.replace("`", "``") + "`"


def dotted(name: QualifiedName) -> str:
    """Quote a table's three parts, in the case in which the catalog stores them."""
    return _dotted(*name.written)


@lru_cache(maxsize=1024)
def _dotted(catalog: str, schema: str, table: str) -> str:
    return f"{identifier(catalog)}.{identifier(schema)}.{identifier(table)}"


def listed(names: Iterable[str]) -> str:
    """Quote names and put commas between them."""
    return ", ".join(map(identifier, names))


def path_sql(path: Iterable[str]) -> str:
    """Quote a column and the fields below it, with dots between them."""
    return ".".join(map(identifier, path))


def condition(expression: str) -> str:
    """Put an expression into parentheses, out of reach of a comment at its end."""
    return f"({expression}\n)" if "--" in expression else f"({expression})"


def literal(text: str) -> str:
    """Write ``text`` as a string literal on one line.

    Quotes are escaped by a backslash, because a doubled quote is misread by Spark 3.5 and 4.0.
    """
    if text.isprintable() and "'" not in text and "\\" not in text and "$" not in text:
        return f"'{text}'"
    return "'" + _TO_ESCAPE.sub(lambda match: _ESCAPES[match.group()], text) + "'"


def delta_files(path: str) -> str:
    """Say a folder that is a Delta table as something that can be queried."""
    return f"delta.{identifier(path)}"


def parquet_files(path: str) -> str:
    """Say a folder of parquet files as something that can be queried, or converted."""
    return f"parquet.{identifier(path)}"
