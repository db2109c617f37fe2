"""Declarations as Python source, as an author would have written it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import types as spark

from pytest_delta_schema.models.column import Identity
from pytest_delta_schema.models.constraints import ForeignKey, PrimaryKey
from pytest_delta_schema.models.conversion import PARQUET, Parquet
from pytest_delta_schema.models.types.unknown_type import UnknownType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.table import Table

_WIDTH = 100
_STEP = "    "
_POSITIONAL = ("catalog_name", "schema_name", "table_name", "columns")


class Call(NamedTuple):
    """A call in source: the callable's name and its arguments, each with its keyword or ``""``."""

    name: str
    arguments: tuple[tuple[str, object], ...]


def column_source(column: Column) -> str:
    """Return the line that declares a column: ``Column("amount", DecimalType(18, 2))``."""
    return _flat(_column(column))


def field_source(field: spark.StructField) -> str:
    """Return the line that declares a field: ``StructField("unit", StringType(), nullable=False)``."""
    return _flat(_field(field))


def table_source(table: Table) -> str:
    """Return a whole Python module that declares a table.

    It imports what it needs, and declares an equal table under its own name.
    """
    declared = _table(table)
    kinds = sorted({call.name for call in _calls(declared)})
    own_names = [name for name in kinds if not hasattr(spark, name)]
    spark_names = [name for name in kinds if hasattr(spark, name)]
    parts = [*_chosen("pyspark.sql.types", spark_names), "", *_chosen("pytest_delta_schema", own_names)]
    return "\n".join([*parts, "", _rendered(f"{variable(table.table_name)} = ", declared, "")]) + "\n"


def variable(name: str) -> str:
    """Return a Python name for a table."""
    plain = re.sub(r"\W", "_", name.lower())
    if plain[:1].isdigit():
        return f"_{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def _table(table: Table) -> Call:
    arguments: list[tuple[str, object]] = [("", getattr(table, name)) for name in _POSITIONAL[:-1]]
    arguments.append(("", [_column(column) for column in table.columns]))
    return Call("Table", (*arguments, *_options(table)))


def _options(table: Table) -> Iterator[tuple[str, object]]:
    """Yield the arguments that are not what a table has by default."""
    for field in fields(table)[len(_POSITIONAL) :]:
        value = getattr(table, field.name) if field.init else None
        usual = None if field.default is MISSING else field.default
        if (value or usual) and value != usual:
            yield field.name, _conversion(value) if isinstance(value, Parquet) else _value(value)


def _value(value: Any) -> object:
    """Return a part of a declaration, and the parts below it, as calls."""
    match value:
        case ForeignKey():
            return _declaration(replace(value, references=str(value.parent), parent_columns=value.parent_key))
        case PrimaryKey(rely=False):
            return list(value)
        case str():
            return value
        case Mapping():
            return dict(value)
        case Iterable() if not is_dataclass(value):
            return [_value(item) for item in value]
    return _declaration(value)


def _declaration(value: Any) -> Call:
    """Return the call that makes an instance of a dataclass: what is required by position, the rest by name."""
    given = [(field, getattr(value, field.name)) for field in fields(value)]
    arguments = [("", _plain(item)) for field, item in given if field.default is MISSING]
    arguments += [(field.name, _plain(item)) for field, item in given if field.default not in (MISSING, item)]
    return Call(type(value).__name__, tuple(arguments))


def _plain(value: Any) -> object:
    return list(value) if isinstance(value, tuple) else value


def _conversion(wish: Parquet) -> object:
    arguments: list[tuple[str, object]] = [("", wish.path)] if wish.path else []
    if not wish.statistics:
        arguments.append(("statistics", False))
    return Call("Parquet", tuple(arguments)) if arguments else PARQUET


def _column(column: Column) -> Call:
    arguments: list[tuple[str, object]] = [("", column.name), ("", _type(column.data_type))]
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
    return Call("Column", tuple(arguments))


