"""Backends, their tests and test data, without a JVM."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from changes import AMOUNT, ID, table

from models import orders
from pytest_delta_schema import MemoryCatalog, breaking_rows, to_struct_type
from pytest_delta_schema.backends import (
    Backend,
    BackendContext,
    BackendSettings,
    ConstraintViolation,
    constraint_error,
    find_backend,
)
from pytest_delta_schema.test_kit import BreakingRows, Constraint
from pytest_delta_schema.testing import (
    SCENARIOS,
    CatalogSuite,
    DataAccess,
    MemoryDataAccess,
    Scenario,
    SparkDataAccess,
    run_scenario,
)
from pytest_delta_schema.write_check import StreamVerdict, WriteVerdict, check_stream, predict_write

POSITIVE = "CHECK constraint positive (amount > 0) violated by row with values:\n - amount : -5"


def test_backend():
    backend = Backend(open=lambda _: MemoryCatalog(), scratch_tables="anywhere")  # an entry point names it

    assert not backend.needs_scratch_catalog("apply")


def test_backend_context():
    def opened(context: BackendContext) -> MemoryCatalog:
        catalog = MemoryCatalog()
        catalog.create_schema(context.settings.values["scratch_catalog"], "silver")
        return catalog

    context = SimpleNamespace(settings=BackendSettings(values={"scratch_catalog": "ci"}))

    assert Backend(open=opened).open(context).name == "memory"


def test_backend_settings():
    settings = BackendSettings(values={"unity_timeout": 8.0}, mode="drift")

    assert (settings.values["unity_timeout"], settings.mode) == (8.0, "drift")


def test_find_backend():
    assert find_backend("memory").scratch_tables == "anywhere"


def test_constraint_error():
    error = RuntimeError(POSITIVE)  # in a pipeline: one of Spark

    assert constraint_error(error, models=[orders]).model is orders
    assert constraint_error(ValueError("something else")) is None


def test_constraint_violation():
    violation = constraint_error(RuntimeError(POSITIVE))

    assert isinstance(violation, ConstraintViolation)
    assert (violation.kind, violation.name, dict(violation.values)) == ("check", "positive", {"amount": "-5"})


def test_constraint():
    broken = breaking_rows(orders)[1]

    assert isinstance(broken, BreakingRows)
    assert broken.constraint == Constraint(kind="check", name="positive")
    assert [row["amount"] > 0 for row in broken.rows] == [False]


def test_predict_write():
    verdict = predict_write(orders, to_struct_type(table(ID)))

    assert verdict.accepted
    assert [note.path for note in verdict.notes] == ["amount", "status"]


def test_write_verdict():
    verdict = predict_write(table(ID), to_struct_type(orders))

    assert isinstance(verdict, WriteVerdict)
    assert (verdict.accepted, verdict.rules) == (False, ("extra-column",))
    assert verdict.resulting_schema.fieldNames() == ["id"]


def test_check_stream():
    verdict = check_stream(table(ID), table(ID, AMOUNT), "tracked")

    assert (verdict.answer, verdict.condition) == ("restarts", "DELTA_STREAMING_METADATA_EVOLUTION")


def test_stream_verdict():
    verdict = check_stream(table(ID, AMOUNT), table(ID, replace(AMOUNT, is_nullable=False)), kind="lagging")

    assert isinstance(verdict, StreamVerdict)
    assert (verdict.answer, verdict.condition) == ("blocked", "DELTA_SCHEMA_CHANGED_WITH_VERSION")
    assert verdict.remedy == ("spark.databricks.delta.streaming.unsafeReadOnNullabilityChange.enabled=true",)
    assert [finding.rule for finding in verdict.findings] == ["null-forbidden"]


class TestCatalogSuite(CatalogSuite):
    data_access: DataAccess = MemoryDataAccess()  # reads rows back, and makes parquet
    scenarios = ("primary_keys/",)  # all without it

    @pytest.fixture
    def catalog(self):
        return MemoryCatalog()


def test_spark_data_access():
    access = SparkDataAccess(converts=True)  # the default of a suite: it uses the session of catalog.spark

    assert (access.converts, access.counts_commits) == (True, True)


def test_scenarios():
    by_topic = [scenario for scenario in SCENARIOS if scenario.name.startswith("primary_keys/")]

    assert len(by_topic) > 5
    assert all(isinstance(scenario, Scenario) for scenario in by_topic)


def test_scenario():
    scenario = Scenario(name="columns/added", before=table(ID), after=table(ID, AMOUNT), rows=({"id": 1},))

    end = run_scenario(scenario, MemoryCatalog(), MemoryDataAccess())

    assert [column.name for column in end.columns] == ["id", "amount"]


def test_run_scenario():
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == "checks/check_dropped")

    end = run_scenario(scenario, MemoryCatalog(), MemoryDataAccess())

    assert end.checks == ()
