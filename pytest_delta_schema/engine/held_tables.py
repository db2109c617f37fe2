"""Find the tables that variables and files hold."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING

from pytest_delta_schema.models.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

CONTAINERS = (list, tuple, dict)


def tables_of_file(path: str) -> dict[str, Table]:
    """Run a module, and return the tables that it declares, by the variables that hold them."""
    spec = spec_from_file_location("delta_schema_written", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module_tables(module)


def module_tables(module: ModuleType) -> dict[str, Table]:
    """Return the tables that the variables of a module hold by themselves, by these variables."""
    return {name: value for name, value in vars(module).items() if type(value) is Table}


def held_tables(value: object, *, or_nothing: bool = False) -> list[Table]:
    """Return the tables that a variable holds, by itself or in lists and dictionaries.

    With ``or_nothing`` there are none if it holds anything else as well.
    """
    tables: list[Table] = []
    for item in held_items(value):
        # The type and not isinstance, which would evaluate lazy proxies.
        if issubclass(type(item), Table):
            tables.append(item)  # type: ignore[arg-type]  # as it says
        elif or_nothing:
            return []
    return tables


def held_items(value: object) -> Iterator[object]:
    """Yield what lists, tuples and dictionaries hold, also inside of each other; any other value by itself."""
    return _items(value, set())


def _items(value: object, seen: set[int]) -> Iterator[object]:
    if not issubclass(type(value), CONTAINERS):
        yield value
    elif id(value) not in seen:
        seen.add(id(value))
        for item in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]  # a container
            yield from _items(item, seen)
