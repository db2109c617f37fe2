"""Rows from models: plain values, keys, foreign keys, and which checks are solved."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timezone
from decimal import Decimal
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import Row

from pytest_delta_schema import (
    Column,
    ForeignKey,
    InvalidModelError,
    MemoryCatalog,
    Table,
    Unique,
    rows_of,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import failing_rows
from pytest_delta_schema.testing.scenario import EVERY_TYPE
from pytest_delta_schema.testing.scenarios import SCENARIOS
from support.rows import CHECKED_COLUMNS, COMPARISONS, table
from support.strategies import models

D, UTC = Decimal, timezone.utc


def values(rows, name):
    return [row[name] for row in rows]


def refusal(model, n=3, **columns):
    with pytest.raises(DeclarationError) as error:
        rows_of(model, n, **columns)
    return str(error.value)


def require_taken(model, rows):
    """Insert rows into a memory catalog, which checks types, NOT NULL, lengths and checks, and count repeated keys."""
    state = desired_state(model)
    catalog = MemoryCatalog([state])
    catalog.insert(model.name, rows)
    assert catalog.data_checks(model.name).count_rows(state.keys).broken == (0,) * len(state.keys)


def test_values_are_plain():
    (row,) = rows_of(table("id bigint", more=EVERY_TYPE), 1)

    assert row == {
        "id": 1,
        "c_binary": b"c_binary_1",
        "c_boolean": True,
        "c_byte": 1,
        "c_char": "c_1",
        "c_date": date(2024, 1, 1),
        "c_decimal": D("1.000000000000000000"),
        "c_double": 1.5,
        "c_float": 1.5,
        "c_int": 1,
        "c_long": 1,
        "c_short": 1,
        "c_string": "c_string_1",
        "c_timestamp": datetime(2024, 1, 1, tzinfo=UTC),
        "c_timestamp_ntz": datetime(2024, 1, 1),  # noqa: DTZ001 - of a timestamp_ntz
        "c_varchar": "c_varchar1",
        "c_void": None,
        "c_nested": {"lat": 1.5, "tags": ["tags_1", "tags_2"], "by_key": {"key_1": D("1.000")}},
        "c_list_of_varchar": ["c_li1", "c_li2"],
        "c_map_of_struct": {"key_1": {"x": "x1"}},
    }


def test_values_count_up():
    model = table(
        "id int; day date; at timestamp; name string; short varchar(2); c char(5); price decimal(3,2); part decimal(2,2)",
    )

    assert rows_of(model, 12)[-1] == {
        "id": 12,
        "day": date(2024, 1, 12),
        "at": datetime(2024, 1, 1, 11, tzinfo=UTC),
        "name": "name_12",
        "short": "12",
        "c": "c_012",
        "price": D("3.00"),
        "part": D("0.12"),
    }


def test_keys_of_maps_can_be_looked_up():
    (row,) = rows_of(table("m map<struct<a: int, b: array<int>>,string>"), 1)

    assert row == {"m": {(1, (1, 2)): "m_1"}}


def test_another_seed_changes_all_but_keys():
    model = table(
        "id bigint not null; name varchar(9); price decimal(9,2); at timestamp; s struct<a: int>",
        primary_key=["id"],
    )

    assert rows_of(model, 2, seed=7) == [
        {
            "id": 1,
            "name": "name_978",
            "price": D("549.00"),
            "at": datetime(2024, 2, 1, 12, tzinfo=UTC),
            "s": {"a": 904},
        },
        {
            "id": 2,
            "name": "name_373",
            "price": D("130.00"),
            "at": datetime(2024, 1, 1, 14, tzinfo=UTC),
            "s": {"a": 133},
        },
    ]


def test_the_same_seed_gives_the_same_bytes_on_every_python():
    text = repr(rows_of(table("id bigint", more=EVERY_TYPE), 20, seed=3))

    assert sha256(text.encode()).hexdigest()[:16] == "fcb0181917474b49"


KEYS = [
    ("a string not null; b int not null", {"primary_key": ["a", "b"]}, 2, [("a_1", 1), ("a_2", 2)]),
    (
        "s string not null; f boolean not null",
        {"primary_key": ["s", "f"], "checks": ["s IN ('x', 'y')"]},
        4,
        [("x", True), ("x", False), ("y", True), ("y", False)],
    ),
    ("id int not null; s varchar(1)", {"primary_key": ["id"], "unique": [Unique(["s"])]}, 10, [(9, "9"), (10, "A")]),
    (
        "id decimal(3,2) not null",
        {"primary_key": ["id"], "checks": ["id BETWEEN 0 AND 0.02"]},
        3,
        [(D("0.02"),), (D("0.01"),)],
    ),
    ("id int not null", {"primary_key": ["id"], "checks": ["id > 5 OR id = 2"]}, 3, [(2,), (6,), (7,)]),
]


def tuples(rows):
    return [tuple(row.values()) for row in rows]


def test_keys_are_different_in_every_row():
    for columns, options, n, last in KEYS:
        rows = rows_of(table(columns, **options), n)

        assert tuples(rows)[-len(last) :] == last
        require_taken(table(columns, **options), rows)


def test_a_key_with_too_few_values_is_an_error():
    two_columns = {"primary_key": ["s", "f"], "checks": ["s IN ('x', 'y')"]}
    one_value = {"primary_key": ["flag", "b"], "checks": ["b = 'b'", "NOT flag", "c = 1 OR c = 2"]}
    only_x = {"unique": [Unique(["s"])], "checks": ["s = 'x_'"]}
    one_letter = {"unique": [Unique(["s"])]}
    few = "has at most {}, but {} rows were requested; ask for fewer rows, or give {}".format
    refusals = [
        (
            "s string not null; f boolean not null",
            two_columns,
            5,
            f"primary key (s, f) {few('4 values under check c1', 5, 's, f')}",
        ),
        ("id tinyint", {"unique": [Unique(["id"])]}, 257, f"unique constraint (id) {few('256 values', 257, 'id')}"),
        ("s string", only_x, 2, f"unique constraint (s) {few('1 value under check c1', 2, 's')}"),
        (
            "flag boolean not null; b string not null; c int",
            one_value,
            2,
            f"primary key (flag, b) {few('1 value under check c1, c2', 2, 'flag, b')}",
        ),
        (
            "s varchar(1)",
            one_letter,
            40,
            "no further row is found that satisfies unique constraint (s); ask for fewer rows, or give s",
        ),
    ]

    assert [refusal(table(columns, **options), n) for columns, options, n, _ in refusals] == [
        f"dev.silver.orders: {message}" for *_, message in refusals
    ]


SOLVED = [
    ("a int", ["a IN (3, 5)"], [(3,), (5,), (3,)]),
    ("a int", ["a NOT IN (1, 2)"], [(3,), (4,), (5,)]),
    ("a int", ["a <> 2"], [(1,), (3,), (4,)]),
    ("a int", ["a < 0"], [(-1,), (-2,), (-3,)]),
    ("a int", ["a <= -10"], [(-10,), (-11,), (-12,)]),
    ("a int", ["a BETWEEN 100 AND 101"], [(100,), (101,), (100,)]),
    ("a int", ["a = 7"], [(7,), (7,), (7,)]),
    ("a bigint", ["a > 2147483647"], [(2147483648,), (2147483649,), (2147483650,)]),
    ("a decimal(5,2)", ["a > 0 AND a <= 0.5"], [(D("0.50"),), (D("0.01"),), (D("0.02"),)]),
    ("a decimal(5,2)", ["a > 1.995"], [(D("2.00"),), (D("3.00"),), (D("4.00"),)]),
    ("a double", ["a > 0"], [(1.5,), (2.5,), (3.5,)]),
    ("a decimal(5,2)", ["a > 0"], [(D("1.00"),), (D("2.00"),), (D("3.00"),)]),
    ("a date", ["a > '2000-01-01'"], [(date(2024, 1, day),) for day in (1, 2, 3)]),
    ("a timestamp_ntz", ["a > '2000-01-01'"], [(datetime(2024, 1, 1, hour),) for hour in (0, 1, 2)]),  # noqa: DTZ001
    ("a double", ["a > 0.25 AND a < 0.5"], [(0.2509765625,), (0.251953125,), (0.2529296875,)]),
    ("a int", ["a IN (1, 3, 5)", "a > 1"], [(3,), (5,), (3,)]),
    ("a int; b decimal(5,2)", ["b IN (2, 2.5, 7)", "a = b"], [(2, D("2.00")), (7, D("7.00")), (2, D("2.00"))]),
    ("a int; b decimal(5,2)", ["a IN (2, 3)", "a = b"], [(2, D("2.00")), (3, D("3.00")), (2, D("2.00"))]),
    ("a string; b string", ["a IN ('x', 'y')", "b IN ('y', 'x')", "a = b"], [("x", "x"), ("y", "y"), ("x", "x")]),
    ("a date", ["a IN ('2024-05-05', '2024-05-06')", "a > '2024-05-05'"], [(date(2024, 5, 6),)] * 3),
    ("a string", ["a LIKE 'x%y'", "length(a) = 2"], [("xy",)] * 3),
    ("a varchar(1)", ["a LIKE '%'"], [("1",), ("2",), ("3",)]),
    ("a varchar(2)", ["a LIKE '%y'"], [("1y",), ("2y",), ("3y",)]),
    ("a timestamp_ntz", ["a >= '2024-02-02 10:00:00'"], [(datetime(2024, 2, day, 10),) for day in (2, 3, 4)]),  # noqa: DTZ001
    (
        "a timestamp",
        ["a BETWEEN '2024-02-02' AND '2024-02-03'"],
        [(datetime(2024, 2, day, hour, tzinfo=UTC),) for day, hour in ((2, 0), (3, 0), (2, 1))],
    ),
    (
        "a date; b timestamp",
        ["b > a"],
        [(date(2024, 1, day), datetime(2024, 2, 2, tzinfo=UTC)) for day in (1, 2, 3)],
    ),
    ("a boolean; b boolean; c boolean", ["a", "NOT b", "c = false"], [(True, False, False)] * 3),
    ("a date", ["a >= DATE '2025-05-05'"], [(date(2025, 5, 5),), (date(2025, 5, 6),), (date(2025, 5, 7),)]),
    ("a timestamp", ["a < '2000-01-01'"], [(datetime(1999, 12, day, tzinfo=UTC),) for day in (30, 29, 28)]),
    ("a date; b date", ["b > a"], [(date(2024, 1, d), date(2024, 1, d + 1)) for d in (1, 2, 3)]),
    ("a int; b decimal(5,2); c int", ["a < b AND b < c"], [(1, D("2.00"), 3), (2, D("3.00"), 4), (3, D("4.00"), 5)]),
    ("c int; a int", ["c > a", "c <= 2"], [(1, 0), (2, 1), (0, -1)]),
    ("a int; b int", ["a <> b"], [(1, 2), (2, 3), (3, 4)]),
    ("a int; b decimal(5,2)", ["a = b"], [(1, D("1.00")), (2, D("2.00")), (3, D("3.00"))]),
    ("a string; b string; c string", ["a = b", "a <> c"], [(f"a_{n}", f"a_{n}", f"c_{n}") for n in (1, 2, 3)]),
    ("a string", ["a LIKE 'ORD-%'"], [("ORD-1",), ("ORD-2",), ("ORD-3",)]),
    ("a varchar(6)", ["a LIKE '%@_%'"], [("a_1@xx",), ("a_2@xx",), ("a_3@xx",)]),
    ("a varchar(3)", ["a LIKE '%@_'"], [("1@x",), ("2@x",), ("3@x",)]),
    ("a string", ["a LIKE 'A_'", "a <> 'Ab'"], [("Ax",), ("A`",), ("Aa",)]),
    ("a string", ["a NOT LIKE 'a%' OR a LIKE 'ab%'"], [("ab1",), ("ab2",), ("ab3",)]),
    ("a string", ["length(a) = 6"], [("a_0001",), ("a_0002",), ("a_0003",)]),
    ("a string", ["length(a) BETWEEN 1 AND 2"], [("1",), ("2",), ("3",)]),
    ("a string", ["length(a) IN (2, 4)"], [("a_10",), ("a_11",), ("a_12",)]),
    ("a string", ["length(a) NOT IN (3, 9)"], [("a_10",), ("a_11",), ("a_12",)]),
    ("a string", ["a IN ('a', 'bb', 'cc')", "length(a) = 2", "a NOT LIKE 'b%'"], [("cc",), ("cc",), ("cc",)]),
    ("a string", ["a = ''"], [("",), ("",), ("",)]),
    ("a string", ["a > 'A'"], [("a_1",), ("a_2",), ("a_3",)]),
    ("a string", ["a > 'x'"], [("x1",), ("x2",), ("x3",)]),
    ("a string", ["a <= 'A'"], [("A",), ("@1",), ("@2",)]),
    ("a string", ["a <= ''"], [("",), ("",), ("",)]),
    ("a string", ["a BETWEEN 'b' AND 'd'"], [("b",), ("d",), ("b1",)]),
    ("a string", ["a BETWEEN 'x' AND 'x'"], [("x",), ("x",), ("x",)]),
    ("a string", ["NOT a BETWEEN 'a' AND 'b'"], [("b1",), ("b2",), ("b3",)]),
    ("a string", ["a LIKE 'x%'", "a >= 'xb'"], [("xb",), ("xb1",), ("xb2",)]),
    ("a string", ["a > 'é'"], [("é1",), ("é2",), ("é3",)]),
    ("a varchar(2)", ["a > 'ab'"], [("b1",), ("b2",), ("b3",)]),
    ("a varchar(2)", ["a > 'ab' AND a < 'b'"], [("ac",), ("ad",), ("ae",)]),
    ("a varchar(2)", ["a > '~a'"], [("~b",), ("~c",), ("~d",)]),
    ("a string; b string", ["a > b", "a < 'b'"], [("a_1", "a_01"), ("a_2", "a_11"), ("a_3", "a_21")]),
    (
        "a string; b string; c string",
        ["a > b", "b > c", "a < 'b'"],
        [("a_1", "a_01", "a_001"), ("a_2", "a_11", "a_101"), ("a_3", "a_21", "a_201")],
    ),
    ("a string; b string", ["b >= 'k'", "a >= b", "a <= 'l'"], [("l", "k"), ("l", "k1"), ("l", "k2")]),
    ("a string; b string", ["a <> b", "a IN ('x', 'y')"], [("x", "b_1"), ("y", "b_2"), ("x", "b_3")]),
    ("a string; b string", ["a >= b", "a IN ('k', 'm')"], [("k", "b_1"), ("m", "b_2"), ("k", "b_3")]),
    ("a string; b string", ["a <= b", "a IN ('x', 'y')"], [("x", "x"), ("y", "y"), ("x", "x")]),
    ("a string; b string", ["a = b", "a >= b", "a IN ('x', 'y')"], [("x", "x"), ("y", "y"), ("x", "x")]),
    ("a varchar(2); b varchar(2)", ["b <= a", "length(a) = 1", "a = b"], [("1", "1"), ("2", "2"), ("3", "3")]),
    ("a string; b string", ["a > b"], [("a_1", "a_01"), ("a_2", "a_11"), ("a_3", "a_21")]),
    ("a char(3)", ["a IN ('EUR', 'USD')"], [("EUR",), ("USD",), ("EUR",)]),
    ("a int", ["a IS NULL"], [(None,), (None,), (None,)]),
    ("a int", ["a IS NULL OR a > 9"], [(10,), (11,), (12,)]),
    ("a string; b int", ["a = 'x' OR b > 9"], [("a_1", 10), ("a_2", 10), ("a_3", 10)]),
    ("a string; b int", ["a IN ('x', 'y')", "a <> 'x' OR b IS NOT NULL"], [("x", 1), ("y", 2), ("x", 3)]),
    ("a int", ["coalesce(a, 0) < 3"], [(1,), (2,), (0,)]),
    (
        "a struct<b: int, c: struct<d: string>>",
        ["a.b > 9", "a.c.d IN ('x')"],
        [({"b": n, "c": {"d": "x"}},) for n in (10, 11, 12)],
    ),
    (
        "a struct<b: int, c: struct<d: string>>",
        ["a.b > 9", "a.c IS NULL"],
        [({"b": n, "c": None},) for n in (10, 11, 12)],
    ),
    ("a int; b int", ["a NOT IN (1, 2) OR b > 0"], [(1, 1), (2, 2), (3, 3)]),
    ("a char(3); b varchar(1)", ["a > b"], [("a_1", "1"), ("a_2", "2"), ("a_3", "3")]),
    ("a varchar(1); b char(3)", ["a < b"], [("1", "b_1"), ("2", "b_2"), ("3", "b_3")]),
    ("a varchar(1); b char(3)", ["a <= b"], [("1", "b_1"), ("2", "b_2"), ("3", "b_3")]),
    ("a varchar(1); b char(3)", ["b >= a"], [("1", "b_1"), ("2", "b_2"), ("3", "b_3")]),
    ("a int; b int", ["a + b < 100"], [(1, 1), (2, 2), (3, 3)]),
    ("a int", ["1 < 2 AND TRUE"], [(1,), (2,), (3,)]),
    ("a int; b int", ["a + b > 100"], [(1, 100), (2, 100), (3, 100)]),
    ("a int; b int; c int", ["a * b = c", "c > 50"], [(1, 51, 51), (2, 26, 52), (53, 1, 53)]),
    ("a int", ["a % 7 = 3"], [(3,), (10,), (17,)]),
    ("a int; b int", ["CASE WHEN a > 5 THEN b = a ELSE b < a - 10 END"], [(1, -10), (2, -10), (3, -10)]),
    ("a int", ["CASE WHEN a > 5 THEN a < 8 ELSE a = -3 END"], [(6,), (7,), (-3,)]),
    ("a string", ["a LIKE 'x%' AND a LIKE '%-y'"], [("x%%-y",)] * 3),
    ("a string", ["a RLIKE '^[A-Z]{2}[0-9]{4}$'"], [("AA0001",), ("AA0002",), ("AA0003",)]),
    ("a string", ["a RLIKE '^(de|fr)-[^a-z]+$'"], [("de-B",), ("de-C",), ("de-D",)]),
    ("a string", ["upper(a) = a", "substring(a, 1, 2) = 'DE'"], [("DE",), ("DE1",), ("DE2",)]),
    (
        "a date",
        ["year(a) = 2026 AND month(a) IN (3, 4)", "day(a) > 20"],
        [(date(2026, 3, 21),), (date(2026, 4, 21),), (date(2026, 3, 21),)],
    ),
    (
        "a timestamp",
        ["year(a) = 2026"],
        [(datetime(2026, month, day, tzinfo=UTC),) for month, day in ((2, 2), (2, 1), (1, 2))],
    ),
    ("a array<int>", ["size(a) > 3"], [([1, 2, 3, 4],)] * 3),
    (
        "a struct<b: int, c: int>; d int",
        ["a.b + a.c = d", "d > 40"],
        [({"b": 1, "c": 40}, 41), ({"b": 2, "c": 40}, 42), ({"b": 3, "c": 40}, 43)],
    ),
]


def test_checks_hold():
    made = [(columns, checks, rows_of(table(columns, checks))) for columns, checks, _ in SOLVED]

    assert [(columns, checks, tuples(rows)) for columns, checks, rows in made] == SOLVED
    for columns, checks, rows in made:
        require_taken(table(columns, checks), rows)


IN_ALL, IN_UTC = ("UTC", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Pago_Pago"), ("UTC",)

ZONES = [
    ("a timestamp", "a < '2000-01-01'", IN_ALL),
    ("a timestamp", "a <> '2023-12-31 19:00:00'", IN_ALL),
    ("a timestamp", "a <> '2024-01-01 05:45:00'", IN_ALL),
    ("a timestamp", "a NOT IN ('2024-01-01 14:00:00', '2023-12-31 13:00:00')", IN_ALL),
    ("a timestamp", "a NOT BETWEEN '2024-01-01 03:00:00' AND '2024-01-01 09:00:00'", IN_ALL),
    ("a timestamp", "a < '2024-01-01 05:00:00' OR a > '2024-01-01 07:00:00'", IN_ALL),
    ("a timestamp", "NOT (a > '2023-12-31 18:00:00' AND a < '2023-12-31 20:00:00')", IN_ALL),
    ("a timestamp", "year(a) <> 2023", IN_ALL),
    ("a timestamp; b timestamp_ntz", "a <> b", IN_ALL),
    ("a struct<t: timestamp>; b timestamp_ntz", "a.t >= b", IN_ALL),
    ("a timestamp; b date", "to_date(a) > b", IN_ALL),
    ("a timestamp; b timestamp", "a = b", IN_ALL),
    ("a timestamp", "a = '1999-05-12 09:00:00'", IN_UTC),
    ("a timestamp", "a IN ('1999-05-12 09:00:00', '2024-01-01')", IN_UTC),
    ("a timestamp", "year(a) = 2024 AND month(a) = 1 AND a <= '2024-01-01'", IN_UTC),
    ("a timestamp; b timestamp_ntz", "a = b", IN_UTC),
    ("a timestamp; b date", "b = a", IN_UTC),
    ("a struct<t: timestamp>; b timestamp_ntz", "a.t = b", IN_UTC),
]


def seen_in(value, zone):
    """Return a value as a session in a time zone computes with it, written in UTC."""
    if isinstance(value, dict):
        return {name: seen_in(part, zone) for name, part in value.items()}
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    return value.astimezone(ZoneInfo(zone)).replace(tzinfo=UTC)


def zones_of(rows, check):
    """Return the time zones in which rows meet a check."""
    seen = {zone: [{name: seen_in(value, zone) for name, value in row.items()} for row in rows] for zone in IN_ALL}
    return tuple(zone for zone in IN_ALL if not failing_rows(check, seen[zone], ["a", "b"]))


def test_instants_meet_a_check_in_every_time_zone_or_in_utc():
    assert [
        (columns, check, zones_of(rows_of(table(columns, [check]), 4), check)) for columns, check, _ in ZONES
    ] == ZONES


def test_numbers_that_overflow_a_narrow_type_are_no_solution():
    assert rows_of(table("a tinyint; b tinyint", ["a + b > 5"]), 1) == [{"a": 1, "b": 5}]
    assert refusal(table("a tinyint; b tinyint", ["a * b > 130"])).endswith("is not solved; give a value for a or b")


UNSOLVED = [
    ("a int; b int", ["b > 0", "a > 5 AND a < 3"], "a"),
    ("a int not null", ["a IS NULL"], "a"),
    ("a string", ["a > 'y' AND a < 'x'"], "a"),
    ("a string", ["a < ''"], "a"),
    ("a string", ["a IN ('x', 1)"], "a"),
    ("a binary; b binary", ["a = b"], "a or b"),
    ("a int; b string", ["a > b"], "a or b"),
    ("a string", ["a IN ('x', 'y')", "a > 1"], "a"),
    ("a int", ["a = 'x'"], "a"),
    ("a int", ["a LIKE '1%'"], "a"),
    ("a int", ["length(a) > 1"], "a"),
    ("a array<int>", ["a = 1"], "a"),
    ("a varchar(3)", ["length(a) > 3"], "a"),
    ("a int; b int", ["a < b AND b < a"], "a or b"),
    ("a int; b int", ["a = b AND a <> b"], "a or b"),
    ("a struct<b: int>", ["a IS NULL AND a.b > 1"], "a"),
]
"""Columns, checks of which the last is not solved, and the columns of which a value may be given."""


def test_a_check_that_is_not_solved_is_an_error():
    assert [refusal(table(columns, checks)) for columns, checks, _ in UNSOLVED] == [
        f"dev.silver.orders: check c{len(checks)} ({checks[-1]}) is not solved; give a value for {columns}"
        for _, checks, columns in UNSOLVED
    ]
    assert refusal(table("a int", ["FALSE"])) == (
        "dev.silver.orders: check c1 (FALSE) is not solved; no row meets it, so change the check"
    )
    assert refusal(table("email string; b int", ["email RLIKE '(?i)^x'"])) == (
        "dev.silver.orders: check c1 (email RLIKE '(?i)^x') is not solved: it cannot be evaluated without Spark;"
        " give a value for email"
    )


def test_every_check_that_is_not_solved_is_named():
    lines = refusal(table("a int; b int", ["a > 5", "b > 0", "a < 3"])).splitlines()

    assert lines == [
        "dev.silver.orders: check c1 (a > 5) is not solved; give a value for a",
        "dev.silver.orders: check c3 (a < 3) is not solved; give a value for a",
    ]


def test_given_values_are_kept():
    model = table("id bigint; amount int; tags array<string>", ["amount >= 0"])

    assert rows_of(model, 2, ID=lambda position: 10 * position, amount=-1, tags=["x"]) == [
        {"id": 0, "amount": -1, "tags": ["x"]},
        {"id": 10, "amount": -1, "tags": ["x"]},
    ]


GIVEN = [
    ("a int; b int", ["a + b > 100"], {"a": 100}, [(100, 1), (100, 2)]),
    ("a int; b int", ["b <= a"], {"a": -1}, [(-1, -1), (-1, -1)]),
    ("a int; b int", ["a = 1 OR b > 5"], {"a": 2}, [(2, 6), (2, 6)]),
    ("a int; b int", ["a > 5 OR a < 3", "b < a"], {"a": 4}, [(4, 1), (4, 2)]),
    ("n int", [], {"N": 4}, [(4,), (4,)]),
]


def test_checks_are_solved_for_the_other_columns():
    made = [rows_of(table(columns, checks), 2, **given) for columns, checks, given, _ in GIVEN]

    assert [tuples(rows) for rows in made] == [expected for *_, expected in GIVEN]


def test_a_check_that_given_values_break_names_both_columns():
    message = refusal(table("a int; b int", ["b <= a AND b >= 0 AND a < b + 9"]), a=-1)

    assert message == (
        "dev.silver.orders: check c1 (b <= a AND b >= 0 AND a < b + 9) is not solved; give a value for b, or a different value for a"
    )


def test_unknown_columns_are_errors_with_the_nearest_name():
    assert refusal(table("amount int; b int"), amuont=1, z=2).splitlines() == [
        "dev.silver.orders: there is no column amuont; did you mean amount?",
        "dev.silver.orders: there is no column z; columns are amount, b",
    ]


def test_columns_that_the_table_fills_are_left_out():
    more = [
        Column("id", "bigint", identity=True),
        Column("d", "int", default=5),
        Column("g", "int", generated_as="d + 1"),
        Column("now", "timestamp", default="current_timestamp()"),
    ]

    assert rows_of(table("x int", ["d > x", "id < 9", "g < 7"], more=more), 2) == [{"x": 1}, {"x": 2}]


def test_a_default_that_a_key_or_a_check_refuses_is_replaced():
    random = "abs(-1) + length('x') * cast(unix_timestamp() as int) * 0"
    cases = [
        ("0", ["d > 0"], {}, [1, 2]),
        ("0", [], {"unique": [Unique(["d"])]}, [1, 2]),
        (random, ["d > 5"], {}, [6, 7]),
    ]
    for default, checks, options, expected in cases:
        model = table("x int", checks, more=[Column("d", "int", default=default)], **options)

        assert values(rows_of(model, 2), "d") == expected


def test_a_check_of_a_generated_column_is_verified():
    model = table("a int", ["g > 100"], more=[Column("g", "int", generated_as="a + 1")])

    assert rows_of(model, 2) == [{"a": 100}, {"a": 101}]
    never = table("a int", ["g > 100 AND g < a"], more=[Column("g", "int", generated_as="a + 1")])
    assert refusal(never) == "dev.silver.orders: check c1 (g > 100 AND g < a) is not solved; give a value for a"
    assert rows_of(model, 1, a=100) == [{"a": 100}]
    assert rows_of(model, 1, a=100, g=101) == [{"a": 100, "g": 101}]


def test_a_key_of_a_generated_column_is_verified():
    model = table("a int", more=[Column("g", "int", generated_as="a % 2")], unique=[Unique(["g"])])

    assert rows_of(model, 2) == [{"a": 1}, {"a": 2}]
    assert refusal(model, 4) == (
        "dev.silver.orders: no further row is found that satisfies unique constraint (g); ask for fewer rows, or give a"
    )
    assert len(rows_of(model, 3, a=1)) == 3
    unknown = table("a int", more=[Column("g", "int", generated_as="hash(a)")], unique=[Unique(["g"])])
    assert rows_of(unknown, 2) == [{"a": 1}, {"a": 2}]


def test_a_generated_column_whose_value_is_given_is_not_evaluated():
    model = table("a int", ["g > a"], more=[Column("g", "int", generated_as="hash(a)")])

    assert refusal(model).endswith("it cannot be evaluated without Spark; give a value for a")
    assert rows_of(model, 1, a=5) == [{"a": 5}]
    assert rows_of(model, 1, g=3) == [{"a": 1, "g": 3}]


def customers():
    return Table("dev", "silver", "customers", [Column("id", "bigint", is_nullable=False)], primary_key=["id"])


TO_CUSTOMER = ForeignKey(["c"], customers())
PARENTS = {customers(): [{"id": 7}, {"ID": 9}, {"id": 9}]}


def test_foreign_keys_take_rows_of_parents():
    cases = [
        ("id int; c bigint", {}, [(1, 7), (2, 9)]),
        ("c bigint not null", {"primary_key": ["c"]}, [(7,), (9,)]),
        ("c bigint not null; line int not null", {"primary_key": ["c", "line"]}, [(7, 1), (9, 2)]),
        ("c bigint not null; f boolean not null", {"primary_key": ["c", "f"]}, [(7, True), (7, False)]),
        ("c bigint; big bigint", {"checks": ["c < big"]}, [(7, 8), (9, 10)]),
        ("c bigint", {"checks": ["c > 8"]}, [(9,), (9,)]),
    ]
    for columns, options, expected in cases:
        rows = rows_of(table(columns, foreign_keys=[TO_CUSTOMER], **options), 2, parents=PARENTS)

        assert tuples(rows) == expected


def test_a_key_of_a_foreign_key_has_as_many_values_as_the_parents():
    for columns, key, most in (
        ("c bigint not null", ["c"], 2),
        ("c bigint not null; f boolean not null", ["c", "f"], 4),
    ):
        model = table(columns, foreign_keys=[TO_CUSTOMER], primary_key=key)
        names = ", ".join(key)

        require_taken(model, rows_of(model, most, parents=PARENTS))
        assert refusal(model, most + 1, parents=PARENTS) == (
            f"dev.silver.orders: primary key ({names}) has at most {most} values, but {most + 1} rows were requested;"
            f" ask for fewer rows, or give {names}"
        )


def test_parents_may_be_named_and_have_rows_of_spark():
    model = table("a int; b int", foreign_keys=[ForeignKey(["b", "a"], "dev.silver.other", ["x", "y"])])

    frame_rows: list[Any] = [Row(x=1, y=2), Row(x=None, y=3)]

    assert rows_of(model, 2, parents={"Dev.silver.other": frame_rows}) == [{"a": 2, "b": 1}] * 2


def test_given_columns_of_a_foreign_key_choose_the_rows_of_the_parent():
    model = table("a int; b int", foreign_keys=[ForeignKey(["a", "b"], "dev.silver.other", ["x", "y"])])
    parents: Any = {"dev.silver.other": [{"x": 7, "y": 70}, {"x": 8, "y": 80}, {"x": 8, "y": 81}]}

    made = rows_of(model, [{"a": 8}, {"a": 8}, {"b": 70}, {"a": None}, {"a": 9}], parents=parents)

    assert tuples(made) == [(8, 80), (8, 81), (7, 70), (None, 4), (9, 5)]


def test_a_foreign_key_does_not_take_the_default_of_its_column():
    model = table("x int", more=[Column("c", "bigint", default=0)], foreign_keys=[TO_CUSTOMER])

    assert rows_of(model, 2) == [{"x": 1}, {"x": 2}]
    assert rows_of(model, 2, parents=PARENTS) == [{"x": 1, "c": 7}, {"x": 2, "c": 9}]


def test_a_foreign_key_whose_values_are_given_needs_no_rows_of_the_parent():
    model = table("c bigint not null", foreign_keys=[TO_CUSTOMER])

    assert rows_of(model, 1, c=5, parents={customers(): []}) == [{"c": 5}]


def test_foreign_keys_without_parents_have_plain_values_or_null():
    model = table("c bigint", foreign_keys=[TO_CUSTOMER])

    assert rows_of(model, 2) == [{"c": 1}, {"c": 2}]
    assert rows_of(model, 2, parents={customers(): []}) == [{"c": None}, {"c": None}]


def test_parents_that_cannot_be_used_are_errors():
    parent = "dev.silver.customers"
    bad = [
        ({customers(): []}, f"there are no rows of {parent}, and foreign key (c) is NOT NULL; give rows of the parent"),
        (
            {customers(): [{"x": 1}]},
            f"the rows of {parent} have no id, which foreign key (c) references; give rows that have it",
        ),
        ({customers(): [3]}, f"a row of {parent} is 3; give dicts of values by column"),
        ({customers(): 3}, f"parents has 3 for {parent}; give its rows, such as rows_of(parent, 3)"),
        ({3: []}, "parents has the key 3; give the Table of the parent, or its dotted name"),
        ([customers()], "parents is [Table("),
    ]
    model = table("c bigint not null", foreign_keys=[TO_CUSTOMER])

    for parents, message in bad:
        assert refusal(model, parents=parents).startswith(f"dev.silver.orders: {message}")


def test_a_parent_whose_key_is_not_known_is_an_error():
    model = table("c bigint", foreign_keys=[ForeignKey(["c"], "dev.silver.customers")])

    assert refusal(model, parents={"dev.silver.customers": []}) == (
        "dev.silver.orders: foreign key (c) does not name the columns of dev.silver.customers; add parent_columns=..."
    )


def test_a_foreign_key_to_the_table_itself_points_at_rows_of_the_call():
    key = ForeignKey(["boss"], "dev.silver.orders", ["id"])
    cases = [
        ("id int not null; boss int", [], [(1, None), (2, 1), (3, 1), (4, 2)]),
        ("id int not null; boss int not null", [], [(1, 1), (2, 1), (3, 1), (4, 2)]),
        ("id int not null; boss int", ["boss <> id OR boss IS NULL"], [(1, None), (2, 1), (3, 1), (4, 2)]),
        ("id int not null; boss int", ["boss = id"], [(1, 1), (2, 2), (3, 3), (4, 4)]),
    ]
    for columns, checks, expected in cases:
        assert tuples(rows_of(table(columns, checks, foreign_keys=[key], primary_key=["id"]), 4)) == expected


def test_a_foreign_key_that_shares_columns_with_the_key_points_at_rows_that_fit():
    model = table(
        "t string not null; id int not null; boss int",
        primary_key=["t", "id"],
        foreign_keys=[ForeignKey(["t", "boss"], "dev.silver.orders")],
    )

    assert values(rows_of(model, 3), "boss") == [None, None, None]
    assert values(rows_of(model, 3, t="x"), "boss") == [None, 1, 1]


def test_two_foreign_keys_with_a_common_column_take_rows_that_fit():
    keys = [ForeignKey(["t", name], f"dev.silver.{name}", ["t", "id"]) for name in ("a", "b")]
    parents: Any = {
        "dev.silver.a": [{"t": 1, "id": 10}],
        "dev.silver.b": [{"t": 2, "id": 20}, {"t": 1, "id": 21}],
    }

    assert (
        rows_of(table("t int; a int; b int", foreign_keys=keys), 2, parents=parents) == [{"t": 1, "a": 10, "b": 21}] * 2
    )


def test_foreign_keys_whose_parents_do_not_agree_are_named():
    keys = [ForeignKey(["T", name], f"dev.silver.{name}", ["t", "id"]) for name in ("a", "b")]
    parents: Any = {"dev.silver.a": [{"t": 1, "id": 10}], "dev.silver.b": [{"t": 2, "id": 20}]}
    model = table("T int not null; a int; b int", primary_key=["T"], foreign_keys=keys)

    assert refusal(model, 1, parents=parents) == (
        "dev.silver.orders: no further row is found that satisfies primary key (T) and foreign key (T, a)"
        " and foreign key (T, b) together; ask for fewer rows, or give T, a, b, or other rows of the parents"
    )


def test_circular_foreign_keys_are_null():
    id_ = Column("id", "int", is_nullable=False)
    first = table("id int not null; next int", primary_key=["id"])
    second = Table("dev", "silver", "b", [id_, Column("x", "int")], foreign_keys=[ForeignKey(["x"], first)])
    key = ForeignKey(["id"], second, ["id"])
    third = Table("dev", "silver", "c", [id_], foreign_keys=[key], primary_key=["id"])
    first = replace(first, foreign_keys=[ForeignKey(["next"], third)])

    assert rows_of(first, 1) == [{"id": 1, "next": None}]


def test_given_rows_are_completed():
    model = table("id bigint not null; amount decimal(9,2)", ["amount >= 0"], primary_key=["id"])

    assert rows_of(model, [{"amount": -1}, {"id": 2}, {}, {"ID": 7, "amount": None}]) == [
        {"id": 1, "amount": -1},
        {"id": 2, "amount": D("2.00")},
        {"id": 3, "amount": D("3.00")},
        {"id": 7, "amount": None},
    ]


def test_rows_take_what_they_do_not_give_from_the_columns():
    model = table("id bigint not null; amount int; day date", primary_key=["id"])

    assert rows_of(
        model,
        [{"amount": 7}, {"day": None}],
        amount=-1,
        day=lambda position: date(2026, 1, position + 1),
    ) == [
        {"id": 1, "amount": 7, "day": date(2026, 1, 1)},
        {"id": 2, "amount": -1, "day": None},
    ]


def test_rows_that_cannot_be_completed_are_errors():
    assert refusal(table("id int"), [{"id": 1}, 3]) == "dev.silver.orders: row 2 is 3; give a dict of values by column"
    assert refusal(table("id int"), [{"idd": 1}]) == "dev.silver.orders: there is no column idd; did you mean id?"


def test_a_type_without_values_may_not_be_not_null():
    assert refusal(table("a struct<b: void not null>; c void")) == (
        "dev.silver.orders: column a.b is of type void and NOT NULL, so there are no rows; let it be NULL"
    )


def test_arguments_are_checked():
    assert rows_of(table("a int"), 0) == []
    assert refusal(table("a int"), -1) == "dev.silver.orders: the number of rows is -1; give an int of at least 0"
    assert refusal(table("a int"), True) == "dev.silver.orders: the number of rows is True; give an int of at least 0"
    assert refusal("x") == "rows_of takes a Table, and was given 'x'; give the Table that declares the rows"
    with pytest.raises(InvalidModelError, match="not a column"):
        rows_of(table("a int", ["b > 1"]))


def declared(model):
    """Return whether a model breaks no rule."""
    try:
        rows_of(model, 0)
    except InvalidModelError:
        return False
    return True


@pytest.mark.parametrize("seed", [0, 1])
def test_memory_takes_the_rows_of_all_scenarios(seed):
    of_scenarios = [
        model
        for scenario in SCENARIOS
        for model in (scenario.before, scenario.after, *(model for model, _ in scenario.other_tables))
        if model is not None and declared(model)
    ]

    assert len(of_scenarios) > 300
    for model in of_scenarios:
        require_taken(model, rows_of(model, 3, seed=seed))


@given(st.lists(COMPARISONS, unique=True, max_size=5), st.sampled_from(["b", "a", "p"]), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_memory_takes_rows_of_random_checks(checks, key, seed):
    model = table(CHECKED_COLUMNS, checks, unique=[Unique([key])])

    try:
        rows = rows_of(model, 5, seed=seed)
    except DeclarationError as error:
        assert "p < 2.5" in checks or "is not solved" in str(error)  # noqa: PT017 - a combination without a solution
        return
    require_taken(model, rows)


@given(models(), st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_memory_takes_rows_of_random_models(model, seed):
    # A column of voids has one value, which leaves a key one row.
    if declared(model) and not any("void" in column.data_type.simpleString() for column in model.columns):
        require_taken(model, rows_of(model, 4, seed=seed))
