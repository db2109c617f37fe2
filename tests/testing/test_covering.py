"""The covering set has all that the scenarios have."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.spark_session.catalog import CLASSIC, REMOTE
from pytest_delta_schema.backends.unity.catalog import UnityCatalog
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.testing import SCENARIOS
from pytest_delta_schema.testing.scenario import EVERY_TYPE, VARIANTS
from pytest_delta_schema.testing.scenario_runner import planned_statements
from support.covering import cover

CANDIDATES = [scenario for scenario in SCENARIOS if not scenario.is_refused_by_rules and scenario.parquet is None]
BACKENDS = pytest.mark.parametrize("capabilities", [CLASSIC, REMOTE, UnityCatalog.capabilities])


def statements_of(scenarios):
    return [statement for scenario in scenarios for statement in planned_statements(scenario)]


@BACKENDS
def test_it_runs_every_kind_of_statement(capabilities):
    kinds = {statement.kind for statement in statements_of(cover(CANDIDATES, capabilities))}

    untested = {StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE, StatementKind.RESTORE_TABLE}
    assert set(StatementKind) - kinds == untested


@BACKENDS
def test_it_shows_every_refusal(capabilities):
    def refused(scenarios):
        return {item.kind for item in statements_of(scenarios) if capabilities.refuses(item) is not None}

    assert refused(cover(CANDIDATES, capabilities)) == refused(CANDIDATES)


@BACKENDS
def test_it_stores_everything_that_a_model_can_declare(capabilities):
    chosen = cover(CANDIDATES, capabilities)
    models = [model for scenario in chosen for model in (scenario.before, scenario.after) if model is not None]
    columns = [column for model in models for column in model.columns]

    stored = {column.data_type.simpleString() for column in columns}
    assert {column.data_type.simpleString() for column in [*EVERY_TYPE, *VARIANTS]} <= stored
    for aspect in ("comment", "table_properties", "primary_key", "unique", "checks", "foreign_keys", "partitioned_by"):
        assert any(getattr(model, aspect) for model in models), aspect
    for aspect in ("clustered_by", "tags"):
        assert any(getattr(model, aspect) for model in models), aspect
    for aspect in ("comment", "default", "generated_as", "identity", "renamed_from", "tags"):
        assert any(getattr(column, aspect) for column in columns), aspect
    assert any(not column.is_nullable for column in columns)


@BACKENDS
def test_it_shows_every_violation_of_rows(capabilities):
    codes = {code for scenario in cover(CANDIDATES, capabilities) for code in scenario.refused_by}

    assert codes == {"DS301", "DS302", "DS303", "DS304", "DS306"}


@BACKENDS
def test_it_is_a_small_part(capabilities):
    assert len(cover(CANDIDATES, capabilities)) < len(CANDIDATES) / 3
