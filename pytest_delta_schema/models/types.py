"""Read types of columns from text: ``decimal(18,2)``, ``array<struct<a: int>>``."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from pyspark.sql import types as spark

from pytest_delta_schema.delta.fields import PLAIN_COLLATION
from pytest_delta_schema.models.spark_types import UnknownType
from pytest_delta_schema.models.tokens import TokenReader
from pytest_delta_schema.sqlglot_compat import SqlglotError, TokenType, ddl_tokens

if TYPE_CHECKING:
    from typing import NoReturn

ATOMIC_TYPES: dict[str, type[spark.DataType]] = {
    "bigint": spark.LongType,
    "binary": spark.BinaryType,
    "boolean": spark.BooleanType,
    "byte": spark.ByteType,
    "date": spark.DateType,
    "double": spark.DoubleType,
    "float": spark.FloatType,
    "int": spark.IntegerType,
    "integer": spark.IntegerType,
    "long": spark.LongType,
    "real": spark.FloatType,
    "short": spark.ShortType,
    "smallint": spark.ShortType,
    "string": spark.StringType,
    "timestamp": spark.TimestampType,
    "timestamp_ltz": spark.TimestampType,
    "timestamp_ntz": spark.TimestampNTZType,
    "tinyint": spark.ByteType,
    "void": spark.NullType,
    **({"variant": spark.VariantType} if hasattr(spark, "VariantType") else {}),
}
"""The types without arguments, by the names that Spark's parser knows (Spark 4.2.0)."""

_DECIMAL = ("decimal", "dec", "numeric")
_SIZED: dict[str, type[spark.CharType | spark.VarcharType]] = {
    "char": spark.CharType,
    "character": spark.CharType,
    "varchar": spark.VarcharType,
}
_UNSTORED = ("geography", "geometry", "interval", "time", "variant")
"""Types, with or without arguments, that Delta does not store, or not with every Spark."""

_INTERVAL_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO")

_DEEPEST = 100
"""How deep the types of a text may be nested; Python builds no deeper ones reliably."""

_NAMES = (*ATOMIC_TYPES, *_DECIMAL, *_SIZED, "array", "map", "struct")


def parse_type(text: str) -> spark.DataType:
    """Return the type that a text names, such as ``decimal(18,2)`` or ``array<struct<a: int>>``, in any case."""
    if text in ATOMIC_TYPES:  # most types, read without sqlglot
        return ATOMIC_TYPES[text]()
    try:
        reader = TokenReader(text, ddl_tokens(text), len(text))
    except SqlglotError as error:
        msg = "a quote is not closed"
        raise ValueError(msg) from error
    data_type = read_type(reader)
    if reader.token is not None:
        msg = f"{reader.token.text} follows the end of the type"
        raise ValueError(msg)
    return data_type


def read_type(reader: TokenReader, depth: int = 0) -> spark.DataType:  # noqa: PLR0911 - one answer a kind of type
    """Read the type that comes next, at some depth of another; raise a ``ValueError`` if it is not understood."""
    if depth == _DEEPEST:
        msg = f"types are nested more than {_DEEPEST} deep; write the inner ones as objects of pyspark.sql.types"
        raise ValueError(msg)
    name = _word(reader, "a type").lower()
    if name == "string" and reader.has("COLLATE"):
        collation = _word(reader, "a collation")
        is_plain = collation.upper() == PLAIN_COLLATION
        return spark.StringType() if is_plain else UnknownType(f"string collate {collation}")
    if name in ATOMIC_TYPES:
        return ATOMIC_TYPES[name]()
    if name in _DECIMAL:
        return spark.DecimalType(*_numbers(reader, at_most=2))
    if name in _SIZED:
        return _SIZED[name](_length(reader, name))
    match name:
        case "array":
            (element,) = _parts(reader, depth, "<")
            return spark.ArrayType(element)
        case "map":
            key, value = _parts(reader, depth, "<,")
            return spark.MapType(key, value)
        case "struct":
            return _struct(reader, depth)
        case unstored if unstored in _UNSTORED:
            return UnknownType(f"{name}{_interval(reader) if name == 'interval' else _arguments(reader)}")
    near = get_close_matches(name, _NAMES, n=1)
    msg = f"there is no type {name}; " + (f"did you mean {near[0]}?" if near else f"types are {', '.join(_NAMES)}")
    raise ValueError(msg)


def _parts(reader: TokenReader, depth: int, signs: str) -> list[spark.DataType]:
    """Read types behind these signs, and the sign that ends them."""
    parts = []
    for sign in signs:
        _expect(reader, sign)
        parts.append(read_type(reader, depth + 1))
    _expect(reader, ">")
    return parts


def _struct(reader: TokenReader, depth: int) -> spark.StructType:
    if reader.has("<>"):
        return spark.StructType([])
    _expect(reader, "<")
    fields = [] if reader.word() == ">" else [_field(reader, depth)]
    while fields and reader.has(","):
        fields.append(_field(reader, depth))
    _expect(reader, ">")
    return spark.StructType(fields)


def _field(reader: TokenReader, depth: int) -> spark.StructField:
    name = _word(reader, "the name of a field", quoted=True)
    reader.has(":")
    data_type = read_type(reader, depth + 1)
    is_nullable = not reader.has("NOT")
    if not is_nullable:
        _expect(reader, "null")
    metadata = {}
    if reader.has("COMMENT"):
        if not reader.is_at_text:
            _refuse(reader, "a comment in quotes")
        metadata = {"comment": reader.take()}
    return spark.StructField(name, data_type, is_nullable, metadata)


def _interval(reader: TokenReader) -> str:
    """Read the units of an interval: `` day to second``."""
    units = ""
    while reader.word() in _INTERVAL_UNITS:
        units += f" {reader.take().lower()}"
    return units


def _arguments(reader: TokenReader) -> str:
    """Read arguments as they are written, if there are any: ``(OGC:CRS84)``."""
    if not reader.has("("):
        return ""
    arguments = ""
    while not reader.has(")"):
        arguments += reader.take() if reader.token else _refuse(reader, ") after the arguments")
    return f"({arguments})"


def _numbers(reader: TokenReader, *, at_most: int) -> list[int]:
    """Read numbers in parentheses, if there are any."""
    numbers: list[int] = []
    while len(numbers) < at_most and reader.has("," if numbers else "("):
        if not reader.word().isdecimal():
            _refuse(reader, "a whole number")
        numbers.append(int(reader.take()))
    if numbers:
        _expect(reader, ")")
    return numbers


def _length(reader: TokenReader, name: str) -> int:
    for length in _numbers(reader, at_most=1):
        return length
    msg = f"{name} needs a length: {name}(10)"
    raise ValueError(msg)


def _word(reader: TokenReader, wanted: str, *, quoted: bool = False) -> str:
    token = reader.token
    if token is None or (token.token_type == TokenType.IDENTIFIER and not quoted) or reader.is_at_text:
        _refuse(reader, wanted)
    if token.token_type != TokenType.IDENTIFIER and not token.text.replace("_", "a").isalnum():
        _refuse(reader, wanted)
    return reader.take()


def _expect(reader: TokenReader, text: str) -> None:
    if not reader.has(text.upper()):
        _refuse(reader, text)


def _refuse(reader: TokenReader, wanted: str) -> NoReturn:
    token = reader.token
    msg = f"{wanted} is missing at the end" if token is None else f"{wanted} is expected at {token.text}"
    raise ValueError(msg)
