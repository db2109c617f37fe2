"""A plan of which a part has run: the file is stale and runs nothing, and a new plan reaches the same end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from faults.scenarios import going_through, scenario_named
from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.sql import statements
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from support.plan_files import applied, gate_of, models_of, plan_of

if TYPE_CHECKING:
    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.engine.plan_file import PlanFile
    from pytest_delta_schema.sql import Statement
    from pytest_delta_schema.state import TableState
    from pytest_delta_schema.testing.scenario import Scenario


NOT_MANAGED = {
    "ownership/columns_only": "comments of new columns are not managed once the columns are there",
    "property_policy/property_removed_from_the_model": "the record of properties is written with a change only",
}
"""The scenarios that end in a different state in what the contract does not manage, with the reason."""


def statuses(scenario: Scenario, catalog: MemoryCatalog, plan: PlanFile) -> list[Status]:
    return [outcome.status for outcome in applied(scenario, catalog, plan)]


def states(scenario: Scenario, catalog: MemoryCatalog) -> dict[QualifiedName, TableState]:
    return dict(catalog.snapshot(models_of(scenario)).tables)


def versions(scenario: Scenario, catalog: MemoryCatalog) -> list[int | None]:
    return [table.version for table in states(scenario, catalog).values()]


def fresh(scenario: Scenario) -> tuple[MemoryCatalog, list[Statement]]:
    """Return the catalog of a scenario, and the statements of its plan."""
    catalog = MemoryCatalog()
    create_initial_tables(scenario, catalog, MEMORY)
    plan = gate_of(scenario, catalog).plan(scenario.after)
    return catalog, [statement for action in plan.actions for statement in statements(action)]


@pytest.mark.parametrize("name", [scenario.name for scenario in going_through()])
def test_a_new_plan_reaches_the_same_end_after_each_statement(name, tmp_path):
    scenario = scenario_named(name)
    catalog, planned = fresh(scenario)
    begin, whole = states(scenario, catalog), plan_of(scenario, catalog, tmp_path)
    assert set(statuses(scenario, catalog, whole)) <= {Status.APPLIED, Status.IN_SYNC}
    end = states(scenario, catalog)

    for count in range(1, len(planned)):
        catalog, _ = fresh(scenario)
        for statement in planned[:count]:
            catalog.run(statement)
        before, left = versions(scenario, catalog), gate_of(scenario, catalog).plan(*models_of(scenario))
        is_stale = not (left.is_empty or states(scenario, catalog) == begin)  # a key may be dropped and added again

        if is_stale:
            assert Status.BLOCKED in statuses(scenario, catalog, whole)
            assert versions(scenario, catalog) == before
        assert Status.BLOCKED not in statuses(scenario, catalog, plan_of(scenario, catalog, tmp_path))
        assert gate_of(scenario, catalog).plan(*models_of(scenario)).is_empty
        assert name in NOT_MANAGED or states(scenario, catalog) == end
