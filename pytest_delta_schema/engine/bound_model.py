"""Models with the tables that they map to in a catalog."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.models.binding import Binding
from pytest_delta_schema.models.derivation import derived
from pytest_delta_schema.models.table import Table

if TYPE_CHECKING:
    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.models.names import QualifiedName


@dataclass(frozen=True, slots=True)
class BoundModel:
    """A model with the table that it maps to in a catalog, under the settings of a project."""

    model: Table
    """The declaration."""
    table: Table
    """What it declares of the table in the catalog, with the default properties and clients of the project."""
    name: QualifiedName
    """The name of that table."""

    @classmethod
    def of(cls, model: Table, settings: Settings) -> BoundModel:
        """Bind a model; a table that was derived from a model is that of the catalog already."""
        table = declared(model, settings)
        if settings.bindings and _is_declaration(model):
            table = Binding(settings.bindings).table(table)
        if table is not model and table.name == model.name:
            table = _named_by_itself(table)
        return cls(model, table, table.name)


def declared(table: Table, settings: Settings) -> Table:
    """Return a model with the default properties and the clients of the project, still under its own name.

    A table that was derived from a model has them already.
    """
    defaults = dict(settings.default_properties)
    clients = table.clients or settings.clients
    is_whole = clients == table.clients and not defaults.keys() - table.table_properties.keys()
    if is_whole or not _is_declaration(table):
        return table
    properties = MappingProxyType({**defaults, **table.table_properties})
    return derived(table, table_properties=properties, clients=clients)


def model_of_copy(table: Table, settings: Settings, **changes: Any) -> Table:
    """Return a model for a table of another name, with the same declaration; bindings do not apply to it.

    It has no foreign keys, because the parents of a copy have other names, too, and it converts no files, because those
    belong to the table of the model.

    ``changes`` are the arguments of :class:`Table` that differ, such as the names.
    """
    values: dict[str, Any] = {field.name: getattr(table, field.name) for field in fields(table) if field.init}
    made = Table(**{**values, "foreign_keys": (), "convert_from": None, "read_only": False, **changes})
    return _named_by_itself(declared(made, settings))


def _named_by_itself(table: Table) -> Table:
    """Return a table in a catalog, whose keys are named after it."""
    return derived(table, origin=table.origin._replace(name=None))


def _is_declaration(table: Table) -> bool:
    """Whether a table is a declaration, and not derived from one for a catalog."""
    return table.origin.name == table.name
