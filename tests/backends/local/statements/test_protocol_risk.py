"""A change has the risk ``feature``, or a higher one, exactly if it raises the protocol of a table in Delta."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Orchestrator
from pytest_delta_schema.delta.protocol import supported_features
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.kinds import Risk, enabled_by, risk_of
from support.delta_logs.protocol_ways import WAYS

pytestmark = pytest.mark.spark


def test_a_plan_names_what_delta_adds_to_the_protocol(local):
    tables = [way.tables(f"dev.silver.way{index}") for index, way in enumerate(WAYS.values())]
    models = [after for _, after in tables]
    Orchestrator.over(local).sync_tables([before for before, _ in tables])
    before = local.snapshot(models)
    plan = TablePlanner().plan(models, before)

    Orchestrator.over(local).sync_tables(models)

    after = local.snapshot(models)
    assert TablePlanner().plan(models, after).actions == ()
    planned = {str(action.table): action.changes for action in plan.align_tables}
    protocols = [
        {str(name): supported_features(state.table_properties) for name, state in read.tables.items()}
        for read in (before, after)
    ]
    seen, expected = {}, {}
    for way, model in zip(WAYS, models, strict=True):
        name = model.qualified_name
        old, new = (protocol[name] for protocol in protocols)
        changes = planned.get(name, ())
        enabled = {feature for change in changes for feature in enabled_by(change)}
        is_risky = any(risk_of(change) >= Risk.FEATURE for change in changes if enabled_by(change))
        seen[way] = (sorted(new - old), sorted(enabled), is_risky)
        enables = WAYS[way].enables
        gained = ("checkConstraints",) if enables == ("delta.minwriterversion",) else enables
        expected[way] = (sorted(gained), sorted(enables), bool(enables))
    assert seen == expected
