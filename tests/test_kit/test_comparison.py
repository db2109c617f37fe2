"""Tables, frames, rows and states compared with contracts and with each other, on the memory catalog."""

from __future__ import annotations

import math
from collections import namedtuple
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import (
    Column,
    DeltaSchemaError,
    MemoryCatalog,
    Orchestrator,
    QualifiedName,
    Unique,
    assert_frame_fits,
    assert_table_equals,
    state_text,
    to_struct_type,
)
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.diagnostics.errors import (
    RowsDifferError,
    WriteError,
)
from pytest_delta_schema.state import (
    ArrayState,
    CheckState,
    ForeignKeyState,
    KeyState,
    MapState,
    StructState,
)
from pytest_delta_schema.test_kit.comparison import RowDifference, difference_text, unmatched_rows, values_match
from pytest_delta_schema.testing.scenario import orders
from support.models import KEY, NAME, column, state, stored, table
from support.snapshots import TextSnapshot

STATE = state(stored("id", is_nullable=False), stored("x", "double"))


def written(text):
    """Return a text as a file holds it."""
    return text.encode("ascii", "backslashreplace").decode() + "\n"


ROWS: list[dict[str, Any]] = [{"id": 1, "x": 0.5}, {"id": 2}]


@pytest.fixture
def catalog():
    return MemoryCatalog([STATE], rows={NAME: ROWS})


def test_the_expected_rows_pass(catalog):
    for rows in (ROWS, [(2, None), (1, 0.5)], iter(ROWS)):
        assert_table_equals("dev.silver.orders", rows, catalog=catalog)
    assert_table_equals(orders(), ROWS, catalog=catalog)


def test_a_frame_of_pandas_passes(catalog):
    pandas = pytest.importorskip("pandas")

    assert_table_equals("dev.silver.orders", pandas.DataFrame({"x": [None, 0.5], "id": [2, 1]}), catalog=catalog)


def test_ignored_columns_are_not_compared(catalog):
    for rows in ([{"x": 0.5}, {}], [{"id": 7, "x": 0.5}, {"id": 8}], [(None, 0.5), (7, None)]):
        assert_table_equals("dev.silver.orders", rows, ignore=["ID"], catalog=catalog)


class Reader:
    """A catalog that returns no rows."""

    name = "custom"

    def snapshot(self, models):
        raise NotImplementedError

    read_tables = introduced_by = past_columns = snapshot


def model():
    return table(
        Column("id", "bigint", is_nullable=False),
        Column("name", "varchar(10)"),
        Column("at", "timestamp", default="current_timestamp()"),
        Column("day", "date", generated_as="CAST(at AS DATE)"),
    )


def struct(*fields):
    return spark.StructType([spark.StructField(name, kind) for name, kind in fields])


LENGTH = "name holds at most 10 characters; a longer text fails"
ID, NAME_FIELD = ("ID", spark.LongType()), ("name", spark.StringType())


def test_a_frame_fits_if_the_table_fills_the_other_columns():
    filled = [
        "at is not in the frame: it takes its default, current_timestamp()",
        "day is not in the frame: the table generates it as CAST(at AS DATE)",
    ]
    notes = [assert_frame_fits(model(), frame).notes for frame in (struct(NAME_FIELD, ID), to_struct_type(model()))]

    assert [[note.message for note in of_frame] for of_frame in notes] == [[*filled, LENGTH], [LENGTH]]


def refusals(catalog):
    """Yield calls that fail, each with its error."""
    counted = table(column(), Column("key", "bigint", identity=True))
    equal = {"table": "dev.silver.orders", "rows": ROWS, "catalog": catalog}
    for arguments in (
        {"rows": [{"id": 1, "x": 0.4}, {"id": 2}]},
        {"rows": [{"x": 0.4}], "ignore": ["id"]},
        {"rows": [{"id": "1"}]},
        {"rows": [{"ID": 1, "y": 1}]},
        {"table": "dev.silver.nothing"},
        {"rtol": 1},
        {"rtol": -0.1},
        {"ignore": ["x", "idd", "loaded"]},
        {"ignore": "id"},
        {"catalog": Reader()},
    ):
        yield assert_table_equals, {**equal, **arguments}
    key = ("key", spark.LongType())
    for contract, frame in (
        (model(), struct(("id", spark.IntegerType()), ("more", spark.LongType()))),
        (counted, struct(("id", spark.LongType()), key)),
        (counted, struct(("id", spark.StringType()), key)),
        ("dev.silver.orders", struct(ID)),
        (model(), [{"id": 1}]),
    ):
        yield assert_frame_fits, {"model": contract, "frame": frame}
    there = {"table": "dev.silver.orders", "catalog": catalog}
    absent = {"table": "dev.silver.nothing"}
    for arguments in (absent, {"table": 7}, {"catalog": "memory"}, {"table": "orders"}, {"version": 0}):
        yield state_text, {**there, **arguments}


