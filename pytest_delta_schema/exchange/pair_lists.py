"""Read lists of properties and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.exchange.token_reader import refuse_sql

if TYPE_CHECKING:
    from pytest_delta_schema.exchange.token_reader import TokenReader


def read_pairs(reader: TokenReader) -> dict[str, str]:
    """Read keys and values in parentheses; a key alone, as tags may be, has the value ``""``.

    Raises:
        UnreadableError: If something else comes next, or a key comes twice.
    """
    pairs: dict[str, str] = {}
    for item in reader.items():
        offset = item.offset
        key = _key(item)
        if key in pairs:
            refuse_sql(f"{key} is given twice", "keep one", offset)
        item.has("=")
        pairs[key] = "" if item.at_end else _value(item)
        item.end()
    return pairs


def read_keys(reader: TokenReader) -> list[str]:
    """Read keys in parentheses.

    Raises:
        UnreadableError: If something else comes next.
    """
    keys = []
    for item in reader.items():
        keys.append(_key(item))
        item.end()
    return keys


def _key(reader: TokenReader) -> str:
    return reader.text("a key") if reader.is_at_text else ".".join(reader.path("a key"))


def _value(reader: TokenReader) -> str:
    if reader.is_at_text:
        return reader.text("a value")
    value = reader.rest()
    if value.lower() in {"true", "false"}:
        return value.lower()
    if not value.lstrip("-").replace(".", "", 1).isdecimal():
        reader.refuse(f"the value {value} is not a text, a number or a boolean", "write it in quotes")
    return value
