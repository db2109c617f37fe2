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
    CatalogReadError,
    DeclarationError,
    RowsDifferError,
    StatementError,
    WriteError,
)
from pytest_delta_schema.state import (
    ArrayState,
    CheckState,
    ColumnState,
    ForeignKeyState,
    KeyState,
    MapState,
    StructState,
    TableState,
)
from pytest_delta_schema.test_kit.comparison import RowDifference, difference_text, unmatched_rows
from pytest_delta_schema.testing.scenario import orders
from support.models import KEY, NAME, column, state, stored, table

STATE = state(stored("id", is_nullable=False), stored("x", "double"))
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


def test_other_rows_fail_with_both_sides(catalog):
    with pytest.raises(RowsDifferError) as caught:
        assert_table_equals("dev.silver.orders", [{"id": 1, "x": 0.4}, {"id": 2}], catalog=catalog)

    assert isinstance(caught.value, AssertionError)
    assert str(caught.value) == (
        "dev.silver.orders: 2 rows expected, 2 in the table; 1 missing, 1 unexpected\n"
        "\n"
        "  column     expected  in the table\n"
        "  id bigint  1         1\n"
        "~ x double   0.4       0.5"
    )
    assert_table_equals("dev.silver.orders", [{"id": 1, "x": 0.4}, {"id": 2}], rtol=0.2, catalog=catalog)


def test_ignored_columns_are_not_compared(catalog):
    for rows in ([{"x": 0.5}, {}], [{"id": 7, "x": 0.5}, {"id": 8}], [(None, 0.5), (7, None)]):
        assert_table_equals("dev.silver.orders", rows, ignore=["ID"], catalog=catalog)


def test_a_failure_leaves_ignored_columns_out(catalog):
    with pytest.raises(RowsDifferError) as caught:
        assert_table_equals("dev.silver.orders", [{"x": 0.4}], ignore=["id"], catalog=catalog)

    assert str(caught.value) == (
        "dev.silver.orders: 1 row expected, 2 in the table; 1 missing, 2 unexpected\n"
        "\n"
        "  column    expected  in the table\n"
        "- x double  0.4       -\n"
        "\n"
        "  column    expected  in the table\n"
        "+ x double  -         0.5\n"
        "\n"
        "  column    expected  in the table\n"
        "+ x double  -         NULL"
    )


class Reader:
    """A catalog that returns no rows."""

    name = "custom"

    def snapshot(self, models):
        raise NotImplementedError

    read_tables = introduced_by = past_columns = snapshot


RTOL = "give a relative difference from 0 to less than 1, such as rtol=1e-9"
BACKENDS = "which the {} cannot; the backends that can are local, session, unity and memory".format
WRONG_ARGUMENTS: list[tuple[dict[str, Any], type[Exception], str]] = [
    (
        {"rows": [{"id": "1"}]},
        StatementError,
        "dev.silver.orders: row 1, column id: '1' does not fit bigint: it is of Python's type str; give an int",
    ),
    (
        {"rows": [{"ID": 1, "y": 1}]},
        StatementError,
        "dev.silver.orders: row 1: there is no column y; columns are id, x",
    ),
    (
        {"table": "dev.silver.nothing"},
        CatalogReadError,
        "dev.silver.nothing: is not in the catalog; create it first [DS507 AbsentTable]",
    ),
    ({"rtol": 1}, DeclarationError, f"rtol is 1; {RTOL}"),
    ({"rtol": -0.1}, DeclarationError, f"rtol is -0.1; {RTOL}"),
    (
        {"ignore": ["x", "idd", "loaded"]},
        DeclarationError,
        (
            "dev.silver.orders: there is no column idd; did you mean id?\n"
            "dev.silver.orders: there is no column loaded; columns are id, x"
        ),
    ),
    (
        {"ignore": "id"},
        DeclarationError,
        (
            "assert_table_equals takes a list of columns as ignore, and was given 'id';"
            ' give names, such as ignore=["loaded_at"]'
        ),
    ),
    (
        {"catalog": Reader()},
        DeclarationError,
        f"assert_table_equals reads the rows of tables, {BACKENDS('custom backend')}",
    ),
]


def test_wrong_arguments_have_a_remedy(catalog):
    for arguments, error, message in WRONG_ARGUMENTS:
        with pytest.raises(error) as caught:
            assert_table_equals(**{"table": "dev.silver.orders", "rows": ROWS, "catalog": catalog, **arguments})

        assert str(caught.value) == message


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


