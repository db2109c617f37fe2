"""Conditions of checks: how they are taken apart, and which rows meet them, without Spark."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.state.expressions import ExpressionError, failing_rows
from pytest_delta_schema.state.expressions.conditions import (
    AllOf,
    AnyOf,
    Comparison,
    Constant,
    Field,
    InList,
    IsNull,
    Length,
    Like,
    Unparsed,
    Value,
    atoms_of,
    conjuncts,
    is_understood,
    negated,
    used_columns,
)
from pytest_delta_schema.state.expressions.evaluation import truth
from pytest_delta_schema.state.expressions.parsing import condition_of

A, B, S = Field(ColumnPath("a")), Field(ColumnPath("b")), ColumnPath("s")


def test_conditions_are_trees_of_comparisons():
    assert condition_of("a > 1 AND (b = a OR s LIKE 'x%')") == AllOf(
        (Comparison(A, ">", Value(1)), AnyOf((Comparison(B, "=", A), Like(S, "x%"))))
    )
    assert condition_of("3 < length(s)") == Comparison(Length(S), ">", Value(3))
    assert condition_of("s IN ('x', NULL)") == InList(Field(S), ("x", None))
    assert condition_of("a.b.c.d.e IS NULL") == IsNull(ColumnPath("a", "b", "c", "d", "e"))
    assert conjuncts(condition_of("a > 1 AND (b > 2 AND s = 'x')")) == tuple(
        map(condition_of, ["a > 1", "b > 2", "s = 'x'"])
    )
    assert used_columns(condition_of("a > B AND length(s) = 1 AND t.x IN (1) AND u LIKE 'x' OR v IS NULL OR TRUE")) == {
        *"abstuv"
    }


NOT_UNDERSTOOD = [
    "a + b > 1",
    "upper(s) = s",
    "s RLIKE '^x'",
    "s LIKE 'x\\\\_%'",
    "s LIKE 'a/_%' ESCAPE '/'",
    "s LIKE b",
    "upper(s) LIKE 'X%'",
    "a IN (b, 1)",
    "a + 1 IN (1)",
    "a <=> b",
    "a <=> NULL",
    "a + 1 IS NULL",
    "a IS b",
    "a IS DISTINCT FROM b",
    "a + 1 BETWEEN 1 AND 2",
    "length(a + 1) = 1",
    "coalesce(a, b, 1) > 0",
    "coalesce(a, b + 1) > 0",
    "m['x'] > 1",
    "m['x']",
    "f(a)",
    "isnull(a + 1)",
    "d > DATE 'tomorrow'",
    "d > CAST(a AS DATE)",
    "d > CAST('1' AS INT)",
    "a > -'x'",
    "m['x'].y > 1",
    "a.b.c.d.* > 1",
    "a.b.c.d.e.0 > 1",
    "a.b.c.d.e.f(1) IS NULL",
    "not parsable ((",
]


@pytest.mark.parametrize("text", NOT_UNDERSTOOD)
def test_other_expressions_are_opaque(text):
    assert not is_understood(condition_of(text))
    assert not is_understood(negated(condition_of(text)))
    assert used_columns(condition_of(text)) == set()
    with pytest.raises(ExpressionError, match="cannot be evaluated without Spark"):
        truth(condition_of(text), {})


def test_the_opposite_of_an_opaque_condition_is_opaque():
    assert negated(condition_of("a + b > 1")) == Unparsed("NOT (a + b > 1)")


UTC = timezone.utc
VALUES = {
    "a": 1,
    "b": 2,
    "n": None,
    "s": "abc",
    "t": {"X": 1, "y": {"z": None}},
    "f": 0.1,
    "nan": float("nan"),
    "m": Decimal("1.50"),
    "yes": True,
    "no": False,
    "d": date(2024, 1, 31),
    "ts": datetime(2024, 1, 31, 12, tzinfo=timezone(timedelta(hours=1))),
    "ntz": datetime(2024, 1, 31, 12),  # noqa: DTZ001 - of a timestamp_ntz
    "bin": b"ab",
}
TRUTHS = [
    ("a = 1", True),
    ("1 <> a", False),
    ("a != b", True),
    ("a < b", True),
    ("b <= a", False),
    ("a >= 1.0", True),
    ("m > 1", True),
    ("m < 1.5e0", False),
    ("a > -1", True),
    ("n > 0", None),
    ("n = NULL", None),
    ("a BETWEEN 1 AND 1", True),
    ("a NOT BETWEEN 0 AND 5", False),
    ("n BETWEEN 0 AND 5", None),
    ("a IN (3, 1)", True),
    ("a IN (3, NULL)", None),
    ("a NOT IN (3, NULL)", None),
    ("a NOT IN (3, 4)", True),
    ("n IN (1)", None),
    ("s LIKE 'a%'", True),
    ("s LIKE '_b_'", True),
    ("s LIKE 'b%'", False),
    ("s NOT LIKE 'b%'", True),
    ("n LIKE 'b%'", None),
    ("length(s) = 3", True),
    ("char_length(s) < 3", False),
    ("length(n) < 3", None),
    ("length(bin) = 2", True),
    ("length(s) IN (1, 3)", True),
    ("n IS NULL", True),
    ("NOT a IS NULL", True),
    ("a IS NOT NULL", True),
    ("isnull(a)", False),
    ("isnotnull(a)", True),
    ("t.x = 1", True),
    ("t.y.z IS NULL", True),
    ("n.x IS NULL", True),
    ("t.absent IS NULL", True),
    ("yes", True),
    ("NOT yes", False),
    ("no = false", True),
    ("yes IS TRUE", True),
    ("n IS TRUE", False),
    ("NOT (n IS TRUE)", True),
    ("yes = no", False),
    ("n", None),
    ("a <=> 1", True),
    ("n <=> 1", False),
    ("coalesce(n, 0) < 1", True),
    ("0 < coalesce(a, 0)", True),
    ("coalesce(n, 0) > 1", False),
    ("f = 0.1", True),
    ("nan > 1", True),
    ("nan = nan", True),
    ("f < nan", True),
    ("d > '2024-01-01'", True),
    ("d = DATE '2024-01-31'", True),
    ("d < ts", True),
    ("ts = '2024-01-31T11:00:00Z'", True),
    ("ts > TIMESTAMP '2024-01-31 10:59:59.999'", True),
    ("ntz < CAST('2024-01-31 12:00:01' AS TIMESTAMP_NTZ)", True),
    ("a > 0 AND n > 0", None),
    ("a > 1 AND n > 0", False),
    ("a > 0 OR n > 0", True),
    ("a > 1 OR n > 0", None),
    ("NOT (a > 1 OR b > 2)", True),
    ("NOT (a > 0 AND b > 2)", True),
    ("true", True),
    ("NOT false", True),
    ("NULL", None),
    ("NOT NULL", None),
    ("bin = bin", True),
    ("b > 1L", True),
]


@pytest.mark.parametrize(("text", "expected"), TRUTHS, ids=[text for text, _ in TRUTHS])
def test_conditions_are_true_false_or_unknown_as_in_spark(text, expected):
    assert is_understood(condition_of(text)), condition_of(text)
    assert truth(condition_of(text), VALUES) is expected
    assert truth(negated(condition_of(text)), VALUES) is (None if expected is None else not expected)
    assert failing_rows(text, [VALUES], VALUES) == ([] if expected else [0])


@pytest.mark.parametrize(
    "text",
    [
        "s > 1",
        "yes > 1",
        "yes = 'true'",
        "a LIKE '1%'",
        "length(a) > 1",
        "d > 'x'",
        "d > 1",
        "d = '2024-02-30'",
        "d < '0001-01-01T00:00+01:00'",
    ],
)
def test_values_that_only_spark_can_compare_are_errors(text):
    with pytest.raises(ExpressionError):
        failing_rows(text, [VALUES], VALUES)


def test_the_parts_of_a_condition_are_found():
    assert [*atoms_of(condition_of("(a > 1 OR TRUE) AND b > 1"))] == [
        Comparison(A, ">", Value(1)),
        Constant(value=True),
        Comparison(B, ">", Value(1)),
    ]
