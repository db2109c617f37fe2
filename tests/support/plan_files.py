"""Scenarios planned to a file and applied from it, by the engine without pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.engine.apply_progress import ApplyProgress
from pytest_delta_schema.engine.gate import BatchedApplies, Gate
from pytest_delta_schema.engine.plan_file import plan_text, read_plan
from pytest_delta_schema.rules.consent import parse_consent

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema import Table
    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.engine.plan_file import PlanFile
    from pytest_delta_schema.testing.scenario import Scenario


def models_of(scenario: Scenario) -> list[Table]:
    """Return the model of a scenario, and those of its other tables."""
    return [scenario.after, *(other for other, _ in scenario.other_tables)]


def gate_of(scenario: Scenario, catalog: Any, reviewed: PlanFile | None = None) -> Gate:
    """Return the gate over the tables of a scenario."""
    policy = scenario.property_policy
    settings = Settings(
        consents=tuple(map(parse_consent, scenario.consents)),
        properties=policy.modes,
        owned_properties=policy.keeps_record,
    )
    return Gate(catalog, models_of(scenario), settings=settings, reviewed=reviewed)


def plan_of(scenario: Scenario, catalog: Any, folder: Path) -> PlanFile:
    """Return the plan of a scenario, written to a file and read from it."""
    gate = gate_of(scenario, catalog)
    planned = [gate.planned(model) for model in models_of(scenario)]
    path = folder / "plan.json"
    tables = [entry["table"] for entry in planned]
    text, _ = plan_text(tool_version="", capabilities=planned[0]["capabilities"], settings=[], tables=tables)
    path.write_text(text, "ascii")
    return read_plan(path, "plan.json")


def applied(scenario: Scenario, catalog: Any, plan: PlanFile) -> list[TableOutcome]:
    """Apply a plan, and return the outcomes of the tables, the one of the scenario first."""
    gate = gate_of(scenario, catalog, plan)
    applies = BatchedApplies(gate, models_of(scenario), ApplyProgress(), lambda *_: None)
    return [applies.apply(model) for model in models_of(scenario)]