def test_every_column_that_does_not_fit_is_named():
    with pytest.raises(WriteError) as caught:
        assert_frame_fits(model(), struct(("id", spark.IntegerType()), ("more", spark.LongType())))

    assert isinstance(caught.value, AssertionError)
    assert (
        str(caught.value)
        == """\
dev.silver.orders: the frame does not fit the model
  ! column id is int in the frame and bigint in the model; cast it to bigint
  ! column more is not in the model; declare it, or leave it out of the frame
  ! column name is not in the frame, and would be NULL; add it

        model        frame
~ id    bigint       int
- name  varchar(10)  -
- at    timestamp    -
- day   date         -
+ more  -            bigint"""
    )


def test_what_delta_refuses_for_another_reason_is_named_beside_what_does_not_fit():
    counted = table(column(), Column("key", "bigint", identity=True))
    messages = []
    for data_type in (spark.LongType(), spark.StringType()):
        with pytest.raises(WriteError) as caught:
            assert_frame_fits(counted, struct(("id", data_type), ("key", spark.LongType())))
        messages.append(str(caught.value).splitlines()[1:])

    assert messages[0][0].startswith("  ! key is an identity column that is GENERATED ALWAYS, and the frame has it")
    assert "explicit-identity-insert" in messages[0][0]
    assert messages[1][:2] == [
        "  ! column id is string in the frame and bigint in the model; cast it to bigint",
        messages[0][0],
    ]


def test_wrong_arguments_of_frame_fits_have_a_remedy():
    wrong = [
        (
            ("dev.silver.orders", struct(ID)),
            "assert_frame_fits takes a model and a frame, and was given 'dev.silver.orders' as model; give a Table",
        ),
        (
            (model(), [{"id": 1}]),
            "dev.silver.orders: what is written is [{'id': 1}]; give a DataFrame or its schema, a StructType",
        ),
    ]
    for arguments, message in wrong:
        with pytest.raises(DeclarationError) as caught:
            assert_frame_fits(*arguments)

        assert str(caught.value) == message


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


def shown(table, missing, unexpected, sizes=(5, 6), rtol=None):
    return difference_text(table, RowDifference(missing=tuple(missing), unexpected=tuple(unexpected)), sizes, rtol)


def test_rows_with_the_same_key_are_shown_side_by_side():
    missing = [
        {"id": 7, "amount": Decimal("10.00"), "note": "a"},
        {"id": 8, "amount": None, "note": "x" * 50 + "b" * 50},
    ]
    unexpected = [
        {"id": 8, "amount": Decimal("1.00"), "note": "x" * 50 + "c" * 50},
        {"id": 7, "amount": Decimal("11.00"), "note": "a"},
    ]

    assert (
        shown(ORDERS, missing, unexpected)
        == """\
dev.silver.orders: 5 rows expected, 6 in the table; 2 missing, 2 unexpected

  column                expected  in the table
  id bigint             7         7
~ amount decimal(18,2)  10.00     11.00
  note string           'a'       'a'

  column                expected                                  in the table
  id bigint             8                                         8
~ amount decimal(18,2)  NULL                                      1.00
~ note string           ...xxxxxxxxxxxxxxxbbbbbbbbbbbbbbbbbbb...  ...xxxxxxxxxxxxxxxccccccccccccccccccc..."""
    )


def test_rows_of_one_side_alone_and_how_many_more_there_are():
    missing = [{"id": 1, "note": "\x1b"}]
    unexpected = [{"id": number, "amount": Decimal(number), "note": "n" * 60} for number in (10, 11, 12, 13)]

    assert (
        shown(ORDERS, missing, unexpected, (1, 4))
        == """\
dev.silver.orders: 1 row expected, 4 in the table; 1 missing, 4 unexpected

  column                expected  in the table
- id bigint             1         -
- amount decimal(18,2)  NULL      -
- note string           '\\x1b'    -

  column                expected  in the table
+ id bigint             -         10
+ amount decimal(18,2)  -         10
+ note string           -         'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...

  column                expected  in the table
+ id bigint             -         11
+ amount decimal(18,2)  -         11
+ note string           -         'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...

and 2 more differences"""
    )


