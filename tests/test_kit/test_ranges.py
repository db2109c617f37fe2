"""The first and last values of types."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from pytest_delta_schema.test_kit.generation.ranges import range_of


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
