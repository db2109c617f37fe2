"""The first and last values of types."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

from pytest_delta_schema.test_kit.values import range_of


@pytest.mark.parametrize(
    ("data_type", "lowest", "highest"),
    [
        ("decimal(3,1)", Decimal("-99.9"), Decimal("99.9")),
        ("decimal(2,2)", Decimal("-0.99"), Decimal("0.99")),
        ("date", date(1900, 1, 1), date(9998, 12, 31)),
        ("tinyint", -128, 127),
        ("boolean", False, True),
    ],
)
def test_the_first_and_last_value(data_type, lowest, highest):
    values = range_of(data_type)

    assert values is not None
    assert (values.scale.value(values.low), values.scale.value(values.high)) == (lowest, highest)


@pytest.mark.parametrize("data_type", ["double", "decimal(3,2)", "date", "timestamp", "bigint", "boolean"])
def test_a_range_without_its_first_or_last_value_is_shorter(data_type):
    values = range_of(data_type)
    assert values is not None
    low, high, step = values.low, values.high, values.scale.step

    shorter = [values.without(low * step), values.without(high * step)]

    assert [(part.low, part.high, part.excluded) for part in shorter] == [
        (low + 1, high, frozenset()),
        (low, high - 1, frozenset()),
    ]


def test_a_range_without_a_value_in_the_middle():
    values = range_of("decimal(3,2)")
    assert values is not None

    without = values.without(Fraction(1))

    assert (without.cycle, without.size) == (values.cycle, values.size - 1)
    assert without.without(Fraction(100)).size == without.size
    assert (without.index(1), without.index(2)) == (None, 200)
