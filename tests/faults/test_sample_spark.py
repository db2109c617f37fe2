"""A sample of the fault-injection suite in the session that the tests share; all of it is ``make test-faults``."""

from __future__ import annotations

import pytest

from faults import boundaries, doubles, names_local, races
from faults.bench import SECRET, SECRET_VARIABLE, Bench
from faults.cases import SURVIVED, run_case, selection

pytestmark = pytest.mark.spark

SEED = 1
AREAS = (boundaries.LOCAL_AREA, names_local.AREA, doubles.AREA, races.AREA)
SAMPLED = [(area, case) for area in AREAS for case in selection(area, SEED)]


@pytest.fixture(scope="module")
def bench(spark_catalog, tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("faults"), SEED, spark_catalog)
    yield bench
    spark_catalog.drop_schema("dev", "silver")


@pytest.mark.parametrize(("area", "case"), SAMPLED, ids=[f"{area.name}-{case.name}" for area, case in SAMPLED])
def test_survives(area, case, bench, monkeypatch):
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)

    outcome = run_case(area, case, bench)

    assert (outcome.status, outcome.reason) == (SURVIVED, "")