def test_what_a_comparison_says(catalog, snapshot):
    texts, types = [], set[type[Exception]]()
    for call, arguments in refusals(catalog):
        with pytest.raises((DeltaSchemaError, AssertionError)) as caught:
            call(**arguments)
        types |= {type(caught.value)} if isinstance(caught.value, AssertionError) else set()
        texts.append(f"{call.__name__}, {type(caught.value).__name__}:\n{caught.value}")

    assert written("\n\n".join(texts)) == snapshot(extension_class=TextSnapshot)
    assert types == {RowsDifferError, WriteError}


def test_rows_are_equal_within_a_tolerance(catalog):
    assert_table_equals("dev.silver.orders", [{"id": 1, "x": 0.4}, {"id": 2}], rtol=0.2, catalog=catalog)


NAN, INF = math.nan, math.inf
UTC = datetime(2026, 1, 31, 8, tzinfo=timezone.utc)
PAIR = StructState((stored("a"), stored("B", "double")))
Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - a row without types


def matched(data_type, expected, actual, rtol=None):
    columns = (stored("v", data_type),)
    difference = unmatched_rows(columns, [{"v": value} for value in expected], [{"V": value} for value in actual], rtol)
    return [row["v"] for row in difference.missing], [row["v"] for row in difference.unexpected]


EQUAL, TAGS = MapState("string", PAIR, value_contains_null=True), MapState(PAIR, "bigint", value_contains_null=True)
EXACT = [
    ("bigint", [], [], [], []),
    ("bigint", [1, 2, 2], [2, 1, 2], [], []),
    ("bigint", [1, 2, 2], [2, 1, 1], [2], [1]),
    ("bigint", [None, 1], [1], [None], []),
    ("double", [NAN, 0.0, INF], [INF, NAN, -0.0], [], []),
    ("double", [0.1 + 0.2], [0.3], [0.1 + 0.2], [0.3]),
    ("decimal(4,2)", [Decimal("1.5")], [Decimal("1.50")], [], []),
    ("char(3)", ["a", "b"], ["a  ", "b "], [], []),
    ("varchar(3)", ["a"], ["a "], ["a"], ["a "]),
    ("binary", [b"a"], [bytearray(b"a")], [], []),
    ("timestamp", [UTC], [UTC.astimezone(timezone(timedelta(hours=2)))], [], []),
    (PAIR, [{"A": 1, "b": NAN}, (2, 1.0)], [Pair(2, 1.0), {"a": 1, "B": NAN}], [], []),
    (PAIR, [{"a": 1}], [{"a": 1, "b": None}], [], []),
    (ArrayState("bigint", contains_null=True), [[1, None], [2, 1]], [[1, None], [1, 2]], [[2, 1]], [[1, 2]]),
    (EQUAL, [{"x": (1, NAN), "y": None}], [{"y": None, "x": Pair(1, NAN)}], [], []),
    (TAGS, [{(1, 2.0): 1}], [{Pair(1, 2.0): 2}], [{(1, 2.0): 1}], [{Pair(1, 2.0): 2}]),
    ("variant", [["x"]], [["x"]], [], []),
]


def test_rows_match_exactly_each_as_often_as_it_occurs():
    for data_type, expected, actual, *unmatched in EXACT:
        assert [*matched(data_type, expected, actual)] == unmatched, (data_type, expected, actual)


