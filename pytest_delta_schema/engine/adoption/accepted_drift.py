"""Declare models that accept how their tables differ from them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.sql import types as spark

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.redaction import may_be_secret
from pytest_delta_schema.engine.adoption.accepted_state import accepted_state, property_keys
from pytest_delta_schema.engine.adoption.imported_models import reversed_binding
from pytest_delta_schema.engine.bound_model import BoundModel
from pytest_delta_schema.models.derivation import derived
from pytest_delta_schema.state.adopting import declared_table
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.keys import path_of_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.models.binding import Binding
    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.constraints import Check, ForeignKey, Unique
    from pytest_delta_schema.models.table import PropertyValue, Table
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import TableState

    _T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class AcceptedDrift:
    """A model that accepts how its table differs from it."""

    table: Table
    secrets: tuple[str, ...]
    """The keys of the properties that it does not accept, because their values may be secrets."""


def accepted_drift(model: Table, stored: TableState, changes: Iterable[Change], settings: Settings) -> AcceptedDrift:
    """Return a model with what its table has in each place that the changes of its plan name.

    Everything else stays as it is declared. The state is that of the table in the catalog, and the plan was made
    without the former names of columns.
    """
    changes = tuple(changes)
    secrets = frozenset(_secrets(changes, stored))
    wanted = desired_state(BoundModel.of(model, settings).table)
    binding = reversed_binding(settings)
    before, after = (_of_model(state, model, binding) for state in (wanted, accepted_state(wanted, stored, changes)))
    old, new = declared_table(before), declared_table(after)
    parts: dict[str, Any] = {
        name: getattr(new, name)
        for name in ("comment", "primary_key", "partitioned_by", "clustered_by")
        if getattr(old, name) != getattr(new, name)
    }
    if before.columns != after.columns or before.tags != after.tags:
        parts["columns"] = tuple(_columns(model.columns, old.columns, new.columns))
    if old.tags != new.tags:
        parts["tags"] = new.tags
    if old.checks != new.checks:
        parts["checks"] = _constraints(model.checks, old.checks, new.checks, _name_of_check)
    for name in ("unique", "foreign_keys"):
        declared, stale, fresh = (getattr(table, name) for table in (model, old, new))
        if stale != fresh:
            parts[name] = _constraints(declared, stale, fresh, partial(_name_of_key, model))
    properties = _properties(model, before, after, secrets, dict(settings.default_properties))
    if properties != model.table_properties:
        parts["table_properties"] = properties
    return AcceptedDrift(derived(model, **parts), tuple(sorted(secrets)))


def _secrets(changes: Iterable[Change], stored: TableState) -> Iterator[str]:
    for change in changes:
        for key in property_keys(change):
            value = stored.table_properties.get(key)
            if value is not None and may_be_secret(key, value):
                yield key


def _of_model(state: TableState, model: Table, binding: Binding) -> TableState:
    """Return the state of a table under the names that models have."""
    keys = tuple(key._replace(parent=binding.name(key.parent)) for key in state.foreign_keys)
    return replace(state, name=model.name, foreign_keys=keys)


def _columns(declared: Iterable[Column], old: Iterable[Column], new: Iterable[Column]) -> Iterator[Column]:
    """Yield the declared columns with what differs between the old and the new ones; new columns as they are."""
    models, before = ({folded(column.name): column for column in columns} for columns in (declared, old))
    for column in new:
        name = folded(column.name)
        yield _column(models[name], before[name], column) if name in models else column


def _column(declared: Column, old: Column, new: Column) -> Column:
    names = [field.name for field in fields(new) if getattr(old, field.name) != getattr(new, field.name)]
    parts: dict[str, Any] = {name: getattr(new, name) for name in names}
    if "data_type" in parts:
        parts["data_type"] = _type(declared.data_type, old.data_type, new.data_type)
    return replace(declared, **parts) if parts else declared


def _type(declared: spark.DataType, old: spark.DataType, new: spark.DataType) -> spark.DataType:
    """Return a declared type with what differs between the old and the new one."""
    if old == new:
        return declared
    match declared, old, new:
        case spark.StructType(), spark.StructType(), spark.StructType():
            models, before = ({folded(field.name): field for field in part.fields} for part in (declared, old))
            known = models.keys() & before.keys()
            return spark.StructType(
                [
                    _field(models[name], before[name], field) if name in known else field
                    for field, name in ((field, folded(field.name)) for field in new.fields)
                ]
            )
        case spark.ArrayType(), spark.ArrayType(), spark.ArrayType():
            return spark.ArrayType(_type(declared.elementType, old.elementType, new.elementType), new.containsNull)
        case spark.MapType(), spark.MapType(), spark.MapType():
            return spark.MapType(
                _type(declared.keyType, old.keyType, new.keyType),
                _type(declared.valueType, old.valueType, new.valueType),
                new.valueContainsNull,
            )
    return new


def _field(declared: spark.StructField, old: spark.StructField, new: spark.StructField) -> spark.StructField:
    """Return a declared field with what differs between the old and the new one; its other metadata stays."""
    metadata = dict(declared.metadata or {})
    if old.metadata != new.metadata:
        metadata = {key: value for key, value in metadata.items() if key != "comment"} | new.metadata
    return spark.StructField(
        declared.name, _type(declared.dataType, old.dataType, new.dataType), new.nullable, metadata
    )


def _constraints(
    declared: Sequence[_T], old: Sequence[_T], new: Sequence[_T], name_of: Callable[[_T], str]
) -> tuple[_T, ...]:
    """Return the declared constraints with those that differ between the old and the new ones; new ones come last."""
    before, after = ({name_of(constraint): constraint for constraint in part} for part in (old, new))
    kept = []
    for constraint in declared:
        name = name_of(constraint)
        if name in after:
            kept.append(constraint if after[name] == before.get(name) else after[name])
    return (*kept, *(constraint for name, constraint in after.items() if name not in before))


def _name_of_check(check: Check) -> str:
    return folded(check.name)


def _name_of_key(model: Table, key: Unique | ForeignKey) -> str:
    return folded(path_of_key(model, key))


def _properties(
    model: Table, before: TableState, after: TableState, secrets: Collection[str], defaults: Collection[str]
) -> Mapping[str, PropertyValue]:
    """Return the declared properties with those that differ between two states.

    A default of the project that the table lacks is declared absent.
    """
    properties = dict(model.table_properties)
    for key in {**before.table_properties, **after.table_properties}:
        value = after.table_properties.get(key)
        if key in secrets or value == before.table_properties.get(key):
            continue
        if key in after.table_properties or key in defaults:
            properties[key] = value
        else:
            del properties[key]
    return MappingProxyType(properties)
