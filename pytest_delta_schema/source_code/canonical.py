"""Compare declarations that are written in several ways."""

from __future__ import annotations

import inspect
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as spark

from pytest_delta_schema.delta.names.column_path import path_text
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.column import Column, Identity
from pytest_delta_schema.models.constraints import Check, ForeignKey, PrimaryKey, Unique
from pytest_delta_schema.models.conversion import PARQUET, Parquet
from pytest_delta_schema.models.deprecation import Deprecated
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.models.types.unknown_type import UnknownType
from pytest_delta_schema.source_code.calls import Call, type_call

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

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
    """Return the parameters of a call in declarations, in order, each with its default.

    There are none if declarations do not use the name.
    """
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
    """Return the items of a list by what tells them apart: names, or the columns of keys.

    BracketItems with the same are counted.
    """
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
    """Whether a value in source declares the same as a different one.

    The parents of foreign keys are not compared, because a variable may hold them.
    """
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
