"""The covering set has all that the scenarios have; the suite moves them to tables of a user."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest
from pyspark.sql.types import ArrayType, BooleanType, DateType, DecimalType, MapType, StructField, StructType

from pytest_delta_schema import MemoryCatalog, Orchestrator, QualifiedName, Settings, Table, UnityCatalog
from pytest_delta_schema.backends.spark_session.catalog import CLASSIC, REMOTE
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.testing import SCENARIOS
from pytest_delta_schema.testing.conformance import own_catalog
from pytest_delta_schema.testing.scenario import LONG, TEXT
from pytest_delta_schema.testing.scenario_runner import planned_statements
from support.covering import cover
from support.models import NAME, column


def statements_of(scenarios):
    return [statement for scenario in scenarios for statement in planned_statements(scenario)]


def refused(scenarios, capabilities):
    return {item.kind for item in statements_of(scenarios) if capabilities.refuses(item) is not None}


@pytest.mark.parametrize("capabilities", [CLASSIC, REMOTE, UnityCatalog.capabilities])
def test_a_small_part_of_the_scenarios_shows_all_that_they_show(capabilities):
    candidates = [scenario for scenario in SCENARIOS if not scenario.is_refused_by_rules and scenario.parquet is None]
    chosen = cover(candidates, capabilities)

    assert len(chosen) < len(candidates) / 3
    untested = {StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE, StatementKind.RESTORE_TABLE}
    assert set(StatementKind) - {statement.kind for statement in statements_of(chosen)} == untested
    assert refused(chosen, capabilities) == refused(candidates, capabilities)
    assert {code for scenario in chosen for code in scenario.refused_by} == {
        "DS301",
        "DS302",
        "DS303",
        "DS304",
        "DS306",
    }


MODEL = Table(
    *NAME,
    [
        column("id"),
        column("text", TEXT),
        column("day", DateType()),
        column("amount", DecimalType(4, 2)),
        column("on", BooleanType()),
        column("s", StructType([StructField("x", LONG), StructField("y", TEXT)])),
        column("l", ArrayType(LONG)),
        column("m", MapType(TEXT, LONG)),
    ],
)
ROW = {
    "id": 1,
    "text": "it's",
    "day": date(2026, 1, 2),
    "amount": Decimal("1.50"),
    "on": True,
    "s": {"x": 2, "y": None},
    "l": [1, 2],
    "m": {"a": 3},
}


class Connected:
    """A catalog that reads states, and whose connection runs SQL."""

    name = "connected"

    def __init__(self, answers=()):
        self.sent: list[str] = []
        self._memory = MemoryCatalog()
        Orchestrator.over(self._memory, settings=Settings()).sync_tables([MODEL])
        self._connection = SimpleNamespace(rows=lambda sql: self.sent.append(sql) or answers)

    def read_tables(self, names):
        return self._memory.read_tables(names)


def test_rows_are_inserted_as_literals_of_the_types_of_the_columns():
    catalog = Connected()

    own_catalog(catalog).insert(NAME, [ROW, {"id": None}])

    assert catalog.sent == [
        (
            "INSERT INTO `dev`.`silver`.`orders` (`id`, `text`, `day`, `amount`, `on`, `s`, `l`, `m`) VALUES ("
            "1L, 'it\\'s', DATE'2026-01-02', CAST(1.50 AS DECIMAL(4,2)), TRUE,"
            " named_struct('x', 2L, 'y', CAST(NULL AS STRING)), array(1L, 2L), map('a', 3L))"
        ),
        "INSERT INTO `dev`.`silver`.`orders` (`id`) VALUES (CAST(NULL AS BIGINT))",
    ]


def test_tables_are_dropped_one_by_one():
    catalog = Connected()

    own_catalog(catalog).drop_table(QualifiedName("dev", "silver", "delta_conformance_orders"))

    assert catalog.sent == ["DROP TABLE IF EXISTS `dev`.`silver`.`delta_conformance_orders`"]
