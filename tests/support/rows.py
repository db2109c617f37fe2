"""Rows as users give them, for columns of every type, keys and constraints."""

from __future__ import annotations

from collections import namedtuple
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st
from pyspark.sql import Row
from pyspark.sql import types as spark

from pytest_delta_schema import Check, ForeignKey, InvalidModelError, Settings, Table
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.models.table import derived
from pytest_delta_schema.plugin.items import enforcement_outcome
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.test_kit.enforcement import enforcement_rows
from pytest_delta_schema.testing.scenario import column
from pytest_delta_schema.testing.scenario import table as scenario_table
from pytest_delta_schema.testing.scenarios import SCENARIOS
from support.models import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.engine import TableOutcome
    from pytest_delta_schema.execute import ScratchCatalog
    from pytest_delta_schema.test_kit import BreakingRows


# ruff: noqa: DTZ001 - datetimes without a time zone are what is tested


UTC = timezone.utc
BERLIN = ZoneInfo("Europe/Berlin")
INT, LONG, DOUBLE, FLOAT, TEXT = (
    spark.IntegerType(),
    spark.LongType(),
    spark.DoubleType(),
    spark.FloatType(),
    spark.StringType(),
)
AB = spark.StructType([spark.StructField("a", INT), spark.StructField("B", TEXT)])
DEEP = spark.StructType([spark.StructField("lines", spark.ArrayType(spark.MapType(TEXT, spark.DecimalType(5, 2))))])
PAIR = spark.MapType(spark.StructType([spark.StructField("x", INT), spark.StructField("y", INT)]), TEXT)
Named = namedtuple("Named", ["b", "A"])  # noqa: PYI024 - what pipelines have


class Colour(str, Enum):
    RED = "red"


class Moment(datetime):
    """A datetime with nanoseconds, as pandas has it."""

    nanosecond = 0


class Finer(Moment):
    nanosecond = 7


