"""The catalog that a function uses: the one that it was given, or that of the pytest run."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from pytest_delta_schema.configuration.settings import current_catalog
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.state.required_reader import require_reader

if TYPE_CHECKING:
    from pytest_delta_schema.state.states import CatalogReader

_C = TypeVar("_C", bound="CatalogReader")


def catalog_or_current(catalog: _C | None, function: str) -> _C:
    """Return the catalog that was given, or that of the pytest run.

    Args:
        catalog: What the user gave; ``None`` for the catalog of the run, which can do everything.
        function: What needs it, for the message.

    Raises:
        DeclarationError: If no test runs that has a catalog, or something else was given.
    """
    chosen = cast("_C | None", current_catalog()) if catalog is None else catalog
    if chosen is None:
        msg = f"{function} needs a catalog, and no test of pytest runs that has one; give catalog=..."
        raise DeclarationError(msg)
    require_reader(chosen, function)
    return chosen
