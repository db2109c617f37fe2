"""Models that show everything that the creation of a table writes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.rules.validator import PlanValidator
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenarios import SCENARIOS
from support.covering import ALL, stored_traits

if TYPE_CHECKING:
    from pytest_delta_schema import Table


@cache
def prepared_models() -> dict[str, Table]:
    """Return the models of all scenarios that break no rule, each creation once; a covering set of them by default."""
    models: dict[str, Table] = {}
    known: set[object] = set()
    for scenario in SCENARIOS:
        for when, model in (("before", scenario.before), ("after", scenario.after)):
            if model is None or PlanValidator().model_violations([model]):
                continue
            action = TablePlanner().creation(desired_state(model))
            traits = {script(statements(action))} if ALL else {*stored_traits(model), len(statements(action))}
            if not traits <= known:
                known |= traits
                models[f"{scenario.name}-{when}"] = model
    return models
