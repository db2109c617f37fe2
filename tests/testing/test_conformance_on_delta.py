"""A conformance run in a session with real Delta: scenarios for each kind of statement, or all scenarios."""

from __future__ import annotations

import re

import pytest

from pytest_delta_schema.backends.spark_session.catalog import CLASSIC
from pytest_delta_schema.commands.cli import conformance_arguments
from pytest_delta_schema.testing.conformance import Tables, moved_scenarios
from support.covering import ALL, cover, statement_traits
from support.installed import INSTALLED

pytestmark = pytest.mark.spark


def test_every_promise_holds(project, local, warehouse):
    project.settings(f'warehouse = "{warehouse}"')
    scenarios = moved_scenarios(Tables("dev", "silver", ""))
    chosen = scenarios if ALL else cover(scenarios, INSTALLED.limit(CLASSIC), statement_traits)
    keyword = "" if ALL else " or ".join(f"[{scenario.name}]" for scenario in chosen)

    result = project.run(*conformance_arguments("session", "dev.silver", report="conformance.md", keyword=keyword))

    assert result.ret == 0, result.outlines
    (counts,) = (line for line in result.outlines if re.match(r"[0-9]+ held, ", line))
    assert counts == f"{len(chosen)} held, 0 did not hold, 0 not possible"
    assert "  created and dropped: dev.silver" in result.outlines
    assert not local.read_tables([scenarios[0].after.name]).tables[scenarios[0].after.name].schema_exists
