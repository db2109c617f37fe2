"""A sample of the fault-injection suite with further JVMs: they are killed and, in `make test-all`, their disks broken."""

from __future__ import annotations

import pytest

from faults import disks, kills
from faults.bench import SECRET, SECRET_VARIABLE, Bench
from faults.cases import SURVIVED, run_case, selection
from support.covering import ALL

pytestmark = pytest.mark.spark

SEED = 1
SAMPLED = [(area, case) for area in (kills.AREA, *((disks.AREA,) if ALL else ())) for case in selection(area, SEED)]


@pytest.fixture(scope="module")
def bench(spark_catalog, tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("faults"), SEED, spark_catalog)
    # An archive of classes takes its own JVM, which two kills do not make up for.
    bench.shared["archive"] = True
    yield bench
    spark_catalog.drop_schema("dev", "silver")


@pytest.mark.parametrize(("area", "case"), SAMPLED, ids=[f"{area.name}-{case.name}" for area, case in SAMPLED])
def test_survives(area, case, bench, monkeypatch):
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)

    outcome = run_case(area, case, bench)

    assert (outcome.status, outcome.reason) == (SURVIVED, "")
