"""Declare models for the tables of a catalog, under the names that the bindings of a project give them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.redaction import may_be_secret
from pytest_delta_schema.engine.assembly import property_policy_of
from pytest_delta_schema.models.binding import Binding
from pytest_delta_schema.models.derivation import derived
from pytest_delta_schema.models.modes import IGNORE
from pytest_delta_schema.rules.aspects.properties import is_declarable
from pytest_delta_schema.state.adopting import declared_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.delta.names.part_path import Aspect
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import PropertyValue, Table
    from pytest_delta_schema.state.states import TableState


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """A model that was made from a table."""

    table: Table
    secrets: tuple[str, ...]
    """The keys of properties that it leaves out, because they may hold secrets."""


def model_name(name: QualifiedName, settings: Settings) -> QualifiedName:
    """Return the name that the model of a table has: that which the bindings map to the table."""
    return reversed_binding(settings).name(name)


def imported_model(state: TableState, settings: Settings, owns: Sequence[Aspect] | None = None) -> ImportedModel:
    """Return the model of a table.

    ``owns`` are the aspects that the contract manages; ``None`` for all.
    """
    binding = reversed_binding(settings)
    keys = tuple(key._replace(parent=binding.name(key.parent)) for key in state.foreign_keys)
    model = declared_table(replace(state, name=binding.name(state.name), foreign_keys=keys))
    if state.kind:
        return ImportedModel(derived(model, read_only=True), ())
    policy = property_policy_of(settings)
    # A default of the project that the table lacks has to be declared absent.
    properties: dict[str, PropertyValue] = {
        key: None for key, _ in settings.default_properties if key not in state.table_properties
    }
    secrets = []
    for key, value in sorted(state.table_properties.items()):
        if value is None or not is_declarable(key) or policy.mode(key) == IGNORE:
            continue
        if may_be_secret(key, value):
            secrets.append(key)
        else:
            properties[key] = value
    declared = replace(model, table_properties=properties, owns=model.owns if owns is None else tuple(owns))
    return ImportedModel(declared, tuple(secrets))


def reversed_binding(settings: Settings) -> Binding:
    """Return the binding that maps names in the catalog to those in models."""
    return Binding(tuple((target, prefix) for prefix, target in settings.bindings))
