"""The line to write where a declaration lacks arguments, such as the parts of a table's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TABLE = "Table"
_NAME_PARTS = ("catalog_name", "schema_name", "table_name")
_PLACEHOLDERS = ("catalog", "schema", "table")

_EXAMPLES: Mapping[str, str] = {
    "Check": 'Check("positive_amount", "amount > 0")',
    "Column": 'Column("id", LongType())',
    "Deprecated": "Deprecated(date(2026, 1, 31))",
    "ForeignKey": 'ForeignKey(["customer_id"], "dev.silver.customers")',
    "PrimaryKey": 'PrimaryKey(["id"])',
    "Unique": 'Unique(["email"])',
}
"""A whole call of each declaration that has required arguments."""


def missing_arguments(kind: str, required: Sequence[str], given: Mapping[str, object]) -> str:
    """Return the message for a declaration that lacks required arguments.

    ``kind`` is the name of its class.
    """
    if kind == _TABLE:
        return _of_a_table(given)
    lacks = ", ".join(name for name in required if name not in given)
    shown = ", ".join(map(repr, given.values()))
    return f"{kind}({shown}) lacks {lacks}; write {kind}({', '.join(required)}), such as {_EXAMPLES[kind]}"


def wrong_name_parts(values: Sequence[object]) -> str:
    """Return the message for a table whose name has too few parts, for example a list where the table name is expected.

    The result is ``""`` if there is no list.
    """
    if not any(isinstance(value, (list, tuple)) for value in values):
        return ""
    return _of_a_table(dict(zip(_NAME_PARTS, values, strict=True)))


def _of_a_table(given: Mapping[str, object]) -> str:
    texts: list[str] = []
    for part in _NAME_PARTS:
        text = given.get(part)
        if not isinstance(text, str):
            break
        texts.append(text)
    name = ".".join(texts)
    parts = [part for part in name.split(".") if part]
    if len(texts) == len(_NAME_PARTS):
        return f"Table {name} lacks columns; write " + _call(texts, f"{_EXAMPLES['Column']}, ...")
    fact = f"Table was given the name {name!r}" if name else "Table was given no name"
    if len(parts) == len(_NAME_PARTS):
        return f"{fact}, whose three parts are three arguments; write {_call(parts)}"
    known = parts[-len(_NAME_PARTS) :]
    call = _call([*_PLACEHOLDERS[: len(_NAME_PARTS) - len(known)], *known])
    return f"{fact}, and a name has three parts: catalog, schema and table; write {call}"


def _call(parts: Sequence[str], columns: str = "...") -> str:
    return "Table(" + ", ".join(f'"{part}"' for part in parts) + f", [{columns}])"
