"""Random models and states, small enough to read and odd enough to find something, and the characters that Java folds."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, Deprecated, Table, Unique
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.models.names import key_name
from pytest_delta_schema.state import CheckState, ColumnState, KeyState, TableState
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.states import by_name
from support.models import NAME

if TYPE_CHECKING:
    from collections.abc import Mapping


ATOMS = st.sampled_from(
    [
        spark.LongType(),
        spark.StringType(),
        spark.DecimalType(18, 2),
        spark.VarcharType(7),
        spark.TimestampType(),
        spark.NullType(),
    ]
)
NAMES = st.sampled_from(["id", "Id", "amount", "a b", "a.b", "`", "${x}", "é", "order_id", "ORDER_ID", "order", "x"])


def _structs(inner: st.SearchStrategy[spark.DataType]) -> st.SearchStrategy[spark.DataType]:
    fields = st.lists(
        st.tuples(st.sampled_from("abcde"), inner, st.booleans()), min_size=1, max_size=3, unique_by=lambda f: f[0]
    )
    return st.one_of(
        fields.map(lambda fields_of_struct: spark.StructType([spark.StructField(*item) for item in fields_of_struct])),
        inner.map(spark.ArrayType),
        inner.map(lambda value: spark.MapType(spark.StringType(), value)),
    )


TYPES = st.recursive(ATOMS, _structs, max_leaves=5)
COMMENTS = st.sampled_from(["", "plain", "it's", "new\nline", "${x}", "\\"])
TAGS = st.dictionaries(st.sampled_from(["pii", "PII", "level"]), st.sampled_from(["", "x", "it's"]), max_size=2)
WISHES = st.dictionaries(st.sampled_from(["pii", "PII", "level"]), st.sampled_from(["", "x", None]), max_size=2)
DEPRECATIONS = st.sampled_from(
    [None, None, Deprecated(date(2026, 1, 31)), Deprecated(date(2026, 1, 31), sunset=date(2026, 7, 31))]
)
COLUMNS = st.lists(
    st.builds(Column, NAMES, TYPES, st.booleans(), comment=COMMENTS, tags=WISHES, deprecated=DEPRECATIONS),
    min_size=1,
    max_size=6,
    unique_by=lambda column: column.name.lower(),
)
CHECKS = st.lists(
    st.builds(
        Check,
        st.sampled_from(["c", "C", "d", "odd `name`"]),
        st.sampled_from(["1 > 0", "(0<1)", "2 > 1", "1 between 0 and 2", "length('x') = 1", "not parsable (("]),
    ),
    max_size=3,
    unique_by=lambda check: check.name.lower(),
)
KEYS = st.sampled_from(["delta.appendOnly", "DELTA.APPENDONLY", "delta.isolationLevel", "team", "Team"])
VALUES = st.sampled_from(["true", "TRUE", "1 day", "24 hours", "x", True, 7])


def _unambiguous(properties: Mapping[str, object]) -> bool:
    keys = [key.lower() for key in properties if key.lower().startswith("delta.")]
    return len(set(keys)) == len(keys)


def _key_columns(names: list[str]) -> st.SearchStrategy[list[list[str]]]:
    """Return the columns of some keys, each combination once."""
    key = st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)
    return st.lists(key, max_size=2, unique_by=lambda columns: frozenset(map(str.lower, columns)))


def _unique(columns: list[str], names: list[str]) -> KeyState:
    return KeyState(key_name("uq", NAME, columns, names), tuple(columns), kind="unique constraint")


@st.composite
def models(draw: st.DrawFn) -> Table:
    columns = draw(COLUMNS)
    key = draw(st.lists(st.sampled_from([column.name for column in columns]), max_size=3, unique=True))
    properties = draw(st.dictionaries(KEYS, st.one_of(st.none(), VALUES), max_size=3).filter(_unambiguous))
    unique = [Unique(names) for names in draw(_key_columns([column.name for column in columns]))]
    options: dict[str, Any] = {
        "comment": draw(COMMENTS),
        "table_properties": properties,
        "primary_key": key,
        "unique": unique,
        "checks": draw(CHECKS),
        "deprecated": draw(DEPRECATIONS),
    }
    return Table(*NAME, columns, tags=draw(WISHES), **options)


@st.composite
def states(draw: st.DrawFn) -> TableState:
    columns = tuple(
        ColumnState(column.name, canonical_type(column.data_type), column.is_nullable, column.comment)
        for column in draw(COLUMNS)
    )
    names = [column.name for column in columns]
    key = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    properties = draw(st.dictionaries(KEYS, VALUES.map(str), max_size=3).filter(_unambiguous))
    return TableState(
        name=NAME,
        exists=draw(st.booleans()),
        columns=columns,
        table_comment=draw(COMMENTS),
        table_properties=MappingProxyType(properties),
        primary_key=KeyState(key_name("pk", NAME, key, names), tuple(key)) if key else None,
        unique=tuple(sorted((_unique(columns, names) for columns in draw(_key_columns(names))), key=by_name)),
        tags=MappingProxyType({path: tags for path in [TABLE, *map(ColumnPath, names)] if (tags := draw(TAGS))}),
        checks=tuple(sorted((CheckState(c.name.lower(), c.expression) for c in draw(CHECKS)), key=by_name)),
    )


NAMED = {
    "bigint": spark.LongType(),
    "LONG": spark.LongType(),
    "int": spark.IntegerType(),
    " Integer ": spark.IntegerType(),
    "smallint": spark.ShortType(),
    "tinyint": spark.ByteType(),
    "string": spark.StringType(),
    "timestamp": spark.TimestampType(),
    "timestamp_ntz": spark.TimestampNTZType(),
    "void": spark.NullType(),
    "decimal": spark.DecimalType(10, 0),
    "dec(5)": spark.DecimalType(5, 0),
    "NUMERIC( 18 , 2 )": spark.DecimalType(18, 2),
    "char(3)": spark.CharType(3),
    "varchar(10)": spark.VarcharType(10),
    "array<int>": spark.ArrayType(spark.IntegerType()),
    "map<string, array<map<int, date>>>": spark.MapType(
        spark.StringType(), spark.ArrayType(spark.MapType(spark.IntegerType(), spark.DateType()))
    ),
    "struct< >": spark.StructType([]),
    "struct<a: int not null comment 'x'>": spark.StructType(
        [spark.StructField("a", spark.IntegerType(), nullable=False, metadata={"comment": "x"})]
    ),
    'STRUCT<a int, `b c`: struct<date:date COMMENT "it\'s">, comment string NOT NULL>': spark.StructType(
        [
            spark.StructField("a", spark.IntegerType()),
            spark.StructField(
                "b c", spark.StructType([spark.StructField("date", spark.DateType(), metadata={"comment": "it's"})])
            ),
            spark.StructField("comment", spark.StringType(), nullable=False),
        ]
    ),
    "struct<a: int comment 'it''s', b: int comment 'a\\n\\u00e4\\101\\%'>": spark.StructType(
        [
            spark.StructField("a", spark.IntegerType(), metadata={"comment": "it's"}),
            spark.StructField("b", spark.IntegerType(), metadata={"comment": "a\näA\\%"}),
        ]
    ),
    "struct<`back``tick`: int, array: array<int>>": spark.StructType(
        [
            spark.StructField("back`tick", spark.IntegerType()),
            spark.StructField("array", spark.ArrayType(spark.IntegerType())),
        ]
    ),
}
"""Texts that name a type."""

REFUSED = {
    "": "a type is missing at the end",
    "text": "there is no type text; types are *",
    "bigin": "there is no type bigin; did you mean bigint[?]",
    "varchar": "varchar needs a length: varchar(10)",
    "decimal(1,2,3)": ") is expected at ,",
    "decimal(": "a whole number is missing at the end",
    "array<int": "> is missing at the end",
    "array<int>>": "> follows the end of the type",
    "map<int>": ", is expected at >",
    "`int`": "a type is expected at int",
    "struct<a: int comment x>": "a comment in quotes is expected at x",
    "struct<a: int not>": "null is expected at >",
    "struct<a: int,>": "the name of a field is expected at >",
    "struct<'a': int>": "the name of a field is expected at a",
    "struct<a: 'x>": "a quote is not closed",
    "string collate": "a collation is missing at the end",
    "geometry(4326": ") after the arguments is missing at the end",
}
"""Texts that name none, with the reason as a pattern."""


def _java_characters() -> list[dict[str, str]]:
    text = Path(__file__).with_name("java_characters.txt").read_text("ascii")
    parts: list[dict[str, str]] = []
    for line in text.splitlines():
        if line.startswith("#"):
            parts.append({})
            continue
        for pair in line.split():
            left, right = (chr(int(number, 16)) for number in pair.split(">"))
            parts[-1][left] = right
    return parts


JAVA_17, LATER = _java_characters()
"""Characters, each with what replaces it: those of Unicode 13, and those that Java 25 folds as well (Unicode 16)."""