def _identity(identity: Identity) -> Call:
    usual = Identity()
    parts = {"start": identity.start, "step": identity.step, "always": identity.always}
    return Call("Identity", tuple((key, value) for key, value in parts.items() if value != getattr(usual, key)))


def _type(data_type: spark.DataType) -> Call:  # noqa: PLR0911 - one answer a kind of type
    name = type(data_type).__name__
    match data_type:
        case UnknownType():
            return Call(name, (("", data_type.text),))
        case spark.StructType():
            return Call(name, (("", [_field(field) for field in data_type.fields]),))
        case spark.ArrayType():
            never = (("containsNull", False),) if not data_type.containsNull else ()
            return Call(name, (("", _type(data_type.elementType)), *never))
        case spark.MapType():
            never = (("valueContainsNull", False),) if not data_type.valueContainsNull else ()
            return Call(name, (("", _type(data_type.keyType)), ("", _type(data_type.valueType)), *never))
        case spark.DecimalType():
            return Call(name, (("", data_type.precision), ("", data_type.scale)))
        case spark.CharType() | spark.VarcharType():
            return Call(name, (("", data_type.length),))
        case spark.StringType() if getattr(data_type, "collation", "UTF8_BINARY") != "UTF8_BINARY":
            return Call(name, (("", data_type.collation),))
        case spark.DayTimeIntervalType() | spark.YearMonthIntervalType():
            return Call(name, (("", data_type.startField), ("", data_type.endField)))
    return Call(name, ())


def _field(field: spark.StructField) -> Call:
    arguments: list[tuple[str, object]] = [("", field.name), ("", _type(field.dataType))]
    if not field.nullable:
        arguments.append(("nullable", False))
    if field.metadata:
        arguments.append(("metadata", dict(field.metadata)))
    return Call("StructField", tuple(arguments))


def _calls(value: object) -> Iterator[Call]:
    if isinstance(value, Call):
        yield value
        for _, argument in value.arguments:
            yield from _calls(argument)
    elif isinstance(value, list):
        for item in value:
            yield from _calls(item)


def _chosen(module: str, names: Sequence[str]) -> list[str]:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _WIDTH:
        return [line]
    return [f"from {module} import (", *(f"{_STEP}{name}," for name in names), ")"]


def _rendered(head: str, value: object, indent: str) -> str:
    """Write a value behind ``head``: in one line if it fits, else an argument a line."""
    flat = _flat(value)
    if len(indent) + len(head) + len(flat) < _WIDTH:
        return f"{indent}{head}{flat}"
    deeper = indent + _STEP
    match value:
        case Call():
            parts = [_rendered(f"{key}=" if key else "", item, deeper) for key, item in value.arguments]
            opening, closing = f"{value.name}(", ")"
        case list():
            parts = [_rendered("", item, deeper) for item in value]
            opening, closing = "[", "]"
        case dict():
            parts = [_rendered(f"{_text(key)}: ", item, deeper) for key, item in value.items()]
            opening, closing = "{", "}"
        case _:
            return f"{indent}{head}{flat}"
    lines = "".join(f"{part},\n" for part in parts)
    return f"{indent}{head}{opening}\n{lines}{indent}{closing}"


def _flat(value: object) -> str:
    match value:
        case Call():
            return (
                f"{value.name}({', '.join((f'{key}=' if key else '') + _flat(item) for key, item in value.arguments)})"
            )
        case list():
            return f"[{', '.join(map(_flat, value))}]"
        case dict():
            return f"{{{', '.join(f'{_text(key)}: {_flat(item)}' for key, item in value.items())}}}"
        case str():
            return _text(value)
    return repr(value)


def _text(value: object) -> str:
    """Write a text with double quotes where Python's own choice would be single ones, as formatters do."""
    text = repr(value)
    if isinstance(value, str) and text[0] == "'" and '"' not in text and "\\'" not in text:
        return f'"{text[1:-1]}"'
    return text