def test_of_wide_rows_only_the_columns_that_differ_are_shown():
    row = {f"c{number}": number for number in range(10)}

    assert (
        shown(WIDE, [row], [{**row, "c3": None}], (1, 1))
        == """\
dev.silver.orders: 1 row expected, 1 in the table; 1 missing, 1 unexpected

  column     expected  in the table
~ c3 bigint  3         NULL
  9 columns with equal values"""
    )


def test_long_values_are_cut_where_they_differ():
    cases = [
        (
            "x" * 10 + "a" * 60,
            "x" * 10 + "b" * 60,
            "'xxxxxxxxxxaaaaaaaaaaaaaaaaaaaaaaaaaa... 'xxxxxxxxxxbbbbbbbbbbbbbbbbbbbbbbbbbb...",
        ),
        ("x" * 60, "x" * 61, "...xxxxxxxxxxxxxxx' ...xxxxxxxxxxxxxxxx'"),
        (UTC, None, "2026-01-31 08:00:00+00:00 NULL"),
    ]
    for one, other, texts in cases:
        last = shown(ORDERS, [{"id": 1, "note": one}], [{"id": 1, "note": other}]).splitlines()[-1]

        assert " ".join(last.split()[3:]) == texts


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
FULL_TEXT = """\
CREATE TABLE `orders` (
  `id` BIGINT NOT NULL COMMENT 'it\\'s the key',
  `total` DECIMAL(10,2),
  PRIMARY KEY (`id`) RELY,
  UNIQUE (`total`),
  FOREIGN KEY (`id`) REFERENCES `parents` (`key`),
  CONSTRAINT `positive` CHECK (total > 0 -- cents
)
)
USING DELTA
PARTITIONED BY (`id`)
COMMENT 'Orders'
TBLPROPERTIES (
  'delta.appendOnly' = 'true',
  'team' = 'shop'
);

ALTER TABLE `orders` SET TAGS (
  'level' = '1',
  'owner' = 'a'
);

ALTER TABLE `orders` ALTER COLUMN `id` SET TAGS (
  'pii' = ''
);"""

PLAIN_TEXT = "CREATE TABLE `orders` (\n  `id` BIGINT\n)\nUSING DELTA;"


def test_states_as_text():
    hidden = "-- with characters that are not shown: `i\\u200bd`\n\n" + PLAIN_TEXT.replace("`id`", "`i\u200bd`")
    states = [FULL, state(stored()), state(stored("i\u200bd"))]

    texts = [state_text("dev.silver.orders", catalog=MemoryCatalog([observed])) for observed in states]

    assert texts == [FULL_TEXT, PLAIN_TEXT, hidden]


def test_a_copy_in_another_schema_has_the_same_text():
    texts = set()
    for name in ("dev.silver.orders", "scratch.test_main_1f2e3d4c.orders"):
        columns, unique = [column(is_nullable=False), column("n")], [Unique(["n"])]
        model, catalog = table(*columns, name=name, primary_key=["id"], unique=unique), MemoryCatalog()
        Orchestrator.over(catalog).sync_tables([model])
        texts.add(state_text(model, catalog=catalog))

    (text,) = texts
    assert "PRIMARY KEY (`id`)" in text


def test_a_table_that_does_not_exist_is_no_empty_text():
    with pytest.raises(CatalogReadError, match=r"^dev.silver.orders: is not in the catalog"):
        state_text("dev.silver.orders", catalog=MemoryCatalog())


def test_wrong_arguments_of_state_texts_have_a_remedy():
    catalog = MemoryCatalog([TableState(name=NAME, columns=(ColumnState("id", "bigint", True, ""),))])
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"table": 7}, "the table is 7; give a Table, or its name as catalog.schema.table"),
        (
            {"catalog": "memory"},
            "state_text takes a catalog, and was given 'memory'; give one, such as the fixture delta_catalog, or MemoryCatalog()",
        ),
        (
            {"table": "orders"},
            "'orders' does not name a table; write catalog.schema.table, or give the Table itself",
        ),
        (
            {"version": 0},
            "state_text reads the commits of tables, which the memory backend cannot; the backends that can are local, session and unity",
        ),
    ]
    for arguments, message in wrong:
        with pytest.raises(DeclarationError) as caught:
            state_text(**{"table": "dev.silver.orders", "catalog": catalog, **arguments})

        assert str(caught.value) == message


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
