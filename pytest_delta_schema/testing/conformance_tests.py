"""The tests of a conformance run."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.engine.orchestrator import Orchestrator
from pytest_delta_schema.execute.protocols import OnServer
from pytest_delta_schema.models.column import Column
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.settings import pop_settings, push_settings
from pytest_delta_schema.testing.conformance import RUN_NAME, own_catalog, row_access
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.scenario_runner import (
    comparable,
    initial_refusal,
    require_same,
    run_scenario,
    unsupported_statements,
)
from pytest_delta_schema.testing.suite import without_imposed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.testing.conformance import ConformanceRun
    from pytest_delta_schema.testing.scenario import Scenario


@pytest.fixture(scope="session")
def conformance(pytestconfig: pytest.Config) -> Iterator[ConformanceRun]:
    """The run, under the default settings: those of the project have no effect."""
    pushed = push_settings(Settings)
    yield pytestconfig.pluginmanager.getplugin(RUN_NAME)
    pop_settings(pushed)


@pytest.fixture(scope="session")
def own(conformance: ConformanceRun, delta_catalog: Catalog) -> Any:
    """The catalog."""
    catalog = own_catalog(delta_catalog)
    if isinstance(catalog, OnServer):
        conformance.server = catalog.server_text(conformance.tables.catalog)
    return catalog


@pytest.fixture
def dropped(conformance: ConformanceRun, own: Any) -> Iterator[None]:
    """Drops the tables of the run after each scenario, and no others."""
    yield
    for name in conformance.tables.names:
        observed = own.read_tables([name]).tables.get(name)
        if observed is None or observed.exists:  # None if it cannot be read
            conformance.drop(own, name)


@pytest.fixture(scope="session")
def imposed(conformance: ConformanceRun, own: Any) -> Iterator[Mapping[str, str | None]]:
    """The properties that the catalog gives to every table; a schema that did not exist before is dropped again."""
    name = conformance.tables.names[0]
    before = own.read_tables([name]).tables.get(name)
    try:
        try:
            Orchestrator.over(own).sync_tables([Table(*name, [Column("id", "bigint")])])
            properties = dict(comparable(own.read_tables([name]).tables[name]).table_properties)
        finally:
            conformance.drop(own, name)
        yield MappingProxyType(properties)
    finally:
        if before is not None and not before.schema_exists:
            conformance.drop_schema(own)


@pytest.mark.usefixtures("dropped")
def test_scenario(
    moved_scenario: Scenario, own: Any, imposed: Mapping[str, str | None], conformance: ConformanceRun
) -> None:
    """The scenario ends as on the memory catalog, or is refused without a change."""
    refusal = initial_refusal(moved_scenario, own.capabilities)
    if refusal is not None:
        pytest.skip(refusal.reason)
    if not imposed.keys().isdisjoint(moved_scenario.requires_unset):
        pytest.skip("the catalog sets a property that the table must not have")
    end = run_scenario(moved_scenario, own, row_access(own))
    refused = unsupported_statements(moved_scenario, own.capabilities)
    if refused:
        pytest.skip(f"refused before it runs: {own.capabilities.refuses(refused[0]).reason}")
    expected = run_scenario(moved_scenario, conformance.tables.reference(), MEMORY)
    require_same("the table at the end", without_imposed(end, imposed, expected), expected)
