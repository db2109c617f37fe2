"""Deprecated columns and tables: what can be declared, what replaces them, and that no catalog is compared by it."""

from __future__ import annotations

from datetime import date, datetime, timezone

import pytest

from pytest_delta_schema import Column, Deprecated, MemoryCatalog, Orchestrator, Table
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state.desired import desired_state

JANUARY, JULY = date(2026, 1, 31), date(2026, 7, 31)
EUR = Column("amount_eur", "decimal(18,2)")
PRICE = Column("price", "struct<net: int, gross: int>")


def amount(**others):
    return Column("amount", "int", deprecated=Deprecated(JANUARY, **others))


def orders(*columns, **others):
    return Table("dev", "silver", "orders", columns or [EUR], **others)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: Deprecated("2026-01-31"),
            "since of Deprecated is '2026-01-31', which is not a datetime.date; write date(2026, 1, 31)",
        ),
        (
            lambda: Deprecated(datetime(2026, 1, 31, tzinfo=timezone.utc)),
            (
                "since of Deprecated is datetime.datetime(2026, 1, 31, 0, 0, tzinfo=datetime.timezone.utc), which is not a"
                " datetime.date; write date(2026, 1, 31)"
            ),
        ),
        (
            lambda: Deprecated(JANUARY, sunset="July"),
            "sunset of Deprecated is 'July', which is not a datetime.date; write date(2026, 1, 31)",
        ),
        (
            lambda: Deprecated(JANUARY, sunset=JANUARY),
            "sunset of Deprecated is 2026-01-31, which is not after since, 2026-01-31; write a later day",
        ),
        (
            lambda: Deprecated(JANUARY, use=None),
            "use of Deprecated must be a string, got None; write the name of what replaces it in quotes",
        ),
        (Deprecated, "Deprecated() lacks since; write Deprecated(since), such as Deprecated(date(2026, 1, 31))"),
        (
            lambda: Deprecated(JANUARY, replacement="amount_eur"),  # type: ignore[call-arg]
            "Deprecated has no argument replacement; write use instead of replacement",
        ),
        (
            lambda: Column("amount", "int", deprecated=True),
            "column amount: deprecated is True; write Deprecated(date(2026, 1, 31))",
        ),
        (
            lambda: orders(deprecated=JANUARY),
            "dev.silver.orders: deprecated is datetime.date(2026, 1, 31); write Deprecated(date(2026, 1, 31))",
        ),
    ],
)  # fmt: skip
def test_what_can_never_be_meant_is_refused(build, message):
    with pytest.raises(DeclarationError) as caught:
        build()

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(orders(amount(), EUR), [], id="nothing replaces it"),
        pytest.param(orders(amount(use="AMOUNT_EUR"), EUR), [], id="a column in another case"),
        pytest.param(orders(amount(use="price.net"), PRICE), [], id="a field"),
        pytest.param(orders(amount(use="a.b"), Column("a.b", "int")), [], id="a column with a dot in its name"),
        pytest.param(
            orders(amount(use="amount_eu"), EUR),
            [
                (
                    "columns.amount.deprecated: the deprecation of column amount names amount_eu as its replacement, which is"
                    " not a column; did you mean amount_eur?"
                ),
            ],
            id="no column",
        ),
        pytest.param(
            orders(amount(use="price.tax"), PRICE),
            [
                (
                    "columns.amount.deprecated: the deprecation of column amount names price.tax as its replacement, which is"
                    " not a column; did you mean price?"
                ),
            ],
            id="no field",
        ),
        pytest.param(
            orders(Column("price", PRICE.data_type, deprecated=Deprecated(JANUARY, use="Price.net")), EUR),
            [
                (
                    "columns.price.deprecated: the deprecation of column price names Price.net as its replacement, which is"
                    " dropped with it; name another column"
                ),
            ],
            id="a part of itself",
        ),
        pytest.param(orders(deprecated=Deprecated(JANUARY)), [], id="nothing replaces the table"),
        pytest.param(orders(deprecated=Deprecated(JANUARY, use="prod.gold.orders")), [], id="another table"),
        pytest.param(
            orders(deprecated=Deprecated(JANUARY, use="gold.orders")),
            [
                (
                    "deprecated: its deprecation names 'gold.orders' as its replacement, which is not the name of a table;"
                    " write catalog.schema.table"
                ),
            ],
            id="no name of a table",
        ),
        pytest.param(
            orders(deprecated=Deprecated(JANUARY, use="DEV.silver.orders")),
            ["deprecated: its deprecation names the table itself as its replacement; name another table"],
            id="the table itself",
        ),
    ],
)
def test_a_replacement_is_there(model, expected):
    violations = PlanValidator().model_violations([model])

    assert [f"{item.path}: {item.message}; {item.remedy}" for item in violations] == expected
    assert {item.code for item in violations} <= {"DS128"}


def test_the_desired_state_has_the_deprecations_of_the_table_and_of_its_columns():
    model = orders(EUR, amount(use="amount_eur"), deprecated=Deprecated(JANUARY, sunset=JULY))

    assert desired_state(model).deprecated == {
        TABLE: Deprecated(JANUARY, sunset=JULY),
        ColumnPath("amount"): Deprecated(JANUARY, use="amount_eur"),
    }
    assert desired_state(orders()).deprecated == {}


def test_a_deprecation_is_not_drift():
    model = orders(amount(), EUR, deprecated=Deprecated(JANUARY))
    plain = orders(Column("amount", "int"), EUR)
    engine = Orchestrator.over(MemoryCatalog())
    engine.sync_tables([plain])

    assert engine.plan_tables([model]).is_empty
    assert desired_state(model) == desired_state(plain)
