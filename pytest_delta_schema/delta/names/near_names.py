"""Find the name that a mistyped one may mean."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameMap, folded

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """Return the name that resembles a mistyped one most, in any case; ``None`` if none does."""
    spellings = NameMap((known, known) for known in names)
    near = next(iter(get_close_matches(folded(name), list(spellings), n=1)), None)
    return None if near is None else spellings[near]


def proposal(name: str, names: Iterable[str], otherwise: str) -> str:
    """Return the remedy for a name that does not exist."""
    near = nearest_name(name, names)
    return otherwise if near is None else f"did you mean {near}?"
