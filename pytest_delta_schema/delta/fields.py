"""Fields in the schema of a log: keys of their metadata, collations, physical names, decimals and type widening."""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta.names import ELEMENT, KEY, VALUE, ColumnPath, NameMap, NameSet, same_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"
"""The text of a type that Spark stores as string: ``varchar(10)``, ``array<char(2)>``."""

PHYSICAL_NAME = "delta.columnMapping.physicalName"
"""The name of a field in data files, under column mapping."""

DEFAULT = "CURRENT_DEFAULT"
"""The expression that fills a column which a write leaves out."""

GENERATION_EXPRESSION = "delta.generationExpression"
"""The expression from which a generated column is computed."""

IDENTITY_START, IDENTITY_STEP = "delta.identity.start", "delta.identity.step"
"""The first value of an identity column, and what is added for the next."""

IDENTITY_EXPLICIT = "delta.identity.allowExplicitInsert"
"""Whether writers may give values of their own to an identity column."""

COLLATIONS = "__COLLATIONS"
"""The provider and name of the collations of a field's strings, such as ``{"city": "spark.UTF8_LCASE"}``."""

ONLY_COMMENT = frozenset({"comment"})
"""The keys in the metadata of most fields."""


def metadata_of(field: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata of a field without keys that are null, which Spark writes for ``{"comment": None}``.

    Delta takes such a key for one that is missing where it opens the table, except that an identity has 0 and false
    instead (Delta 4.4.0).
    """
    metadata: Mapping[str, Any] = field.get("metadata") or {}
    if None in metadata.values():
        return {key: value for key, value in metadata.items() if value is not None}
    return metadata


_PARTS = {"elementType": ELEMENT, "keyType": KEY, "valueType": VALUE}
"""The parts of arrays and maps in schemas in JSON, and their names in paths of collations."""

PLAIN_COLLATION = "UTF8_BINARY"
"""The collation of strings without one."""


def with_collations_json(data_type: Any, path: str, collations: Mapping[str, str]) -> Any:
    """Return a type in JSON with ``string collate UTF8_LCASE`` instead of strings that have another collation."""
    if data_type == "string" and path in collations:
        name = collations[path].partition(".")[2]
        return data_type if name == PLAIN_COLLATION else f"string collate {name}"
    if isinstance(data_type, dict) and data_type["type"] in ("array", "map"):
        # The fields of a struct have metadata of their own.
        below = {
            part: with_collations_json(data_type[part], f"{path}.{name}", collations)
            for part, name in _PARTS.items()
            if part in data_type
        }
        return {**data_type, **below}
    return data_type


def physical_path(metadata: Mapping[str, Any], path: ColumnPath) -> list[str]:
    """Return the physical names of a path; without column mapping they are the names as stored."""
    names, fields = [], json.loads(metadata["schemaString"])["fields"]
    for part in path:
        field = next(field for field in fields if same_name(field["name"], part))
        names.append(_physical_name(field))
        fields = field["type"]["fields"] if isinstance(field["type"], dict) else []
    return names


def logical_path(schema: Mapping[str, Any], path: Sequence[str]) -> ColumnPath:
    """Return the logical names of a path; parts that the schema does not have stay as they are."""
    names = []
    for part in path:
        fields = schema["fields"] if isinstance(schema, dict) and schema.get("type") == "struct" else []
        field = next((field for field in fields if _physical_name(field) == part), None)
        names.append(part if field is None else field["name"])
        schema = {} if field is None else field["type"]
    return ColumnPath(*names)


def with_names_of(schema: Any, other: Any) -> Any:
    """Return a schema under the names that its fields have in another schema of the table."""
    if not isinstance(schema, dict) or not isinstance(other, dict) or schema["type"] != other["type"]:
        return schema
    if schema["type"] == "struct":
        return {**schema, "fields": _fields_with_names(schema["fields"], other["fields"])}
    return {**schema, **{key: with_names_of(schema[key], other[key]) for key in _PARTS.keys() & schema.keys()}}


def _fields_with_names(fields: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> list[Any]:
    own = NameSet(map(_physical_name, fields))
    by_physical_name = NameMap((_physical_name(other), other) for other in others)
    by_name = NameMap((other["name"], other) for other in others if _physical_name(other) not in own)
    unused = max((other["name"] for other in others), key=len, default="") + "?"
    renamed: list[Any] = []
    for field in fields:
        same = by_physical_name.get(_physical_name(field)) or by_name.get(field["name"])
        if same is None:
            renamed.append({**field, "name": unused})
        else:
            renamed.append({**field, "name": same["name"], "type": with_names_of(field["type"], same["type"])})
    return renamed


def _physical_name(field: Mapping[str, Any]) -> str:
    name: str = metadata_of(field).get(PHYSICAL_NAME, field["name"])
    return name


LARGEST_PRECISION = 38
_DECIMAL = re.compile(r"decimal\( *([0-9]{1,2}) *, *([0-9]{1,2}) *\)")


def is_decimal(name: str) -> bool:
    """Whether a name is that of a decimal of 1 to 38 digits; Spark accepts blanks between them (Spark 4.2.0)."""
    match = _DECIMAL.fullmatch(name)
    return match is not None and int(match[2]) <= int(match[1]) <= LARGEST_PRECISION and int(match[1]) > 0


SIZED = re.compile(r"(decimal|char|varchar)\((\d+)(?:,(\d+))?\)")
"""A type with arguments: its kind, and its length, or its precision and scale."""

INTEGER_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
"""The types of integers, the smallest first, and their bits."""


def integer_limit(data_type: str) -> int:
    """Return the number above the greatest of an integer type."""
    return 1 << (INTEGER_BITS[data_type] - 1)


_INTEGERS = tuple(INTEGER_BITS)
_DIGITS = {"tinyint": 10, "smallint": 10, "int": 10, "bigint": 20}
"""Digits that a decimal needs before the decimal point to hold the type, as Delta counts them."""

_OTHERS = ("boolean", "float", "double", "string", "binary", "date", "timestamp", "timestamp_ntz", "variant")
"""The other types that a void column can get, besides those with arguments."""

_VOID_CHANGES = (4, 4)
"""The first version that gives a void column its type (source: delta-io/delta#6965)."""

_FIRST = {("tinyint", "smallint"), ("tinyint", "int"), ("smallint", "int")}
"""The changes that Delta 3 supports."""


class Widening(Enum):
    """The requirements of a change of type."""

    ALWAYS = "nothing"
    BY_FEATURE = "type widening"


def widening(
    before: object, after: object, version: tuple[int, int] = NEWEST, *, is_nested: bool = False
) -> Widening | None:
    """Return what a change of type needs if Delta makes it without a rewrite.

    Tested with Delta 3.3.3, 4.0.1, 4.1.0 and 4.4.0; the last three agree, except that only 4.4.0 gives a void column
    its type, which no data file holds.

    Types are in canonical form; nested ones are never widened as a whole. The version is Delta's, major and minor. The
    type may be that of a field, an element, a key or a value: then char and varchar, the lengths of which the whole
    column has, do not change. The result is ``None`` if Delta refuses the change.
    """
    if not isinstance(before, str) or not isinstance(after, str) or before == after:
        return None
    old, new = SIZED.fullmatch(before), SIZED.fullmatch(after)
    if is_nested and any(sized and sized[1] != "decimal" for sized in (old, new)):
        return None
    if before == "void":
        is_type = new is not None or after in _INTEGERS or after in _OTHERS
        return Widening.ALWAYS if is_type and version >= _VOID_CHANGES else None
    if old and old[1] != "decimal":
        longer = new[1] == "varchar" and int(new[2]) >= int(old[2]) if new else after == "string"
        return Widening.ALWAYS if longer else None
    if version < (4, 0):
        return Widening.BY_FEATURE if (before, after) in _FIRST else None
    return Widening.BY_FEATURE if _widens(before, after) else None


def widens_in_iceberg(before: object, after: object) -> bool:
    """Whether Iceberg widens a type as well: integers to integers, ``float`` to ``double``, decimals of one scale.

    Delta refuses all others on tables with Iceberg metadata (``UNSUPPORTED_TYPE_WIDENING``, Delta 4.4.0).
    """
    if after in _INTEGERS or (before, after) == ("float", "double"):
        return True
    old, new = (SIZED.fullmatch(str(data_type)) for data_type in (before, after))
    return old is not None and new is not None and old[3] == new[3]


def _widens(before: str, after: str) -> bool:
    if before in _INTEGERS and after in _INTEGERS:
        return _INTEGERS.index(before) < _INTEGERS.index(after)
    if (before, after) == ("date", "timestamp_ntz"):
        return True
    if after == "double":
        return before in ("tinyint", "smallint", "int", "float")
    new = SIZED.fullmatch(after)
    return new is not None and new[1] == "decimal" and _fits_decimal(before, int(new[2]), int(new[3]))


def _fits_decimal(before: str, precision: int, scale: int) -> bool:
    if before in _DIGITS:
        return precision - scale >= _DIGITS[before]
    old = SIZED.fullmatch(before)
    return old is not None and precision - int(old[2]) >= scale - int(old[3]) >= 0