CLOSE = [
    ("double", [0.1 + 0.2], [0.3], [], []),
    ("double", [1.0, 1.1, 1.2], [1.1, 1.2, 1.3], [], []),
    ("double", [1.0, 2.0], [2.1, 4.0], [1.0], [4.0]),
    ("double", [NAN, INF, -INF, None, 0.0], [0.0, None, -INF, INF, NAN], [], []),
    ("double", [INF], [1e308], [INF], [1e308]),
    ("double", [-1.0, -2.0], [-2.05, -1.05], [], []),
    ("bigint", [100], [101], [100], [101]),
    ("decimal(4,2)", [Decimal(1)], [Decimal("1.01")], [Decimal(1)], [Decimal("1.01")]),
    (PAIR, [(1, 1.0), (2, 1.0)], [(2, 1.05), (1, 1.05)], [], []),
    (MapState("string", "double", value_contains_null=True), [{"x": 1.0, "y": 9.0}], [{"y": 9.1, "x": 1.01}], [], []),
    (ArrayState("double", True), [[1.0, 5.0], [1.0]], [[1.05, 9.0], [1.05]], [[1.0, 5.0]], [[1.05, 9.0]]),
]


def test_with_a_tolerance_fractions_match_if_they_are_close():
    for data_type, expected, actual, *unmatched in CLOSE:
        assert [*matched(data_type, expected, actual, rtol=0.1)] == unmatched, (data_type, expected, actual)
    assert [values_match(1.0, 1.05, "double", rtol) for rtol in (0.1, 0.01, None)] == [True, False, False]


NUMBERS = st.lists(st.sampled_from([1.0, 1.05, 1.1, 1.15, 1.21, 2.0]), max_size=6)


def most_pairs(expected, actual):
    """Pair as many close numbers as possible, by trying everything."""
    if not expected:
        return 0
    first, rest = expected[0], expected[1:]
    choices = [index for index, other in enumerate(actual) if math.isclose(first, other, rel_tol=0.06)]
    return max([most_pairs(rest, actual), *(1 + most_pairs(rest, actual[:at] + actual[at + 1 :]) for at in choices)])


@given(NUMBERS, NUMBERS)
def test_no_other_pairing_leaves_fewer_rows(expected, actual):
    missing, unexpected = matched("double", expected, actual, rtol=0.06)

    pairs = most_pairs(expected, actual)
    assert (len(missing), len(unexpected)) == (len(expected) - pairs, len(actual) - pairs)


def test_many_rows_with_one_tolerance_are_matched_by_their_first_number():
    numbers = [float(number) for number in range(1, 3000)]

    assert matched("double", numbers, [number * (1 + 1e-12) for number in reversed(numbers)], rtol=1e-9) == ([], [])


ORDERS = state(stored("id"), stored("amount", "decimal(18,2)"), stored("note", "string"), primary_key=KEY)
WIDE = state(*(stored(f"c{number}") for number in range(10)))


def differences():
    """Yield how rows with the same key, of one side alone, wide and long ones are shown."""
    x, y = "x" * 50, "x" * 10
    missing = [{"id": 7, "amount": Decimal("10.00"), "note": "a"}, {"id": 8, "amount": None, "note": x + "b" * 50}]
    unexpected = [
        {"id": 8, "amount": Decimal("1.00"), "note": x + "c" * 50},
        {"id": 7, "amount": Decimal("11.00"), "note": "a"},
    ]
    yield shown(ORDERS, missing, unexpected)
    alone = [{"id": number, "amount": Decimal(number), "note": "n" * 60} for number in (10, 11, 12, 13)]
    yield shown(ORDERS, [{"id": 1, "note": "\x1b"}], alone, (1, 4))
    row = {f"c{number}": number for number in range(10)}
    yield shown(WIDE, [row], [{**row, "c3": None}], (1, 1))
    for one, other in ((y + "a" * 60, y + "b" * 60), ("x" * 60, "x" * 61), (UTC, None)):
        yield shown(ORDERS, [{"id": 1, "note": one}], [{"id": 1, "note": other}])


def test_how_rows_that_differ_are_shown(snapshot):
    assert written("\n\n".join(differences())) == snapshot(extension_class=TextSnapshot)


def shown(table, missing, unexpected, sizes=(5, 6), rtol=None):
    return difference_text(table, RowDifference(missing=tuple(missing), unexpected=tuple(unexpected)), sizes, rtol)


