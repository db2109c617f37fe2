"""Scenarios: plan and SQL of each are those that were reviewed, on the memory catalog and on one that adds properties."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.delta.properties import IMPOSED
from pytest_delta_schema.plan import TablePlan
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.testing import SCENARIOS
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.scenario import VARIANTS
from support.reviewed import TOPICS, ReviewedSuite, topic_text
from support.snapshots import TextSnapshot


@pytest.mark.skipif(not VARIANTS, reason="Spark 3.5 lacks the type of a scenario")
@pytest.mark.parametrize("topic", TOPICS)
def test_reviewed(topic, snapshot):
    assert topic_text(topic) == snapshot(extension_class=TextSnapshot)


def test_a_plan_that_was_not_reviewed_fails():
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == "additive/strict_contract")
    reasons = {
        "additive/strict_contract": "- Plan:, - - columns.extra: bigint -> (not in the model)",
        "additive/never_reviewed": "+ ==== additive/never_reviewed",
    }
    for name, reason in reasons.items():
        with pytest.raises(AssertionError, match="the plan and SQL, not as reviewed: ") as caught:
            ReviewedSuite().review(replace(scenario, name=name), TablePlan())

        assert reason in str(caught.value)


class TestMemory(ReviewedSuite):
    """The memory catalog, which also plays what rules refuse unseen."""

    data_access = MEMORY

    @pytest.fixture
    def catalog(self):
        return MemoryCatalog()


class Imposing(MemoryCatalog):
    """A catalog that gives its own properties to every new table, as Unity Catalog does to managed ones."""

    def run(self, statement):
        super().run(statement)
        if statement.kind is StatementKind.CREATE_TABLE:
            state = self._tables[statement.table]
            declared = {key.lower() for key in state.table_properties}
            imposed = {key: value for key, value in IMPOSED.items() if key.lower() not in declared}
            self._tables[statement.table] = replace(state, table_properties={**imposed, **state.table_properties})


class TestManaged(ReviewedSuite):
    """Properties that a catalog imposes are not compared."""

    data_access = MEMORY
    scenarios = ("basics/", "changes/", "databricks_properties/", "layout/", "ownership/", "property_policy/")
    imposed = IMPOSED

    @pytest.fixture
    def catalog(self):
        return Imposing()
