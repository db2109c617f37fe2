"""The values that are tried in rows: as a column of a type holds them, and near the literals of a condition."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo, available_timezones

from pytest_delta_schema.test_kit.contract import _OFFSETS
from pytest_delta_schema.test_kit.values import fitted, nearest
from support.case_tables import cases


def test_a_value_as_a_column_of_a_type_holds_it():
    def held(value, data_type):
        found = fitted(value, data_type)
        return type(found), found

    nothing = (type(None), None)
    with cases(held) as case:
        for data_type, largest in (
            ("tinyint", 127),
            ("smallint", 2**15 - 1),
            ("int", 2**31 - 1),
            ("bigint", 2**63 - 1),
        ):
            case(largest, data_type, (int, largest))
            case(largest + 1, data_type, nothing)
            case(-largest - 1, data_type, (int, -largest - 1))
            case(-largest - 2, data_type, nothing)
        case(1.5, "int", nothing)
        case(1.5, "double", (float, 1.5))
        case(0.1, "double", (float, 0.1))
        case(1.5, "float", (float, 1.5))
        case(0.1, "float", nothing)
        case(2.0**24 + 2, "float", nothing)
        case(2**53 + 1, "double", nothing)
        case(True, "int", nothing)
        case(True, "boolean", (bool, True))
        case(1, "boolean", nothing)
        case(99, "decimal(3,1)", (Decimal, Decimal("99.0")))
        case(100, "decimal(3,1)", nothing)
        case(Decimal("0.05"), "decimal(3,1)", nothing)
        case("2024-01-31", "date", (date, date(2024, 1, 31)))
        case("9998-12-31", "date", (date, date(9998, 12, 31)))
        case("9999-01-01", "date", nothing)
        case("1900-01-01", "date", (date, date(1900, 1, 1)))
        case("1899-12-31", "date", nothing)
        case("today", "date", nothing)
        case("abc", "varchar(3)", (str, "abc"))
        case("abcd", "varchar(3)", nothing)
        case("ab", "char(3)", nothing)
        case(5, "string", nothing)


def test_values_near_those_of_a_condition_come_first_in_each_series():
    def shown(value):
        return f"{value:%d/%H}" if isinstance(value, datetime) else str(value)

    with cases(lambda data_type, known: " ".join(map(shown, nearest(data_type, "s", [known])))) as case:
        case("int", 5, "5 6 4 3 0 1 -1 -2 10 0 25 5 1 1 5 5 0 5 -5 0 0 0 0 0 0 0")
        case(
            "date",
            "2024-01-31",
            "2024-01-31 2024-02-01 2024-01-30 2024-01-29 2024-01-01 2024-01-02 2023-12-31 2023-12-30"
            " 2024-01-31 2024-02-02 2024-02-01 2024-01-02 2024-01-01",
        )
        case(
            "timestamp",
            "2024-01-31 10:00:00",
            "31/10 01/10 30/10 29/10 01/00 02/00 31/00 30/00 31/10 31/11 31/09 31/08 01/00 01/01 31/23 31/22 31/10"
            " 02/00 01/00 02/00 01/00",
        )
        beside = "ab1 ab2 ac1 ac2 b1 b2 aa1 aa2 `1 `2 ac b aa `"
        case("varchar(3)", "ab", f"ab s_1 s_2 {beside} AB ab S_1 S_2  x 1 2")


def test_the_offsets_are_those_of_all_time_zones():
    days = [datetime(2026, month, 1, tzinfo=timezone.utc) for month in (1, 7)]
    offsets = {day.astimezone(ZoneInfo(zone)).utcoffset() for zone in available_timezones() for day in days}

    assert offsets - set(_OFFSETS) == set()
