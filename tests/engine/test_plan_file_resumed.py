"""A plan of which a part has run: the file is stale and runs nothing, and a new plan reaches the same end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from faults.scenarios import going_through, scenario_named
from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.engine.apply_progress import ApplyProgress
from pytest_delta_schema.engine.gate import BatchedApplies, Gate
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.engine.plan_file import plan_text, read_plan
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.sql import statements
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.scenario_runner import create_initial_tables

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema import QualifiedName, Table
    from pytest_delta_schema.engine.plan_file import PlanFile
    from pytest_delta_schema.sql import Statement
    from pytest_delta_schema.state import TableState
    from pytest_delta_schema.testing.scenario import Scenario


NOT_MANAGED = {
    "ownership/columns_only": "comments of new columns are not managed once the columns are there",
    "property_policy/property_removed_from_the_model": "the record of properties is written with a change only",
}
"""The scenarios that end in a different state in what the contract does not manage, with the reason."""


def models_of(scenario: Scenario) -> list[Table]:
    return [scenario.after, *(other for other, _ in scenario.other_tables)]


def gate_of(scenario: Scenario, catalog: MemoryCatalog, reviewed: PlanFile | None = None) -> Gate:
    policy = scenario.property_policy
    settings = Settings(
        consents=tuple(map(parse_consent, scenario.consents)),
        properties=policy.modes,
        owned_properties=policy.keeps_record,
    )
    return Gate(catalog, models_of(scenario), settings=settings, reviewed=reviewed)


def plan_of(scenario: Scenario, catalog: MemoryCatalog, folder: Path) -> PlanFile:
    gate = gate_of(scenario, catalog)
    planned = [gate.planned(model)["table"] for model in models_of(scenario)]
    text, _ = plan_text(tool_version="", capabilities=[], settings=[], tables=planned)
    path = folder / "plan.json"
    path.write_text(text, "ascii")
    return read_plan(path, "plan.json")


def applied(scenario: Scenario, catalog: MemoryCatalog, plan: PlanFile) -> list[Status]:
    """Return the statuses of the tables, the one of the scenario first."""
    applies = BatchedApplies(gate_of(scenario, catalog, plan), models_of(scenario), ApplyProgress(), lambda *_: None)
    return [applies.apply(model).status for model in models_of(scenario)]


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
    assert set(applied(scenario, catalog, whole)) <= {Status.APPLIED, Status.IN_SYNC}
    end = states(scenario, catalog)

    for count in range(1, len(planned)):
        catalog, _ = fresh(scenario)
        for statement in planned[:count]:
            catalog.run(statement)
        before, left = versions(scenario, catalog), gate_of(scenario, catalog).plan(*models_of(scenario))
        is_stale = not (left.is_empty or states(scenario, catalog) == begin)  # a key may be dropped and added again

        if is_stale:
            assert Status.BLOCKED in applied(scenario, catalog, whole)
            assert versions(scenario, catalog) == before
        assert Status.BLOCKED not in applied(scenario, catalog, plan_of(scenario, catalog, tmp_path))
        assert gate_of(scenario, catalog).plan(*models_of(scenario)).is_empty
        assert name in NOT_MANAGED or states(scenario, catalog) == end
