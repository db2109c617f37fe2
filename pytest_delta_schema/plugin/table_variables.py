"""Find the tables that the variables of a module hold."""

from __future__ import annotations

from difflib import get_close_matches
from types import ModuleType
from typing import TYPE_CHECKING

from pytest_delta_schema.models.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTED = "delta_tables"
"""Name of the variable with which a test module adopts tables that were declared elsewhere."""

_CONTAINERS = (list, tuple, dict)


def adopted_tables(value: object) -> list[Table]:
    """Return the tables that ``delta_tables`` names.

    Args:
        value: Its value: a table, or a list or a dictionary of tables.

    Raises:
        ValueError: If it holds something else.
    """
    # A fixture or a module may have this name, too.
    if callable(value) or isinstance(value, ModuleType):
        return []
    others = [repr(item) for item in _items(value, set()) if not issubclass(type(item), Table)]
    if others:
        msg = f"{LISTED} holds {', '.join(others)}, not a Table; write a table, or a list or a dictionary of tables"
        raise ValueError(msg)
    return held_tables(value)


def held_tables(value: object) -> list[Table]:
    """Return the tables that a variable holds, by itself or in lists and dictionaries.

    Args:
        value: The variable's value.
    """
    # The type and not isinstance, which would evaluate lazy proxies.
    return [item for item in _items(value, set()) if issubclass(type(item), Table)]  # type: ignore[misc]  # as it says


def misspelt(name: str, value: object) -> str:
    """Return the message for a variable of a test module that was meant to be ``delta_tables``; ``""`` if it was not.

    Args:
        name: The variable.
        value: Its value.
    """
    is_near = name.startswith("delta_") and get_close_matches(name, [LISTED], cutoff=0.8)
    if is_near and issubclass(type(value), _CONTAINERS) and held_tables(value):
        return f"{name} holds tables, which are not collected from a variable of this name; did you mean {LISTED}?"
    return ""


def _items(value: object, seen: set[int]) -> Iterator[object]:
    """Yield what lists, tuples and dictionaries hold, also inside of each other; any other value by itself."""
    if not issubclass(type(value), _CONTAINERS):
        yield value
    elif id(value) not in seen:
        seen.add(id(value))
        for item in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]  # a container
            yield from _items(item, seen)
