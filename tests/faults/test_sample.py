"""A sample of the fault-injection suite, of which ``make test-faults`` runs all."""

from __future__ import annotations

import pytest

from faults.__main__ import AREAS
from faults.bench import Bench
from faults.cases import (
    SECRET,
    SECRET_VARIABLE,
    SURVIVED,
    run_case,
    selection,
)
from support.covering import ALL

SEED = 1
# Half a minute a disk.
SAMPLED = [(area, number) for area in AREAS if area.name != "disks" or ALL for number in range(area.sample)]


@pytest.fixture(scope="module")
def local_bench(spark_catalog, tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("faults"), SEED, spark_catalog)
    # An archive of classes takes its own JVM, which two kills do not make up for.
    bench.once("archive", lambda: True)
    yield bench
    spark_catalog.drop_schema("dev", "silver")


@pytest.mark.parametrize(
    ("area", "number"),
    [
        pytest.param(area, number, id=f"{area.name}-{number}", marks=pytest.mark.spark if area.needs_jvm else ())
        for area, number in SAMPLED
    ],
)
def test_survives(area, number, tmp_path, monkeypatch, request):
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    bench = request.getfixturevalue("local_bench") if area.needs_jvm else Bench(tmp_path, SEED)

    outcome = run_case(area, selection(area, SEED)[number], bench)

    assert (outcome.status, outcome.reason) == (SURVIVED, ""), outcome.case
