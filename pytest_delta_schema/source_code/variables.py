"""Names of variables for tables."""

from __future__ import annotations

import keyword
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.models.names import QualifiedName

_TAKEN = frozenset({
    "collect_ignore", "collect_ignore_glob", "delta_tables", "pytest_plugins", "pytestmark",
    "setup_function", "setup_module", "teardown_function", "teardown_module",
})  # fmt: skip
"""Names of variables that mean something to pytest, or to this package."""


def python_word(name: str) -> str:
    """Return a name in lower case with the characters that Python's names have; it may begin with a digit."""
    low = unicodedata.normalize("NFKC", name.lower())
    return "".join(character if f"a{character}".isidentifier() else "_" for character in low)


def variable(name: str) -> str:
    """Return a Python name for a table."""
    plain = python_word(name)
    if not plain.isidentifier():
        plain = f"_{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) or plain in _TAKEN else plain


def variables(names: Iterable[QualifiedName], taken: Iterable[str] = ()) -> dict[QualifiedName, str]:
    """Return a variable for each table, no two of them the same.

    ``taken`` are names that the module has already.
    """
    return distinct(names, lambda name: variable(name.table), taken)


def distinct(
    names: Iterable[QualifiedName], short: Callable[[QualifiedName], str], taken: Iterable[str] = ()
) -> dict[QualifiedName, str]:
    """Return a short name for each table; those that are the same, or taken, get a number."""
    chosen: dict[QualifiedName, str] = {}
    used = set(taken)
    for name in sorted(names):
        plain = free = short(name)
        number = 2
        while free in used:
            free, number = f"{plain}_{number}", number + 1
        used.add(free)
        chosen[name] = free
    return chosen