FULL = state(
    stored("id", is_nullable=False, comment="it's the key"),
    stored("total", "decimal(10,2)"),
    table_comment="Orders",
    table_properties={
        "delta.minReaderVersion": "3",
        "delta.feature.deletionVectors": "supported",
        "delta.columnMapping.maxColumnId": "7",
        "team": "shop",
        "delta.appendOnly": "true",
    },
    primary_key=KeyState("pk_dev_silver_orders__id", ("id",), rely=True),
    unique=(KeyState("uq", ("total",), kind="unique constraint"),),
    foreign_keys=(ForeignKeyState("fk", ("id",), QualifiedName("dev", "silver", "parents"), ("key",)),),
    checks=(CheckState("positive", "total > 0 -- cents"),),
    partitioning=("id",),
    tags=MappingProxyType({ColumnPath("id"): {"pii": ""}, TABLE: {"owner": "a", "level": "1"}}),
    version=3,
)


def test_states_as_text(snapshot):
    states = [FULL, state(stored()), state(stored("i\u200bd"))]

    texts = [state_text("dev.silver.orders", catalog=MemoryCatalog([observed])) for observed in states]

    assert written("\n\n".join(texts)) == snapshot(extension_class=TextSnapshot)


def test_a_copy_in_another_schema_has_the_same_text():
    texts = set()
    for name in ("dev.silver.orders", "scratch.test_main_1f2e3d4c.orders"):
        columns, unique = [column(is_nullable=False), column("n")], [Unique(["n"])]
        model, catalog = table(*columns, name=name, primary_key=["id"], unique=unique), MemoryCatalog()
        Orchestrator.over(catalog).sync_tables([model])
        texts.add(state_text(model, catalog=catalog))

    (text,) = texts
    assert "PRIMARY KEY (`id`)" in text


SHOP = """
from pytest_delta_schema import Column, Table

orders = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)], primary_key=["id"])
"""


def test_in_a_test_the_catalog_is_that_of_the_run(project):
    project.settings('backend = "memory"')
    project.models(SHOP, "shop")
    project.pytester.makepyfile(
        test_x="""
        import pytest
        from pytest_delta_schema import DriftError, MemoryCatalog, QualifiedName, assert_no_drift, state_text
        from pytest_delta_schema.state import ColumnState, TableState
        from shop import orders

        def test_text(make_delta_table, delta_snapshot):
            table = make_delta_table(orders)
            assert state_text(table) == delta_snapshot
            assert state_text(table.qualified_name) == state_text(table)
            assert_no_drift(table)
            with pytest.raises(DriftError):
                assert_no_drift(orders)

        class TestOverride:
            @pytest.fixture(scope="class")
            def delta_catalog(self):
                return MemoryCatalog([TableState(name=QualifiedName("a", "b", "c"), columns=(ColumnState("x", "int", True, ""),))])

            def test_text(self):
                assert "`x` INT" in state_text("a.b.c")
        """,
    )

    project.run("--snapshot-update").assert_outcomes(passed=2)
    project.run().assert_outcomes(passed=2)
    (snapshot,) = project.path.glob("__snapshots__/test_x/*.sql")
    assert snapshot.read_text("utf-8").splitlines()[:3] == [
        "CREATE TABLE `orders` (",
        "  `id` BIGINT NOT NULL,",
        "  PRIMARY KEY (`id`)",
    ]


def test_without_a_test_the_catalog_has_to_be_given(project):
    project.settings('backend = "memory"')
    project.models(SHOP, "shop")
    project.pytester.makepyfile(
        test_x="""
        from shop import orders
        from pytest_delta_schema import assert_no_drift, assert_table_equals, state_text

        messages = []
        for call, *arguments in ((state_text, "a.b.c"), (assert_table_equals, "a.b.c", []), (assert_no_drift, orders)):
            try:
                call(*arguments)
            except Exception as error:
                messages.append(str(error))

        def test_messages():
            assert messages == [
                f"{function} needs a catalog, and no test of pytest runs that has one; give catalog=..."
                for function in ("state_text", "assert_table_equals", "assert_no_drift")
            ]
        """,
    )

    project.run().assert_outcomes(passed=1)
