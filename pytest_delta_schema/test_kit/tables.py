"""The tables and catalogs that functions of the test kit take: models or names, and what a catalog can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.settings import current_settings
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.engine.bound_model import BoundModel
from pytest_delta_schema.execute.protocols.table_history import KeepsVersions, ReadsRows
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.table import Table

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.catalog_reader import CatalogReader


def name_of(table: Table | str) -> QualifiedName:
    """Return the name of a table in the catalog: that to which a model maps under the settings in force.

    Raises:
        DeclarationError: If it is neither a model nor a dotted name.
    """
    if isinstance(table, Table):
        return BoundModel.of(table, current_settings()).name
    if not isinstance(table, str):
        msg = f"the table is {table!r}; give a Table, or its name as catalog.schema.table"
        raise DeclarationError(msg)
    return parse_name(table)


def rows_in(catalog: CatalogReader, function: str) -> ReadsRows:
    """Return a catalog that reads rows; raise a ``DeclarationError`` if the catalog cannot."""
    if not isinstance(catalog, ReadsRows):
        raise DeclarationError(_lacks(catalog, function, "the rows of tables", "local, session, unity and memory"))
    return catalog


def versions_in(catalog: CatalogReader, function: str) -> KeepsVersions:
    """Return a catalog that reads commits and older versions; raise a ``DeclarationError`` if the catalog cannot."""
    if not isinstance(catalog, KeepsVersions):
        raise DeclarationError(_lacks(catalog, function, "the commits of tables", "local, session and unity"))
    return catalog


def _lacks(catalog: CatalogReader, function: str, what: str, able: str) -> str:
    name = getattr(catalog, "name", type(catalog).__name__)
    return f"{function} reads {what}, which the {name} backend cannot; the backends that can are {able}"
