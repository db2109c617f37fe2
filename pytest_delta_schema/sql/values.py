"""Render plain values as SQL of exactly the type of their column."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pytest_delta_schema.sql.aspects.types import type_sql
from pytest_delta_schema.sql.quoting import literal
from pytest_delta_schema.state.types import ArrayState, DataTypeState, MapState, StructState

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
