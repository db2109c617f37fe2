"""The rows of scripts: values that only one of two contracts allows, and rows that both sides share."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal

import pytest
from pyspark.sql.types import DecimalType, VarcharType

from pytest_delta_schema import Check, Column
from pytest_delta_schema.compatibility.changes import StatePair
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT
from pytest_delta_schema.witness.rows import StoredRows, breaking_row, rows_of_sides, unfit_row
from support.models import table


def state(*columns, **options):
    return desired_state(table(*columns, **options))


def unfit(of, to, path=("v",)):
    row = unfit_row(state(Column("v", of)), state(Column("v", to)), ColumnPath(*path), 0)
    return None if row is None else row["v"]


@pytest.mark.parametrize(
    ("of", "to", "value"),
    [
        (LONG, INT, 2**31),
        (DecimalType(20, 0), LONG, Decimal(2**63)),
        (DecimalType(10, 2), LONG, Decimal("0.01")),
        (DecimalType(10, 2), DecimalType(8, 2), Decimal(1_000_000)),
        ("double", DecimalType(10, 2), 1e8),
        ("double", "float", 1e39),
        (VarcharType(3), INT, "x"),
        ("float", "timestamp", 1e13),
        (TEXT, INT, "x"),
        ("timestamp_ntz", "date", datetime(2024, 1, 1, 12)),  # noqa: DTZ001 - a type without a time zone
        ("timestamp", "date", datetime(9990, 1, 1, tzinfo=timezone.utc)),
        (TEXT, VarcharType(3), "xxxx"),
    ],
    ids=str,
)
def test_a_value_that_another_type_cannot_hold(of, to, value):
    assert unfit(of, to) == value


SMALL = state(Column("v", LONG), checks=[Check("c", "v < 10")])


def test_a_row_of_both_has_the_same_values():
    old, new = state(Column("v", LONG), Column("w", TEXT)), state(Column("v", LONG), checks=[Check("c", "v > 100")])

    assert rows_of_sides(StatePair(old, new)) == StoredRows({"v": 101, "w": "w_1"}, {"v": 101})


@pytest.mark.parametrize(
    ("broken", "allowed_by", "kind", "name"),
    [
        (SMALL, state(Column("v", LONG), checks=[Check("d", "v < 5")]), "check", "c"),
        (SMALL, state(Column("v", LONG)), "check", "unknown"),
        (SMALL, state(Column("v", LONG), checks=[Check("d", "v < 0"), Check("e", "v > 0")]), "check", "c"),
    ],
    ids=["breaks both", "no such constraint", "a contract without rows"],
)
def test_no_row_breaks_only_one_contract(broken, allowed_by, kind, name):
    assert breaking_row(broken, kind, name, allowed_by) is None
