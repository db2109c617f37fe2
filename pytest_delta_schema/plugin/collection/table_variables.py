"""Find the tables that the variables of a module hold."""

from __future__ import annotations

from difflib import get_close_matches
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from pytest_delta_schema.engine.held_tables import CONTAINERS, held_items, held_tables
from pytest_delta_schema.models.declared_at import declarations_of
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plugin.outcomes.failures import relative

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_delta_schema.models.names import QualifiedName

LISTED = "delta_tables"
"""Name of the variable with which a test module adopts tables that were declared elsewhere."""

_NEAR = ("delta_contracts", "delta_model", "delta_models", "delta_schema", "delta_schemas", "delta_tables")
"""Names, in lower case, that mean ``delta_tables``; others are near by their letters."""


def adopted_tables(value: object) -> list[Table]:
    """Return the tables that the value of ``delta_tables`` names: a table, or a list or a dictionary of tables.

    Raises:
        ValueError: If it holds something else.
    """
    # A fixture or a module may have this name, too.
    if callable(value) or isinstance(value, ModuleType):
        return []
    others = [repr(item) for item in held_items(value) if not issubclass(type(item), Table)]
    if others:
        msg = f"{LISTED} holds {', '.join(others)}, not a Table; write a table, or a list or a dictionary of tables"
        raise ValueError(msg)
    return held_tables(value)


def misspelt(name: str, value: object) -> str:
    """Return the message for a variable that was meant to be ``delta_tables``; ``""`` if it was not."""
    low = name.lower()
    is_near = low.startswith("delta_") and (low in _NEAR or get_close_matches(low, [LISTED], cutoff=0.8))
    if is_near and issubclass(type(value), CONTAINERS) and held_tables(value):
        return f"{name} holds tables, which are not collected from a variable of this name; did you mean {LISTED}?"
    return ""


def missed_tables(module: ModuleType, collected: Mapping[QualifiedName, Table], root: Path) -> str:
    """Return the message for the tables that a module declares and that are not collected; ``""`` if there are none.

    Parents of the foreign keys of collected tables are left out: they may be declared only to be referenced.
    """
    parents = {key.parent for table in collected.values() for key in table.foreign_keys}
    declared = declarations_of(module)
    missed = {name: origin for name, origin in declared.items() if name not in collected and name not in parents}
    if not missed:
        return ""
    attributes = {table.name: path for path, table in _attributes(module)}
    lines = [
        f"  {relative(origin.location, root)}: {name}" + (f" ({attributes[name]})" if name in attributes else "")
        for name, origin in missed.items()
    ]
    held = ", ".join(attributes[name] for name in missed if name in attributes)
    remedies = [f"write {LISTED} = [{held}] below the class" if held else ""]
    if not missed.keys() <= attributes.keys():
        remedies.append("assign the others to variables" if held else "assign each of them to a variable")
    return (
        f"{module.__name__} declares tables that would not be checked, because no variable of the module holds them, by"
        f" itself or in a list or a dictionary; {', '.join(filter(None, remedies))}:\n" + "\n".join(lines)
    )


def functions_with_tables(module: ModuleType) -> list[str]:
    """Return the names of the functions of a module that make tables if they are called."""
    functions = {name: value for name, value in vars(module).items() if type(value) is FunctionType}
    return [
        name
        for name, function in functions.items()
        if function.__module__ == module.__name__ and Table.__name__ in function.__code__.co_names
    ]


def _attributes(module: ModuleType) -> Iterator[tuple[str, Table]]:
    """Yield the tables that are attributes of the classes of a module, with their paths, such as ``Silver.orders``."""
    for name, value in vars(module).items():
        if issubclass(type(value), type) and value.__module__ == module.__name__:
            for attribute, table in vars(value).items():
                if type(table) is Table:
                    yield f"{name}.{attribute}", table
