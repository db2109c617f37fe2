"""Rows as multisets, and how their differences are shown."""

from __future__ import annotations

import math
from collections import namedtuple
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema.state.types import ArrayState, MapState, StructState
from pytest_delta_schema.test_kit.comparison import RowDifference, difference_text, unmatched_rows
from support.tables import KEY, state, stored

NAN, INF = math.nan, math.inf
UTC = datetime(2026, 1, 31, 8, tzinfo=timezone.utc)
PAIR = StructState((stored("a"), stored("B", "double")))
Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - a row without types


def matched(data_type, expected, actual, rtol=None):
    columns = (stored("v", data_type),)
    difference = unmatched_rows(columns, [{"v": value} for value in expected], [{"V": value} for value in actual], rtol)
    return [row["v"] for row in difference.missing], [row["v"] for row in difference.unexpected]


@pytest.mark.parametrize(
    ("data_type", "expected", "actual", "missing", "unexpected"),
    [
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
        (
            MapState("string", PAIR, value_contains_null=True),
            [{"x": (1, NAN), "y": None}],
            [{"y": None, "x": Pair(1, NAN)}],
            [],
            [],
        ),
        (
            MapState(PAIR, "bigint", value_contains_null=True),
            [{(1, 2.0): 1}],
            [{Pair(1, 2.0): 2}],
            [{(1, 2.0): 1}],
            [{Pair(1, 2.0): 2}],
        ),
        ("variant", [["x"]], [["x"]], [], []),
    ],
    ids=str,
)
def test_rows_match_exactly_each_as_often_as_it_occurs(data_type, expected, actual, missing, unexpected):
    assert matched(data_type, expected, actual) == (missing, unexpected)


@pytest.mark.parametrize(
    ("data_type", "expected", "actual", "missing", "unexpected"),
    [
        ("double", [0.1 + 0.2], [0.3], [], []),
        ("double", [1.0, 1.1, 1.2], [1.1, 1.2, 1.3], [], []),
        ("double", [1.0, 2.0], [2.1, 4.0], [1.0], [4.0]),
        ("double", [NAN, INF, -INF, None, 0.0], [0.0, None, -INF, INF, NAN], [], []),
        ("double", [INF], [1e308], [INF], [1e308]),
        ("double", [-1.0, -2.0], [-2.05, -1.05], [], []),
        ("bigint", [100], [101], [100], [101]),
        ("decimal(4,2)", [Decimal(1)], [Decimal("1.01")], [Decimal(1)], [Decimal("1.01")]),
        (PAIR, [(1, 1.0), (2, 1.0)], [(2, 1.05), (1, 1.05)], [], []),
        (
            MapState("string", "double", value_contains_null=True),
            [{"x": 1.0, "y": 9.0}],
            [{"y": 9.1, "x": 1.01}],
            [],
            [],
        ),
        (
            ArrayState("double", contains_null=True),
            [[1.0, 5.0], [1.0]],
            [[1.05, 9.0], [1.05]],
            [[1.0, 5.0]],
            [[1.05, 9.0]],
        ),
    ],
    ids=str,
)
def test_with_a_tolerance_fractions_match_if_they_are_close(data_type, expected, actual, missing, unexpected):
    assert matched(data_type, expected, actual, rtol=0.1) == (missing, unexpected)


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


@pytest.mark.parametrize(
    ("one", "other", "texts"),
    [
        (
            "x" * 10 + "a" * 60,
            "x" * 10 + "b" * 60,
            ["'xxxxxxxxxxaaaaaaaaaaaaaaaaaaaaaaaaaa...", "'xxxxxxxxxxbbbbbbbbbbbbbbbbbbbbbbbbbb..."],
        ),
        ("x" * 60, "x" * 61, ["...xxxxxxxxxxxxxxx'", "...xxxxxxxxxxxxxxxx'"]),
        (UTC, None, ["2026-01-31 08:00:00+00:00", "NULL"]),
    ],
    ids=["near the start", "longer", "short"],
)
def test_long_values_are_cut_where_they_differ(one, other, texts):
    lines = shown(ORDERS, [{"id": 1, "note": one}], [{"id": 1, "note": other}]).splitlines()

    assert lines[-1].split()[3:] == " ".join(texts).split()
