"""Declarations as calls: the names and arguments that an author would write."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import types as spark

from pytest_delta_schema.delta.fields import PLAIN_COLLATION
from pytest_delta_schema.delta.names import folded, path_text
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.column import Column, Deprecated, Identity
from pytest_delta_schema.models.constraints import PARQUET, Check, ForeignKey, Parquet, PrimaryKey, Unique
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.spark_types import UnknownType
from pytest_delta_schema.models.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from pytest_delta_schema.models.names import QualifiedName


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
    """Return the call that declares a table."""
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
    arguments = [("", _plain(item)) for field, item in given if _usual(field) is MISSING]
    arguments += [(field.name, _plain(item)) for field, item in given if _usual(field) not in (MISSING, item)]
    return Call(type(value).__name__, tuple(arguments))


def _usual(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _plain(value: Any) -> object:
    match value:
        case spark.DataType():
            return type_call(value)
        case date():
            return Call("date", (("", value.year), ("", value.month), ("", value.day)))
        case Identity() | Deprecated():
            return _declaration(value)
        case Mapping():
            return dict(value)
        case tuple():
            return list(value)
    return str(value) if isinstance(value, Decimal) else value


def _conversion(wish: Parquet) -> object:
    arguments: list[tuple[str, object]] = [("", wish.path)] if wish.path else []
    if not wish.statistics:
        arguments.append(("statistics", False))
    return Call("Parquet", tuple(arguments)) if arguments else PARQUET


def column_call(column: Column) -> Call:
    """Return the call that declares a column."""
    return _declaration(replace(column, identity=Identity() if column.identity is True else column.identity or None))


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
        case spark.StringType() if getattr(data_type, "collation", PLAIN_COLLATION) != PLAIN_COLLATION:
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


_DECLARED = {
    class_.__name__: class_
    for class_ in (Table, Column, Identity, Check, ForeignKey, PrimaryKey, Unique, Parquet, Deprecated, UnknownType)
}

FROM_STRUCT = "Table.from_struct_type"
"""The name of the call that declares a table by a struct."""

DATE = "date"
"""The name of the call that makes a day."""

NO_VALUE = object()
"""The value of an argument that is not given and has no default."""


@lru_cache
def parameters(name: str) -> Mapping[str, object]:
    """Return the parameters of a call in declarations, in order, each with its default."""
    if name == FROM_STRUCT:
        first, second, third, _, *options = parameters("Table").items()
        return MappingProxyType(dict([first, second, third, ("struct", NO_VALUE), *options]))
    if name == DATE:
        # The class is written in C, and older versions of Python know no signature of it.
        return MappingProxyType(dict.fromkeys(("year", "month", "day"), NO_VALUE))
    class_: Any = _DECLARED.get(name) or getattr(spark, name, None)
    if not isinstance(class_, type) or not (
        name in _DECLARED or issubclass(class_, (spark.DataType, spark.StructField))
    ):
        return MappingProxyType({})
    known = inspect.signature(class_).parameters.values()
    empty = inspect.Parameter.empty
    return MappingProxyType({part.name: NO_VALUE if part.default is empty else part.default for part in known})


def is_declaration(name: str) -> bool:
    """Whether declarations call something of this name."""
    return bool(parameters(name)) or isinstance(getattr(spark, name, None), type)


def arguments_of(call: Call) -> dict[str, object]:
    """Return the arguments of a call by the names of their parameters."""
    return {
        key or parameter: value
        for (key, value), parameter in zip(
            call.arguments, [*parameters(call.name), *[""] * len(call.arguments)], strict=False
        )
    }


def keyed(items: Iterable[object]) -> dict[tuple[Hashable, int], object]:
    """Return the items of a list by what tells them apart: names, or the columns of keys."""
    labelled: dict[tuple[Hashable, int], object] = {}
    for item in items:
        key, number = item_key(item), 0
        while (key, number) in labelled:
            number += 1
        labelled[key, number] = item
    return labelled


def item_key(item: object) -> Hashable:
    """Return what tells an item of a list from the others."""
    if not isinstance(item, Call):
        return item if isinstance(item, str) else repr(item)
    given = arguments_of(item)
    name = given.get("columns", given.get("name"))
    return tuple(folded(str(part)) for part in name) if isinstance(name, list) else folded(str(name))


def agrees(written: object, declared: object, parameter: str = "") -> bool:
    """Whether a value in source declares the same as a different one."""
    return _normal(written, parameter) == _normal(declared, parameter)


def _normal(value: object, parameter: str = "") -> object:  # noqa: PLR0911 - one answer a kind of value
    """Return a value such that two of them are equal if they declare the same."""
    match value:
        case str() if parameter == "data_type":
            return _normal_type(value)
        case str() if parameter == "references":
            return path_text(parse_name(value))
        case None if parameter == "comment":
            return repr("")
        case True if parameter == "identity":
            return _normal(Call("Identity", ()))
        case Call("Parquet", ()):
            return repr(PARQUET)
        case Call("PrimaryKey", ((_, columns),)):
            return _normal(columns)
        case Call(name):
            return name, _normal_arguments(value)
        case list() | tuple():
            return [_normal(item) for item in value]
        case dict():
            return {key: _normal(item) for key, item in value.items()}
    return repr(value)


def _normal_arguments(call: Call) -> dict[str, object]:
    """Return the arguments of a call that are not the defaults of their parameters."""
    known = parameters(call.name)
    given = {key: _normal(value, key) for key, value in arguments_of(call).items()}
    skipped = ("references", "parent_columns") if call.name == "ForeignKey" else ()
    return {
        key: value
        for key, value in given.items()
        if value != _normal(known.get(key, NO_VALUE), key) and key not in skipped and value != repr(None)
    }


def _normal_type(text: str) -> object:
    try:
        return _normal(type_call(Column("c", text).data_type))
    except DeclarationError:
        return None


def text_of_type(call: Call) -> str | None:
    """Return a type as the text that a column takes for it; ``None`` if a text cannot say it."""
    text = _built(call).simpleString()
    return text if agrees(text, call, "data_type") else None


def _built(value: object) -> Any:
    """Return the type, or the part of one, that a call makes."""
    if isinstance(value, list):
        return [_built(item) for item in value]
    if not isinstance(value, Call):
        return value
    class_: Any = _DECLARED.get(value.name) or getattr(spark, value.name)
    return class_(**{key: _built(item) for key, item in arguments_of(value).items()})
