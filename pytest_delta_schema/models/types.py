"""Read types of columns from text: ``decimal(18,2)``, ``array<struct<a: int>>``."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from pyspark.sql import types as spark

from pytest_delta_schema.delta.fields import PLAIN_COLLATION
from pytest_delta_schema.models.spark_types import UnknownType
from pytest_delta_schema.sqlglot_compat import SqlglotError, TokenType, ddl_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.sqlglot_compat import Token


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

_INTERVAL_UNITS = ("year", "month", "day", "hour", "minute", "second", "to")

_DEEPEST = 100
"""How deep the types of a text may be nested; Python builds no deeper ones reliably."""

_NAMES = (*ATOMIC_TYPES, *_DECIMAL, *_SIZED, "array", "map", "struct")


def parse_type(text: str) -> spark.DataType:
    """Return the type that a text names, such as ``decimal(18,2)`` or ``array<struct<a: int>>``, in any case."""
    try:
        tokens = ddl_tokens(text)
    except SqlglotError as error:
        msg = "a quote is not closed"
        raise ValueError(msg) from error
    data_type, end = read_type(tokens, 0)
    if end < len(tokens):
        msg = f"{tokens[end].text} follows the end of the type"
        raise ValueError(msg)
    return data_type


def read_type(tokens: Sequence[Token], start: int) -> tuple[spark.DataType, int]:
    """Read the type that begins at a token, and return it with the position of the token behind it."""
    reader = _Reader(tokens, start)
    return reader.data_type(), reader.position


class _Reader:
    """Reads types from tokens, one after the other."""

    def __init__(self, tokens: Sequence[Token], position: int) -> None:
        self._tokens = tokens
        self._depth = 0
        self.position = position

    def data_type(self) -> spark.DataType:
        """Read one type."""
        if self._depth == _DEEPEST:
            msg = f"types are nested more than {_DEEPEST} deep; write the inner ones as objects of pyspark.sql.types"
            raise ValueError(msg)
        self._depth += 1
        data_type = self._data_type()
        self._depth -= 1
        return data_type

    def _data_type(self) -> spark.DataType:  # noqa: PLR0911 - one answer a kind of type
        name = self._word("a type").lower()
        if name == "string" and self._has("collate"):
            collation = self._word("a collation")
            return (
                spark.StringType()
                if collation.upper() == PLAIN_COLLATION
                else UnknownType(f"string collate {collation}")
            )
        if name in ATOMIC_TYPES:
            return ATOMIC_TYPES[name]()
        if name in _DECIMAL:
            return spark.DecimalType(*self._numbers(at_most=2))
        if name in _SIZED:
            lengths = self._numbers(at_most=1)
            if not lengths:
                msg = f"{name} needs a length: {name}(10)"
                raise ValueError(msg)
            return _SIZED[name](*lengths)
        match name:
            case "array":
                self._expect("<")
                element = self.data_type()
                self._expect(">")
                return spark.ArrayType(element)
            case "map":
                self._expect("<")
                key = self.data_type()
                self._expect(",")
                value = self.data_type()
                self._expect(">")
                return spark.MapType(key, value)
            case "struct":
                return self._struct()
            case unstored if unstored in _UNSTORED:
                return UnknownType(f"{name}{self._interval() if name == 'interval' else self._arguments()}")
        near = get_close_matches(name, _NAMES, n=1)
        msg = f"there is no type {name}; " + (f"did you mean {near[0]}?" if near else f"types are {', '.join(_NAMES)}")
        raise ValueError(msg)

    def _struct(self) -> spark.StructType:
        if self._has("<>"):
            return spark.StructType([])
        self._expect("<")
        fields: list[spark.StructField] = [] if self._is_next(">") else [self._field()]
        while fields and self._has(","):
            fields.append(self._field())
        self._expect(">")
        return spark.StructType(fields)

    def _field(self) -> spark.StructField:
        name = self._word("the name of a field", quoted=True)
        self._has(":")
        data_type, is_nullable = self.data_type(), True
        metadata: dict[str, str] = {}
        if self._has("not"):
            self._expect("null")
            is_nullable = False
        if self._has("comment"):
            token = self._next("a comment in quotes")
            if token.token_type != TokenType.STRING:
                msg = f"a comment in quotes is expected at {token.text}"
                raise ValueError(msg)
            metadata = {"comment": token.text}
        return spark.StructField(name, data_type, is_nullable, metadata)

    def _interval(self) -> str:
        """Read the units of an interval: `` day to second``."""
        units = ""
        while any(map(self._is_next, _INTERVAL_UNITS)):
            units += f" {self._next('a unit').text.lower()}"
        return units

    def _arguments(self) -> str:
        """Read arguments as they are written, if there are any: ``(OGC:CRS84)``."""
        if not self._has("("):
            return ""
        arguments = ""
        while not self._has(")"):
            arguments += self._next(") after the arguments").text
        return f"({arguments})"

    def _numbers(self, *, at_most: int) -> list[int]:
        """Read numbers in parentheses, if there are any."""
        if not self._has("("):
            return []
        numbers = [self._number()]
        while len(numbers) < at_most and self._has(","):
            numbers.append(self._number())
        self._expect(")")
        return numbers

    def _number(self) -> int:
        token = self._next("a whole number")
        if not token.text.isdecimal():
            msg = f"a whole number is expected at {token.text}"
            raise ValueError(msg)
        return int(token.text)

    def _word(self, wanted: str, *, quoted: bool = False) -> str:
        token = self._next(wanted)
        is_word = token.text.replace("_", "a").isalnum() and token.token_type != TokenType.STRING
        if token.token_type == TokenType.IDENTIFIER:
            is_word = quoted
        if not is_word:
            msg = f"{wanted} is expected at {token.text}"
            raise ValueError(msg)
        return token.text

    def _is_next(self, text: str) -> bool:
        if self.position == len(self._tokens):
            return False
        token = self._tokens[self.position]
        return token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER) and token.text.lower() == text

    def _has(self, text: str) -> bool:
        """Whether a word or sign is next, which is read then."""
        is_next = self._is_next(text)
        self.position += is_next
        return is_next

    def _expect(self, text: str) -> None:
        if not self._has(text):
            rest = self._tokens[self.position :]
            msg = f"{text} is expected at {rest[0].text}" if rest else f"{text} is missing at the end"
            raise ValueError(msg)

    def _next(self, wanted: str) -> Token:
        if self.position == len(self._tokens):
            msg = f"{wanted} is missing at the end"
            raise ValueError(msg)
        self.position += 1
        return self._tokens[self.position - 1]
