"""A conformance run on each backend with real Delta: scenarios for each kind of statement, or all scenarios.

The local backend plays all of them in ``tests/backends/local``, so a few are enough here.
"""

from __future__ import annotations

import re

import pytest

from pytest_delta_schema import UnityCatalog
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA
from pytest_delta_schema.backends.spark_session.catalog import CLASSIC
from pytest_delta_schema.commands.cli import conformance_arguments
from pytest_delta_schema.testing.conformance import Tables, moved_scenarios
from pytest_delta_schema.testing.unity import UnityDouble
from support.covering import ALL, cover, statement_traits
from support.installed import INSTALLED

pytestmark = pytest.mark.spark


@pytest.fixture
def double(local, warehouse):
    """A server that takes notice of the tables in the warehouse, as if its connector had made them."""
    with UnityDouble(warehouse) as server:
        server.metastore.create_catalog({"name": "dev"})
        local.spark.conf.set("spark.sql.catalog.dev.uri", server.uri)
        yield server
        local.spark.conf.unset("spark.sql.catalog.dev.uri")


@pytest.mark.parametrize(
    ("backend", "topic", "capabilities"),
    [("local", "basics/", OPEN_SOURCE_DELTA), ("session", "", CLASSIC), ("unity", "", UnityCatalog.capabilities)],
    ids=["local", "session", "unity"],
)
def test_every_promise_holds(backend, topic, capabilities, project, local, warehouse, double):
    project.settings(f'warehouse = "{warehouse}"', f'unity_uri = "{double.uri}"')
    scenarios = moved_scenarios(Tables("dev", "silver", ""))
    candidates = [scenario for scenario in scenarios if scenario.name.startswith(topic)]
    chosen = scenarios if ALL else cover(candidates, INSTALLED.limit(capabilities), statement_traits)
    keyword = "" if ALL else " or ".join(f"[{scenario.name}]" for scenario in chosen)

    result = project.run(*conformance_arguments(backend, "dev.silver", report="conformance.md", keyword=keyword))

    assert result.ret == 0, result.outlines
    (counts,) = (line for line in result.outlines if re.match(r"[0-9]+ held, ", line))
    assert counts == f"{len(chosen)} held, 0 did not hold, 0 not possible"
    assert "  created and dropped: dev.silver" in result.outlines
    report = project.path.joinpath("conformance.md").read_text("utf-8")
    assert ("server: Delta API 1.0 with 12 endpoints\n" in report) is (backend == "unity")
    assert not local.read_tables([scenarios[0].after.name]).tables[scenarios[0].after.name].schema_exists
