"""A sample of the fault-injection suite, of which ``make test-faults`` runs all, and what its harness calls survived."""

from __future__ import annotations

import json

import pytest

from faults.__main__ import AREAS, read_journal
from faults.bench import Bench
from faults.cases import (
    FAILED,
    SECRET,
    SECRET_VARIABLE,
    SURVIVED,
    Outcome,
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


def test_a_run_goes_on_where_a_kill_has_cut_off_the_journal(tmp_path):
    outcome = Outcome("a", "1", FAILED, "x\ud800", 1.0)
    journal = tmp_path / "journal.jsonl"
    journal.write_text(json.dumps(outcome) + '\n["a", "2", "sur')

    assert read_journal(journal) == {("a", "1"): outcome}
