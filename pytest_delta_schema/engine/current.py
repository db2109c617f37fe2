"""The catalog and the settings that a function uses: those that it was given, or those of the pytest run."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from pytest_delta_schema.configuration.settings import Settings, current_catalog, current_settings
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.state.catalog_reader import require_reader

if TYPE_CHECKING:
    from pytest_delta_schema.state.catalog_reader import CatalogReader

_C = TypeVar("_C", bound="CatalogReader")


def catalog_or_current(catalog: _C | None, function: str) -> _C:
    """Return the catalog that was given, or that of the pytest run.

    ``function`` is what needs it, for the message.

    Raises:
        DeclarationError: If no test runs that has a catalog, or something else was given.
    """
    chosen = cast("_C | None", current_catalog()) if catalog is None else catalog
    if chosen is None:
        msg = f"{function} needs a catalog, and no test of pytest runs that has one; give catalog=..."
        raise DeclarationError(msg)
    require_reader(chosen, function)
    return chosen


def settings_or_current(value: object, subject: str) -> Settings:
    """Return settings; those in force for ``None``.

    Raises:
        DeclarationError: If it is something else.
    """
    if value is None:
        return current_settings()
    if not isinstance(value, Settings):
        remedy = "give Settings(...), or Settings.from_project(folder)"
        refuse_kind(subject, "settings of the kind Settings", value, remedy)
    return value
