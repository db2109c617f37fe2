"""The reviewed plan and SQL of every scenario: one text a topic, with which every backend here is compared."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.sql import script
from pytest_delta_schema.testing import SCENARIOS, CatalogSuite
from pytest_delta_schema.testing.scenario_runner import lines_of, planned, require_same, statements_of

if TYPE_CHECKING:
    from pytest_delta_schema.plan import TablePlan
    from pytest_delta_schema.testing import Scenario

FOLDER = Path(__file__).parents[1] / "testing" / "__snapshots__" / "test_scenarios"
TOPICS = tuple(dict.fromkeys(scenario.name.partition("/")[0] for scenario in SCENARIOS))

_HEAD = "==== "


def path_of(topic: str) -> Path:
    """Return the file of a topic, which syrupy names after its test."""
    return FOLDER / f"test_reviewed[{topic}].txt"


def topic_text(topic: str) -> str:
    """Return the text of a topic: its scenarios in their order, planned on the memory catalog."""
    scenarios = [scenario for scenario in SCENARIOS if scenario.name.startswith(f"{topic}/")]
    return "\n\n".join(scenario_text(scenario, planned(scenario)) for scenario in scenarios) + "\n"


def scenario_text(scenario: Scenario, plan: TablePlan) -> str:
    """Return what people review of a scenario: name, description, plan, reported differences and SQL."""
    sections = {
        "Plan": lines_of(plan.actions),
        "Reported": lines_of(plan.mismatches),
        "SQL": script(statements_of(plan)),
    }
    parts = [f"{_HEAD}{scenario.name}", scenario.description]
    parts += [f"{title}:\n{text}" for title, text in sections.items() if text]
    return "\n\n".join(filter(None, parts))


@cache
def _reviewed(topic: str) -> dict[str, str]:
    """Return the texts of a topic by the names of scenarios."""
    text = path_of(topic).read_text("utf-8")
    return {part.partition("\n")[0]: f"{_HEAD}{part}".rstrip("\n") for part in f"\n{text}".split(f"\n{_HEAD}")[1:]}


class ReviewedSuite(CatalogSuite):
    """The suite of all backends, which also compares plan and SQL with the reviewed ones."""

    def review(self, scenario: Scenario, plan: TablePlan) -> None:
        """Compare the plan, what it reports and its SQL with the reviewed text."""
        reviewed = _reviewed(scenario.name.partition("/")[0]).get(scenario.name, "")
        require_same("the plan and SQL, not as reviewed", scenario_text(scenario, plan), reviewed)
