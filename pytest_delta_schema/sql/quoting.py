"""Render names, texts, types and values, quoted so that no text can be read as SQL."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.text import HIDDEN, code_unit_escapes, escaped_literals, identifier
from pytest_delta_schema.state.types import ArrayState, MapState, StructState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState, DataTypeState
    from pytest_delta_schema.write_check.verdict import WriteOptions

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


def insert_sql(options: WriteOptions, table: str, source: str) -> str:
    """Render an INSERT of the rows of a view."""
    evolution = "WITH SCHEMA EVOLUTION " if options.evolves else ""
    where = "" if options.replace_where is None else f" REPLACE WHERE {condition(options.replace_where)}"
    verb = "OVERWRITE" if options.mode == "overwrite" and not where else "INTO"
    columns = "" if options.by == "position" else " BY NAME" if options.by == "name" else f" ({listed(options.by)})"
    return f"INSERT {evolution}{verb} {table}{columns}{where} SELECT * FROM {source}"  # noqa: S608 - quoted


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


def type_sql(data_type: DataTypeState) -> str:
    """Render a type in upper case, nested fields with NOT NULL and comments."""
    return data_type.upper() if isinstance(data_type, str) else _nested_sql(data_type)


@lru_cache(maxsize=1024)
def _nested_sql(data_type: StructState | ArrayState | MapState) -> str:
    if isinstance(data_type, StructState):
        return f"STRUCT<{', '.join(map(_field_sql, data_type.fields))}>"
    if isinstance(data_type, ArrayState):
        return f"ARRAY<{type_sql(data_type.element)}>"
    return f"MAP<{type_sql(data_type.key)}, {type_sql(data_type.value)}>"


def _field_sql(field: ColumnState) -> str:
    not_null = "" if field.is_nullable else " NOT NULL"
    comment = f" COMMENT {literal(field.comment)}" if field.comment else ""
    return f"{identifier(field.name)}: {type_sql(field.data_type)}{not_null}{comment}"


_SUFFIXES = {"tinyint": "Y", "smallint": "S", "int": "", "bigint": "L"}
"""How Spark's literals of whole numbers end, by their type."""


def value_sql(value: Any, data_type: DataTypeState) -> str:
    """Render a value: a number, text, bytes or time; a list, a dictionary, or a struct as a dictionary by field."""
    if value is None:
        return f"CAST(NULL AS {type_sql(data_type)})"
    if isinstance(data_type, StructState):
        items = value if isinstance(value, tuple) else [value.get(field.name) for field in data_type.fields]
        parts = [
            f"{literal(field.name)}, {value_sql(item, field.data_type)}"
            for field, item in zip(data_type.fields, items, strict=True)
        ]
        return f"named_struct({', '.join(parts)})"
    if isinstance(data_type, ArrayState):
        elements = ", ".join(value_sql(item, data_type.element) for item in value)
        return f"array({elements})" if elements else f"CAST(array() AS {type_sql(data_type)})"
    if isinstance(data_type, MapState):
        pairs = [f"{value_sql(key, data_type.key)}, {value_sql(item, data_type.value)}" for key, item in value.items()]
        return f"map({', '.join(pairs)})" if pairs else f"CAST(map() AS {type_sql(data_type)})"
    return _atom_sql(value, data_type)


def _atom_sql(value: Any, data_type: str) -> str:  # noqa: PLR0911 - one for each kind of value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int) and data_type in _SUFFIXES:
        # The sign is not part of a literal, so the least number of a type has none.
        return f"{value}{_SUFFIXES[data_type]}" if value >= 0 else f"CAST({value} AS {type_sql(data_type)})"
    if isinstance(value, (bytes, bytearray)):
        return f"X'{value.hex().upper()}'"
    if isinstance(value, (int, Decimal)):
        return f"CAST({value} AS {type_sql(data_type)})"
    if isinstance(value, str) and data_type == "string":
        return literal(value)
    if isinstance(value, date) and not isinstance(value, datetime) and data_type == "date":
        return f"DATE{literal(str(value))}"
    # Not every float is a literal, and times with a zone are read from their text.
    return f"CAST({literal(str(value))} AS {type_sql(data_type)})"
