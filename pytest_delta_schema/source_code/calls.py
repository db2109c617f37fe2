"""Declarations as calls: the names and arguments that an author would write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import types as spark

from pytest_delta_schema.delta.names.column_path import path_text
from pytest_delta_schema.models.column import Identity
from pytest_delta_schema.models.constraints import ForeignKey, PrimaryKey
from pytest_delta_schema.models.conversion import PARQUET, Parquet
from pytest_delta_schema.models.types.unknown_type import UnknownType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table

_POSITIONAL = ("catalog_name", "schema_name", "table_name", "columns")


class Call(NamedTuple):
    """A call in source: the callable's name and its arguments, each with its keyword or ``""``."""

    name: str
    arguments: tuple[tuple[str, object], ...]


class Variable(NamedTuple):
    """A variable of the module, which holds a table."""

    name: str
    primary_key: tuple[str, ...]


Variables = Mapping["QualifiedName", Variable]
"""The variables of a module that hold tables, by the names of the tables."""

NO_VARIABLES: Variables = MappingProxyType({})


def table_variables(tables: Mapping[str, Table]) -> Variables:
    """Return the variables that hold some tables, which are given by their names."""
    return {table.name: Variable(variable, tuple(table.primary_key)) for variable, table in tables.items()}


def table_call(table: Table, variables: Variables = NO_VARIABLES) -> Call:
    """Return the call that declares a table.

    Foreign keys name their parents by the variables of the module, and others by dotted names.
    """
    arguments: list[tuple[str, object]] = [("", getattr(table, name)) for name in _POSITIONAL[:-1]]
    arguments.append(("", [column_call(column) for column in table.columns]))
    return Call("Table", (*arguments, *_options(table, variables)))


def _options(table: Table, variables: Variables) -> Iterator[tuple[str, object]]:
    """Yield the arguments that are not what a table has by default."""
    for field in fields(table)[len(_POSITIONAL) :]:
        value = getattr(table, field.name) if field.init else None
        usual = None if field.default is MISSING else field.default
        if (value or usual) and value != usual:
            yield field.name, _conversion(value) if isinstance(value, Parquet) else _value(value, variables)


def _value(value: Any, variables: Variables) -> object:
    """Return a part of a declaration, and the parts below it, as calls."""
    match value:
        case ForeignKey():
            return _foreign_key(value, variables.get(value.parent))
        case PrimaryKey(name=None, rely=False):
            return list(value)
        case str() | bool():
            return value
        case Mapping():
            return dict(value)
        case Iterable() if not is_dataclass(value):
            return [_value(item, variables) for item in value]
    return _declaration(value)


def _foreign_key(key: ForeignKey, parent: Variable | None) -> Call:
    columns = key.parent_key
    if parent is None:
        return _declaration(replace(key, references=path_text(key.parent), parent_columns=columns))
    columns = () if columns == parent.primary_key else columns
    call = _declaration(replace(key, references="a.b.c", parent_columns=columns))
    (_, of_child), _, *others = call.arguments
    return Call(call.name, (("", of_child), ("", parent), *others))


def _declaration(value: Any) -> Call:
    """Return the call that makes an instance of a dataclass: what is required by position, the rest by name."""
    given = [(field, getattr(value, field.name)) for field in fields(value)]
    arguments = [("", _plain(item)) for field, item in given if field.default is MISSING]
    arguments += [(field.name, _plain(item)) for field, item in given if field.default not in (MISSING, item)]
    return Call(type(value).__name__, tuple(arguments))


def _plain(value: Any) -> object:
    if isinstance(value, date):
        return Call("date", (("", value.year), ("", value.month), ("", value.day)))
    return list(value) if isinstance(value, tuple) else value


def _conversion(wish: Parquet) -> object:
    arguments: list[tuple[str, object]] = [("", wish.path)] if wish.path else []
    if not wish.statistics:
        arguments.append(("statistics", False))
    return Call("Parquet", tuple(arguments)) if arguments else PARQUET


def column_call(column: Column) -> Call:
    """Return the call that declares a column."""
    arguments: list[tuple[str, object]] = [("", column.name), ("", type_call(column.data_type))]
    if not column.is_nullable:
        arguments.append(("is_nullable", False))
    if column.comment:
        arguments.append(("comment", column.comment))
    if column.default is not None:
        default = column.default
        arguments.append(("default", str(default) if isinstance(default, Decimal) else default))
    if column.generated_as is not None:
        arguments.append(("generated_as", column.generated_as))
    if column.identity:
        identity = Identity() if column.identity is True else column.identity
        arguments.append(("identity", _identity(identity)))
    if column.renamed_from is not None:
        arguments.append(("renamed_from", column.renamed_from))
    if column.tags:
        arguments.append(("tags", dict(column.tags)))
    if column.deprecated is not None:
        arguments.append(("deprecated", _declaration(column.deprecated)))
    return Call("Column", tuple(arguments))


def _identity(identity: Identity) -> Call:
    usual = Identity()
    parts = {"start": identity.start, "step": identity.step, "always": identity.always}
    return Call("Identity", tuple((key, value) for key, value in parts.items() if value != getattr(usual, key)))


def type_call(data_type: spark.DataType) -> Call:  # noqa: PLR0911 - one answer a kind of type
    """Return the call that makes a type."""
    name = type(data_type).__name__
    match data_type:
        case UnknownType():
            return Call(name, (("", data_type.text),))
        case spark.StructType():
            return Call(name, (("", [field_call(field) for field in data_type.fields]),))
        case spark.ArrayType():
            never = (("containsNull", False),) if not data_type.containsNull else ()
            return Call(name, (("", type_call(data_type.elementType)), *never))
        case spark.MapType():
            never = (("valueContainsNull", False),) if not data_type.valueContainsNull else ()
            return Call(name, (("", type_call(data_type.keyType)), ("", type_call(data_type.valueType)), *never))
        case spark.DecimalType():
            return Call(name, (("", data_type.precision), ("", data_type.scale)))
        case spark.CharType() | spark.VarcharType():
            return Call(name, (("", data_type.length),))
        case spark.StringType() if getattr(data_type, "collation", "UTF8_BINARY") != "UTF8_BINARY":
            return Call(name, (("", data_type.collation),))
        case spark.DayTimeIntervalType() | spark.YearMonthIntervalType():
            return Call(name, (("", data_type.startField), ("", data_type.endField)))
    return Call(name, ())


def field_call(field: spark.StructField) -> Call:
    """Return the call that makes a field of a struct."""
    arguments: list[tuple[str, object]] = [("", field.name), ("", type_call(field.dataType))]
    if not field.nullable:
        arguments.append(("nullable", False))
    if field.metadata:
        arguments.append(("metadata", dict(field.metadata)))
    return Call("StructField", tuple(arguments))
