"""The way from each version to the next: reviewed as SQL, and gone with rows in the table."""

import datetime as dt
from decimal import Decimal

import pytest
from shop.history import CONSENTS, CUSTOMERS, VERSIONS

from pytest_delta_schema import MemoryCatalog, Orchestrator
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.models import Binding
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.report import plan_script
from pytest_delta_schema.rules import PlanValidator, default_plan_rules

NAMES = list(VERSIONS)
HERE = Binding()
ROWS = [
    {"id": 1, "cust": 7, "amount": Decimal("19.99"), "taken": dt.datetime(2026, 1, 31, 8, tzinfo=dt.timezone.utc)},
    {"id": 2, "cust": 8, "amount": Decimal("0.00"), "taken": None},
]


def line_over(catalog):
    planner = TablePlanner(enable=["columnMapping", "typeWidening"])
    validator = PlanValidator(plan_rules=default_plan_rules(CONSENTS))
    return Orchestrator(catalog, ActionRunner.over(catalog), planner=planner, validator=validator)


def bring(catalog, name, binding=HERE):
    """Make the table as a version has it, from the first one on, with rows in it."""
    line, customers = line_over(catalog), binding.table(CUSTOMERS)
    first, *others = [binding.table(VERSIONS[version]) for version in NAMES[: NAMES.index(name) + 1]]
    line.sync_tables([customers, first])
    catalog.insert(customers.name, [{"id": 7}, {"id": 8}])
    catalog.insert(first.name, ROWS)
    for version in others:
        line.sync_tables([version], other_models=[customers])
    return line


@pytest.mark.parametrize("number", range(1, len(NAMES)), ids=NAMES[1:])
def test_the_way_to_each_version_was_reviewed(number, delta_snapshot):
    line = bring(MemoryCatalog(), NAMES[number - 1])

    plan = line.plan_tables([VERSIONS[NAMES[number]]], other_models=[CUSTOMERS])

    assert plan_script(plan) == delta_snapshot


def test_the_first_version_was_reviewed(delta_snapshot):
    plan = line_over(MemoryCatalog()).plan_tables([VERSIONS[NAMES[0]]])

    assert plan_script(plan) == delta_snapshot


def test_rows_live_through_all_versions_on_delta(delta_catalog, delta_spark):
    elsewhere = Binding(((("dev", "shop"), ("history", "shop")),))
    delta_catalog.drop_schema("history", "shop")

    line = bring(delta_catalog, NAMES[-1], elsewhere)

    last = elsewhere.table(VERSIONS[NAMES[-1]])
    assert line.plan_tables([last], other_models=[elsewhere.table(CUSTOMERS)]).is_empty
    rows = delta_spark.table(last.qualified_name).orderBy("id").collect()
    assert [(row.id, row.customer_id, str(row.amount)) for row in rows] == [(1, 7, "19.99"), (2, 8, "0.00")]