class Missing(datetime):
    """What pandas takes for a missing time."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True


KEPT = [
    (spark.ByteType(), -128, -128),
    (spark.ShortType(), 32767, 32767),
    (INT, -(2**31), -(2**31)),
    (INT, 2**31 - 1, 2**31 - 1),
    (LONG, 2**63 - 1, 2**63 - 1),
    (LONG, -(2**63), -(2**63)),
    (DOUBLE, 0.1, 0.1),
    (DOUBLE, 3, 3.0),
    (DOUBLE, 2**53, 9007199254740992.0),
    (DOUBLE, float("nan"), float("nan")),
    (DOUBLE, float("-inf"), float("-inf")),
    (DOUBLE, -0.0, -0.0),
    (DOUBLE, 5e-324, 5e-324),
    (FLOAT, 0.1, 0.10000000149011612),
    (FLOAT, 16777217, 16777216.0),
    (FLOAT, float("nan"), float("nan")),
    (FLOAT, float("inf"), float("inf")),
    (FLOAT, -0.0, -0.0),
    (FLOAT, 3.4028234663852886e38, 3.4028234663852886e38),
    (spark.DecimalType(5, 2), Decimal("1.5"), Decimal("1.50")),
    (spark.DecimalType(5, 2), Decimal("-999.990"), Decimal("-999.99")),
    (spark.DecimalType(5, 2), Decimal("1E+2"), Decimal("100.00")),
    (spark.DecimalType(5, 2), 7, Decimal("7.00")),
    (spark.DecimalType(5, 2), Decimal("0E+99"), Decimal("0.00")),
    (spark.DecimalType(5, 5), Decimal("0.99999"), Decimal("0.99999")),
    (spark.DecimalType(38, 0), 10**38 - 1, Decimal(10**38 - 1)),
    (
        spark.DecimalType(38, 18),
        Decimal("12345678901234567890.123456789012345678"),
        Decimal("12345678901234567890.123456789012345678"),
    ),
    (TEXT, "", ""),
    (TEXT, "it's\n\t\\ \0 \u2028 \U0001f600", "it's\n\t\\ \0 \u2028 \U0001f600"),
    (TEXT, Colour.RED, "red"),
    (TEXT, "x" * 100_000, "x" * 100_000),
    (spark.VarcharType(3), "äöü", "äöü"),
    (spark.VarcharType(3), "a  ", "a  "),
    (spark.VarcharType(3), "\U0001f600" * 3, "\U0001f600" * 3),
    (spark.BooleanType(), True, True),
    (spark.BinaryType(), b"\xff\x00", b"\xff\x00"),
    (spark.BinaryType(), bytearray(b""), b""),
    (spark.DateType(), date(1, 1, 1), date(1, 1, 1)),
    (spark.DateType(), date(1582, 10, 10), date(1582, 10, 10)),
    (spark.DateType(), date(9999, 12, 31), date(9999, 12, 31)),
    (spark.TimestampNTZType(), datetime(2026, 10, 25, 2, 30, 0, 1), datetime(2026, 10, 25, 2, 30, 0, 1)),
    (spark.TimestampNTZType(), datetime(1, 1, 1), datetime(1, 1, 1)),
    (spark.TimestampNTZType(), datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(9999, 12, 31, 23, 59, 59, 999999)),
    (AB, {"b": "x", "A": 1}, {"a": 1, "B": "x"}),
    (AB, {}, {"a": None, "B": None}),
    (AB, (1, "x"), {"a": 1, "B": "x"}),
    (AB, [1, None], {"a": 1, "B": None}),
    (AB, Row(B="x", a=1), {"a": 1, "B": "x"}),
    (AB, Named("x", 1), {"a": 1, "B": "x"}),
    (spark.ArrayType(DOUBLE), [1, None, 2.5], [1.0, None, 2.5]),
    (spark.ArrayType(TEXT), (), []),
    (spark.MapType(TEXT, INT), {"": None}, {"": None}),
    (spark.MapType(FLOAT, INT), {0.1: 1}, {0.10000000149011612: 1}),
    (PAIR, {(1, 2): "x"}, {(1, 2): "x"}),
    (PAIR, {Row(y=2, x=1): "x"}, {(1, 2): "x"}),
    (DEEP, {"lines": [{"p": Decimal("1.1")}, None]}, {"lines": [{"p": Decimal("1.10")}, None]}),
    (spark.NullType(), None, None),
    (LONG, None, None),
]
"""Type, given value, value that is read."""

LOST = [
    (INT, 2**31),
    (spark.ByteType(), -129),
    (spark.ShortType(), 2**15),
    (LONG, 2**63),
    (LONG, True),
    (LONG, 1.0),
    (LONG, "1"),
    (DOUBLE, 2**53 + 1),
    (DOUBLE, 10**400),
    (DOUBLE, Decimal("1.5")),
    (DOUBLE, False),
    (DOUBLE, "1"),
    (FLOAT, 1e300),
    (spark.DecimalType(5, 2), Decimal("1.234")),
    (spark.DecimalType(5, 2), Decimal("1E-999999")),
    (spark.DecimalType(5, 2), 1000),
    (spark.DecimalType(5, 2), Decimal("1E+999999")),
    (spark.DecimalType(5, 2), Decimal("NaN")),
    (spark.DecimalType(5, 2), Decimal("-Infinity")),
    (spark.DecimalType(5, 2), 1.5),
    (spark.DecimalType(5, 2), True),
    (TEXT, 5),
    (TEXT, b"x"),
    (TEXT, "a\ud800"),
    (spark.VarcharType(3), "ab  "),
    (spark.CharType(3), "abcd"),
    (spark.CharType(3), 1),
    (spark.BooleanType(), 1),
    (spark.BinaryType(), "x"),
    (spark.DateType(), datetime(2026, 1, 1)),
    (spark.DateType(), "2026-01-01"),
    (spark.TimestampType(), date(2026, 1, 1)),
    (spark.TimestampType(), "2026-01-01"),
    (spark.TimestampType(), Finer(2026, 1, 1)),
    (spark.TimestampType(), Missing(2026, 1, 1)),
    (spark.TimestampType(), datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
    (spark.TimestampNTZType(), datetime(2026, 1, 1, tzinfo=UTC)),
    (spark.TimestampNTZType(), date(2026, 1, 1)),
    (spark.VariantType(), {"a": 1}),
    (spark.NullType(), 1),
    (AB, "x"),
    (AB, (1,)),
    (spark.ArrayType(INT), {1}),
    (spark.ArrayType(INT), "ab"),
    (spark.MapType(TEXT, INT), [("a", 1)]),
    (spark.MapType(TEXT, INT), {None: 1}),
]
"""Type, and a value that does not fit it."""

PARTS = [
    (AB, {"a": 1, "c": 2}),
    (AB, {"a": 1, "A": 1}),
    (AB, {"a": "x"}),
    (AB, Row(a=1, c=2)),
    (DEEP, {"lines": [{"p": Decimal("1.001")}]}),
    (spark.MapType(INT, INT), {"a": 1}),
    (spark.MapType(FLOAT, INT), {0.1: 1, 0.10000000149011612: 2}),
]
"""Type, and a value of which a part does not fit."""


def plain(value: Any) -> Any:
    """Turn what Spark reads into what the table of cases has."""
    if isinstance(value, Row):
        return {name: plain(part) for name, part in value.asDict().items()}
    if isinstance(value, dict):
        return {tuple(key) if isinstance(key, Row) else key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return bytes(value) if isinstance(value, bytearray) else value


def table(columns: str, checks: Sequence[str] = (), **options: Any) -> Table:
    """Declare ``dev.silver.orders``."""
    named = [Check(f"c{number}", expression) for number, expression in enumerate(checks, start=1)]
    return Table("dev", "silver", "orders", [*columns_of(columns), *options.pop("more", ())], checks=named, **options)


COMPARISONS = st.sampled_from(
    [
        "a > 3",
        "a <= b",
        "a <> 4",
        "b BETWEEN -5 AND 1000",
        "s LIKE 'x%' OR a > 10",
        "s IN ('x', 'y', 'xy')",
        "length(s) < 4",
        "d > '2024-02-01'",
        "d IS NULL OR a < 100",
        "f OR b > 0",
        "p < 2.5",
        "NOT (a > 50 AND b < 0)",
        "t.x >= a",
    ]
)
CHECKED_COLUMNS = "a int; b bigint not null; s varchar(5); d date; f boolean; p decimal(4,2); t struct<x: int>"


def different_models() -> list[tuple[Table, tuple[BreakingRows, ...]]]:
    """Return the models of all scenarios that differ in their constraints or columns, each with its rows."""
    cases: dict[str, tuple[Table, tuple[BreakingRows, ...]]] = {}
    for scenario in SCENARIOS:
        for model in filter(None, [scenario.before, None if scenario.refused_by else scenario.after]):
            try:
                made = enforcement_rows(model).breaking
            except InvalidModelError:
                continue
            if made:
                state = desired_state(model)
                cases.setdefault(repr((state.columns, state.checks, state.keys)), (model, made))
    return [*cases.values()]


def outcomes_of(models: Iterable[Table], catalog: ScratchCatalog) -> list[TableOutcome]:
    """Return the outcomes of the check ``enforces`` for models of one name."""
    numbered = [_named(model, number) for number, model in enumerate(models)]
    declarations = Declarations(Settings(), {model.name: model for model in numbered})
    scratch = Scratch(catalog, "rows")
    try:
        return [enforcement_outcome(model, declarations, catalog, scratch) for model in numbered]
    finally:
        scratch.clean_up()


def _named(model: Table, number: int) -> Table:
    return derived(model, table_name=f"t{number}")


ALL_STATEMENTS = ["create schema", "create table", "add primary key", "add foreign key"]
"""The kinds of statements that create such a table and its schema."""


def keyed(number: int, schema: str = "dev.silver") -> Table:
    """Return a table with a primary key, and a foreign key to itself."""
    name = f"{schema}.keyed_{number}"
    key = ForeignKey(["parent"], name)
    return scenario_table(
        column(is_nullable=False), column("parent"), name=name, primary_key=["id"], foreign_keys=[key]
    )
